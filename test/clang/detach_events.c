/* Detachable tasks in clang's code: fulfilled by their own code, by siblings, and by a thread that the runtime has
   never seen; waited for by taskwait, taskgroup, dependences and the region's end.
   symbols: __kmpc_task_allow_completion_event
   limit: 60
   ldflags: -pthread */
#include "../conformance/detach/outsider.h"

static void own(void)
{
    int done = 0;
    for (int i = 0; i < 50; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(done) firstprivate(i) if (i % 2)
        {
            omp_fulfill_event(event);
            count_up(&done);
        }
    }
#pragma omp taskwait
    CHECK(done == 50);
}

static void siblings(void)
{
    int order = 0;
    for (int i = 0; i < 20; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : order) shared(order)
        order++;
#pragma omp task firstprivate(event)
        omp_fulfill_event(event);
#pragma omp task depend(in : order) shared(order) firstprivate(i)
        CHECK(order == i + 1);
    }
#pragma omp taskwait
}

static void outside(void)
{
    pthread_t thread;
    slept = 0;
#pragma omp taskgroup
    {
        omp_event_handle_t event;
#pragma omp task detach(event)
        {
        }
        thread = hand_to_outsider(event);
    }
    CHECK(slept == 1);
    pthread_join(thread, NULL);
}

int main(void)
{
    own();
    outside();
    for (int threads = 1; threads <= 4; threads += 3) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            own();
            if (threads > 1)
                siblings();
            outside();
        }
    }
    return 0;
}
