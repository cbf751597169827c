/* An undeferred task and a taskwait that depend on a detachable task wait for its event, too.
   ghcomp-only: libgomp 12 lets them go when the body has ended
   ldflags: -pthread
   symbols: omp_fulfill_event GOMP_task GOMP_taskwait_depend */
#include "outsider.h"

static void waited_for(void)
{
    omp_event_handle_t first, second;
    pthread_t thread;
    int body = 0, dependent = 0;
    slept = 0;
#pragma omp task detach(first) shared(body) depend(out : body)
    body = 1;
    thread = hand_to_outsider(first);
#pragma omp taskwait depend(in : body)
    CHECK(look(&slept) == 1 && body == 1);
    pthread_join(thread, NULL);

    slept = 0;
#pragma omp task detach(second) shared(body) depend(out : body)
    body = 2;
    thread = hand_to_outsider(second);
#pragma omp task if (0) depend(in : body) shared(body, dependent)
    {
        CHECK(look(&slept) == 1 && body == 2);
        dependent = 1;
    }
    CHECK(dependent == 1);
    pthread_join(thread, NULL);
}

int main(void)
{
    omp_set_dynamic(0);
    waited_for();
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 5; pass++) {
#pragma omp parallel num_threads(threads)
#pragma omp single
            {
                waited_for();
#pragma omp task
                waited_for();
            }
        }
    }
    return 0;
}
