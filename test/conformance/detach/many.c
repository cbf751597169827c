/* Ten thousand detachable tasks whose events their creator fulfils after it has created them all. They must not be run
   inline and waited for, since no other thread would fulfil the events.
   ghcomp-only: libgomp 12 runs what it has no room for at once, and then lets a dependent go before the event
   limit: 60
   symbols: omp_fulfill_event GOMP_task */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

enum { MANY = 10000 };

static omp_event_handle_t events[MANY];

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 4; threads *= 2) {
        int bodies = 0, after = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            for (int i = 0; i < MANY; i++) {
                omp_event_handle_t event;
#pragma omp task detach(event) depend(out : events[i]) shared(bodies)
                count_up(&bodies);
                events[i] = event;
#pragma omp task depend(in : events[i]) shared(after)
                count_up(&after);
            }
            CHECK(look(&after) == 0);
            for (int i = MANY - 1; i >= 0; i--)
                omp_fulfill_event(events[i]);
#pragma omp taskwait
            CHECK(bodies == MANY && after == MANY);
        }
        /* Without dependents. */
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            for (int i = 0; i < MANY; i++) {
                omp_event_handle_t event;
#pragma omp task detach(event) shared(bodies)
                count_up(&bodies);
                events[i] = event;
            }
            for (int i = 0; i < MANY; i++)
                omp_fulfill_event(events[i]);
        }
        CHECK(bodies == 2 * MANY);
    }
    return 0;
}
