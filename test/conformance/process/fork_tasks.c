/* fork() with unfinished tasks: the child has lost those that other threads had. It can wait for its tasks, end the
   taskgroup and the region that it is in, and go on with tasks and dependences of its own.
   ghcomp-only: libgomp hangs in the child
   symbols: GOMP_task GOMP_taskwait GOMP_taskgroup_end */
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"

static int started, let_go;

static void busy(void)
{
    __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&let_go, __ATOMIC_ACQUIRE))
        usleep(100);
}

static int sum_of_tasks(void)
{
    int sum = 0, chain = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum)
        {
#pragma omp atomic
            sum++;
        }
#pragma omp task shared(chain) depend(inout : chain)
        chain++;
    }
    return sum + chain;
}

int main(void)
{
    pid_t child = -1;
    omp_set_dynamic(0);
    CHECK(sum_of_tasks() == 200);
#pragma omp parallel num_threads(3)
#pragma omp master
    {
        int x = 0;
#pragma omp taskgroup
        {
#pragma omp task depend(out : x)
            busy();
#pragma omp task
            busy();
            while (__atomic_load_n(&started, __ATOMIC_RELAXED) < 2)
                usleep(100);
#pragma omp task depend(in : x) shared(x)
            x++;
            child = fork();
            if (child > 0)
                __atomic_store_n(&let_go, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
        }
    }
    CHECK(child >= 0);
    CHECK(sum_of_tasks() == 200);
    if (child == 0)
        return 0;
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}
