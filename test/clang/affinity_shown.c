/* Affinity displays of clang's code are lines on standard output, among the program's own.
   env: OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="T%n/%N"
   expect-stdout: ^before\n(T[01]/2\n){2}asked for 0\nafter$ */
#include <omp.h>
#include <stdio.h>

static int members;

int main(void)
{
    printf("before\n");
#pragma omp parallel num_threads(2)
    __atomic_fetch_add(&members, 1, __ATOMIC_RELAXED);
    omp_display_affinity("asked for %n");
    printf("after\n");
    return members != 2;
}
