/* A detachable task that a final one makes runs at once, and its maker does not wait for the event: it may be the one
   that fulfils it.
   symbols: __kmpc_task_allow_completion_event omp_fulfill_event */
#include <omp.h>

#include "../conformance/common.h"

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 4; threads++) {
        int ran = 0, waited = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
        for (int i = 0; i < 10; i++) {
#pragma omp task final(1) shared(ran, waited)
            {
                omp_event_handle_t event;
#pragma omp task detach(event) shared(ran)
                {
#pragma omp atomic
                    ran++;
                }
                omp_fulfill_event(event);
#pragma omp taskwait
#pragma omp atomic
                waited++;
            }
        }
        CHECK(ran == 10 && waited == 10);
    }
    return 0;
}
