/* fork() in a target region inside a parallel region: the child leaves both, and runs more of them.
   ghcomp-only: libgomp hangs in a child of fork() that leaves a parallel region
   symbols: GOMP_target_ext */
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"

static int parallel(void)
{
    int seen = 0;
#pragma omp parallel num_threads(3) reduction(+ : seen)
    seen++;
    return seen;
}

int main(void)
{
    pid_t child = -1;
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp target map(tofrom : child)
            {
                CHECK(parallel() == 3);
                child = fork();
                CHECK(child >= 0 && parallel() == 3);
            }
            CHECK(omp_get_level() == 1);
        }
    }
    CHECK(omp_get_level() == 0 && parallel() == 3);
#pragma omp target
    CHECK(parallel() == 3);
    if (child == 0)
        _exit(7);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
    return 0;
}
