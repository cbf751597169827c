/* A detached task whose function has returned before fork(): parent and child each fulfil its event, wait for it, and
   let the task that depends on it run; outside of regions, and in a region of one thread.
   ghcomp-only: libgomp hangs in the child
   symbols: GOMP_task GOMP_taskwait omp_fulfill_event */
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"

static void fork_and_fulfil(void)
{
    omp_event_handle_t event;
    int x = 0, ran = 0;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 1;
#pragma omp task depend(in : x) shared(x, ran)
    ran += x;
    pid_t child = fork();
    CHECK(child >= 0);
    CHECK(ran == 0);
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK(ran == 1);
    if (child == 0)
        _exit(0);
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    fork_and_fulfil();
#pragma omp parallel num_threads(1)
    fork_and_fulfil();
    return 0;
}
