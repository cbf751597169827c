/* A task that omp_fulfill_event makes ready in the middle of another task is no descendant of that one: its taskwait
 * does not start it (OpenMP 5.2, section 12.9).
 *
 * hosts: posix ghc
 * symbols: GOMP_task GOMP_taskwait omp_fulfill_event
 */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 0; round < 20; round++) {
        int ran_first = 0, blocked = 0, released = 0, in_wait = 0, ran = 0, x = 0;
        (void)x;
#pragma omp parallel num_threads(2)
#pragma omp single nowait
        {
            omp_event_handle_t event;
#pragma omp task depend(out : x) detach(event) shared(ran_first)
            open_gate(&ran_first);
            wait_for(&ran_first); /* by the other thread, which then runs the next task until the end */
#pragma omp task shared(blocked, released)
            {
                open_gate(&blocked);
                wait_for(&released);
            }
            wait_for(&blocked);
#pragma omp task depend(in : x) shared(in_wait)
            CHECK(!in_wait);
#pragma omp taskgroup
#pragma omp task firstprivate(event) shared(in_wait, ran)
            {
#pragma omp task shared(ran)
                count_up(&ran);
#pragma omp task firstprivate(event)
                omp_fulfill_event(event);
                in_wait = 1;
#pragma omp taskwait
                in_wait = 0;
                CHECK(look(&ran) == 1);
            }
            open_gate(&released);
        }
    }
    return 0;
}
