/* A library whose constructor opens a region, as OpenBLAS's asks how many threads there are: constructors of libraries
   run before those of the program. What it saw goes to stdout. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void early(void)
{
    int team = 0, procs = omp_get_num_procs(), most = omp_get_max_threads();
    #pragma omp parallel reduction(+ : team)
    team++;
    char line[80];
    int length = snprintf(line, sizeof line, "early: procs=%d most=%d team=%d\n", procs, most, team);
    if (write(STDOUT_FILENO, line, (size_t)length) != length)
        _exit(3);
}
