/* An undeferred detachable task of clang's code: the thread goes on when the task's code is over, and the event may
   come from itself, later, or from another thread while it waits.
   symbols: __kmpc_task_allow_completion_event __kmpc_omp_task_begin_if0
   limit: 60 */
#include "../conformance/common.h"

#include <omp.h>

static void by_itself(void)
{
    int ran = 0, after = 0;
    omp_event_handle_t event;
#pragma omp task detach(event) if (0) shared(ran) depend(out : ran)
    ran = 1;
    CHECK(ran == 1);
#pragma omp task shared(ran, after) depend(in : ran)
    after = ran + 1;
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK(after == 2);
}

static void by_another(void)
{
    omp_event_handle_t event;
    int done = 0;
#pragma omp taskgroup
    {
#pragma omp task detach(event) if (0) shared(done)
        __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
        CHECK(__atomic_load_n(&done, __ATOMIC_RELAXED) == 1);
#pragma omp task firstprivate(event) shared(done)
        {
            __atomic_store_n(&done, 2, __ATOMIC_RELAXED);
            omp_fulfill_event(event);
        }
    }
    CHECK(done == 2);
}

/* The region's end waits for it as well. */
static int ended;
static void until_the_end(int threads)
{
    ended = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
    {
        omp_event_handle_t event;
#pragma omp task detach(event) if (0)
        {
        }
#pragma omp task firstprivate(event)
        {
            __atomic_store_n(&ended, 1, __ATOMIC_RELAXED);
            omp_fulfill_event(event);
        }
    }
    CHECK(ended == 1);
}

int main(void)
{
    for (int round = 0; round < 100; round++) {
        by_itself();
        by_another();
        for (int threads = 1; threads <= 4; threads++) {
            until_the_end(threads);
#pragma omp parallel num_threads(threads)
            {
                by_itself();
                by_another();
            }
        }
    }
    return 0;
}
