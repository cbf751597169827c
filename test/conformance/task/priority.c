/* With one thread that takes tasks, ready tasks start by their priority, each priority no larger than
   OMP_MAX_TASK_PRIORITY.
   env: OMP_MAX_TASK_PRIORITY=5
   symbols: GOMP_task GOMP_taskwait omp_get_max_task_priority */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

enum { TASKS = 24 };

static int order[TASKS], taken;

static void note(int priority)
{
    order[taken++] = priority;
}

int main(void)
{
    omp_set_dynamic(0);
    CHECK(omp_get_max_task_priority() == 5);
    int closed = 0, in_task = 0;
    /* The second thread waits inside the region, so that the first one alone runs the tasks, when it waits for them. */
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            open_gate(&in_task);
            wait_for(&closed);
        } else {
            wait_for(&in_task);
            for (int i = 0; i < TASKS; i++) {
                int priority = i * 5 % 8; /* 6 and 7 count as 5 */
#pragma omp task priority(priority) firstprivate(priority)
                note(priority > 5 ? 5 : priority);
            }
            CHECK(taken == 0);
#pragma omp taskwait
            CHECK(taken == TASKS);
            for (int i = 1; i < TASKS; i++)
                CHECK(order[i - 1] >= order[i]);
            taken = 0;
            for (int i = 0; i < TASKS; i++) {
#pragma omp task priority(i % 6) firstprivate(i)
                note(i % 6);
            }
#pragma omp taskloop priority(4) num_tasks(3) nogroup
            for (int i = 0; i < 3; i++)
                __atomic_fetch_add(&order[0], 0, __ATOMIC_RELAXED);
#pragma omp taskwait
            CHECK(taken == TASKS);
            for (int i = 1; i < TASKS; i++)
                CHECK(order[i - 1] >= order[i]);
            open_gate(&closed);
        }
    }
    /* Many threads and priorities: all are executed once. */
    int sum = 0;
    for (int threads = 1; threads <= 8; threads *= 2) {
        sum = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
        for (int i = 0; i < 3000; i++) {
#pragma omp task priority(i % 7) firstprivate(i) shared(sum)
            {
                if (i % 10 == 0) {
#pragma omp task priority(3) shared(sum)
                    __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
                }
                __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
            }
        }
        CHECK(sum == 3300);
    }
    return 0;
}
