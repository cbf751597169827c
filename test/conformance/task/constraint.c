/* The task scheduling constraint: a thread that waits within a tied task starts no task that does not descend from it,
 * however it waits. Here such a task waits for what its thread does after the wait: if it is started there, the
 * program hangs. The first thread runs the task that waits, the second one its child, and the third one makes the
 * tasks that must not be taken.
 *
 * hosts: posix ghc
 * limit: 60
 * symbols: GOMP_task GOMP_taskwait GOMP_taskgroup_end GOMP_taskwait_depend GOMP_taskyield
 */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

enum { ROUNDS = 10, LOOKS = 100, OTHERS = 2 };
enum { TASKWAIT, TASKGROUP, DEPENDENCE, UNDEFERRED, YIELD, WAYS };

static int child_runs, gate;

static void child(void)
{
    open_gate(&child_runs);
    for (int i = 0; i < LOOKS; i++)
        sched_yield();
}

static void wait_within(int way)
{
    int value = 0;
    switch (way) {
    case TASKWAIT:
#pragma omp task
        child();
        wait_for(&child_runs);
#pragma omp taskwait
        break;
    case TASKGROUP:
#pragma omp taskgroup
    {
#pragma omp task
        child();
        wait_for(&child_runs);
    }
    break;
    case DEPENDENCE:
#pragma omp task depend(out : value)
        child();
        wait_for(&child_runs);
#pragma omp taskwait depend(in : value)
        break;
    case UNDEFERRED:
#pragma omp task depend(out : value)
        child();
        wait_for(&child_runs);
#pragma omp task if (0) depend(in : value) shared(value)
        value = 1;
        break;
    default:
        open_gate(&child_runs);
        for (int i = 0; i < LOOKS; i++) {
            sched_yield();
#pragma omp taskyield
        }
    }
    open_gate(&gate);
}

int main(void)
{
    for (int round = 0; round < ROUNDS * WAYS; round++) {
        int done = 0;
        child_runs = gate = 0;
#pragma omp parallel num_threads(3)
        if (omp_get_thread_num() == 0) {
#pragma omp task firstprivate(round)
            wait_within(round % WAYS);
            wait_for(&child_runs);
            for (int i = 0; i < OTHERS; i++) {
#pragma omp task shared(done)
                {
                    wait_for(&gate);
                    count_up(&done);
                }
            }
        }
        CHECK(done == OTHERS);
    }
    return 0;
}
