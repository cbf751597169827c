/* A detachable task that cancellation discards is complete at once, as on libgomp: its function, which would have
   fulfilled its event, does not run. Deferred ones, with dependences and without, in a taskgroup and in a region.
   hosts: posix ghc
   env: OMP_CANCELLATION=true
   symbols: GOMP_cancel GOMP_task omp_fulfill_event */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

enum { EACH = 20 };

static void in_a_taskgroup(int threads)
{
    int ran = 0, waited = 0, x = 0;
    (void)x;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
#pragma omp taskgroup
        {
            omp_event_handle_t event;
#pragma omp task depend(out : x)
            {
#pragma omp cancel taskgroup
            }
            for (int i = 0; i < EACH; i++) {
#pragma omp task detach(event) depend(in : x) shared(ran)
                {
                    count_up(&ran);
                    omp_fulfill_event(event);
                }
            }
        }
        waited = 1;
        /* The blocks of memory are used again. */
        for (int i = 0; i < EACH; i++) {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(ran)
            {
                count_up(&ran);
                omp_fulfill_event(event);
            }
        }
#pragma omp taskwait
    }
    CHECK(ran == EACH && waited);
}

/* Some run before the region is cancelled, or none. */
static void in_a_region(int threads)
{
    int ran = 0, go = 0;
#pragma omp parallel num_threads(threads)
    {
        int x = 0;
        (void)x;
        if (omp_get_thread_num() == 0) {
            omp_event_handle_t event;
#pragma omp task depend(out : x) shared(go) if (threads > 1)
            if (threads > 1)
                wait_for(&go);
            for (int i = 0; i < EACH; i++) {
#pragma omp task detach(event) depend(in : x) shared(ran)
                {
                    count_up(&ran);
                    omp_fulfill_event(event);
                }
            }
            open_gate(&go);
#pragma omp cancel parallel
        }
    }
    CHECK(ran <= EACH);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 0; round < 10; round++)
        for (int threads = 1; threads <= 4; threads++) {
            in_a_taskgroup(threads);
            in_a_region(threads);
        }
    return 0;
}
