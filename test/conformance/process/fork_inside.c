/* fork() inside a region, by its master: the child can leave the region and start others.
   ghcomp-only: libgomp hangs in the child
   symbols: GOMP_parallel */
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"

int main(void)
{
    pid_t child = -1;
    int sum = 0;
    omp_set_dynamic(0);
#pragma omp parallel num_threads(3)
    {
#pragma omp master
        child = fork();
    }
    CHECK(child >= 0);
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1;
    CHECK(sum == 3);
    if (child == 0)
        return 0;
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}
