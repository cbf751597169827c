/* Barriers and the region's end wait for the events of detachable tasks, which a thread outside the team fulfils.
   ghcomp-only: libgomp 12 hangs at a barrier whose last task is one with an event
   ldflags: -pthread
   symbols: omp_fulfill_event GOMP_task GOMP_barrier GOMP_parallel */
#include "outsider.h"

static void at_barriers(int threads)
{
    pthread_t helper[2];
    int body = 0;
    slept = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp single nowait
        {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(body)
            count_up(&body);
            helper[0] = hand_to_outsider(event);
        }
#pragma omp barrier
        CHECK(look(&slept) == 1 && look(&body) == 1);
#pragma omp barrier
#pragma omp master
        {
            omp_event_handle_t event;
#pragma omp task detach(event) shared(body)
            count_up(&body);
            helper[1] = hand_to_outsider(event);
        }
    }
    CHECK(slept == 2 && body == 2);
    pthread_join(helper[0], NULL);
    pthread_join(helper[1], NULL);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads++)
        for (int pass = 0; pass < 5; pass++)
            at_barriers(threads);
    return 0;
}
