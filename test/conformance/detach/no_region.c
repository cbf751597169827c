/* Detachable tasks outside any region.
   ghcomp-only: libgomp 12 waits for the event before it leaves the task construct
   limit: 60
   ldflags: -pthread
   symbols: omp_fulfill_event GOMP_task */
#include "outsider.h"

int main(void)
{
    for (int pass = 0; pass < 20; pass++) {
        omp_event_handle_t event;
        pthread_t thread;
        int body = 0, inner = 0;
#pragma omp task detach(event) shared(body)
        {
            body = 1;
            omp_fulfill_event(event);
        }
#pragma omp taskwait
        CHECK(body == 1);
        slept = 0;
#pragma omp task detach(event) shared(body, inner)
        {
            body = 2;
#pragma omp task shared(inner)
            inner = 1;
#pragma omp taskwait
        }
        thread = hand_to_outsider(event);
#pragma omp taskwait
        CHECK(body == 2 && look(&slept) == 1);
        pthread_join(thread, NULL);
#pragma omp taskgroup
        {
#pragma omp task detach(event) shared(body)
            body = 3;
            omp_fulfill_event(event);
        }
        CHECK(body == 3 && look(&inner) == 1);
        /* A region in between. */
        int sum = 0;
#pragma omp task detach(event) shared(body)
        body = 4;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
            sum += 1;
        }
        omp_fulfill_event(event);
#pragma omp taskwait
        CHECK(body == 4 && sum == 2 && inner == 1);
    }
    return 0;
}
