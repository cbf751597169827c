/* The event of a task that cancellation has discarded is fulfilled after all: that has no effect on other detachable
   tasks, although the discarded one is complete.
   ghcomp-only: libgomp has freed the task by then
   env: OMP_CANCELLATION=true
   symbols: omp_fulfill_event */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

enum { EACH = 40 };

static omp_event_handle_t discarded[EACH], others[EACH];

/* Detachable tasks that do not start before the taskgroup has been cancelled. */
static void discard_all(void)
{
    int ran = 0, made = 0, x = 0;
    (void)x;
#pragma omp taskgroup
    {
#pragma omp task depend(out : x) shared(made)
        {
            wait_for(&made);
#pragma omp cancel taskgroup
        }
        for (int i = 0; i < EACH; i++) {
            omp_event_handle_t event;
#pragma omp task detach(event) depend(in : x) shared(ran)
            count_up(&ran);
            discarded[i] = event;
        }
        open_gate(&made);
    }
    CHECK(ran == 0);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 2; threads <= 4; threads++) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        for (int round = 0; round < 5; round++) {
            int complete = 0;
            static char place[EACH];
            discard_all();
            for (int i = 0; i < EACH; i++) {
                omp_event_handle_t event;
#pragma omp task detach(event) depend(out : place[i])
                {
                }
                others[i] = event;
#pragma omp task depend(in : place[i]) shared(complete)
                count_up(&complete);
            }
            for (int i = 0; i < EACH; i++)
                omp_fulfill_event(discarded[i]);
            for (int i = 0; i < 1000; i++) { /* time for what would have become ready */
                CHECK(look(&complete) == 0);
                sched_yield();
            }
            for (int i = 0; i < EACH; i++)
                omp_fulfill_event(others[i]);
#pragma omp taskwait
            CHECK(complete == EACH);
        }
    }
    return 0;
}
