/* Detachable tasks complete when the body has ended and the event is fulfilled, in either order and by any thread;
   taskwait, taskgroup and dependences wait for both.
   limit: 60
   ldflags: -pthread
   symbols: omp_fulfill_event GOMP_task */
#include "outsider.h"

static void from_the_body(void)
{
    int done = 0;
    for (int i = 0; i < 20; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) shared(done)
        {
            count_up(&done);
            omp_fulfill_event(event);
            count_up(&done);
        }
    }
#pragma omp taskwait
    CHECK(look(&done) == 40);
}

/* The body of another task fulfils it, earlier or later than its own body runs. */
static void from_a_sibling(void)
{
    int order = 0;
    for (int i = 0; i < 10; i++) {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : order) shared(order)
        count_up(&order);
#pragma omp task firstprivate(event) shared(order)
        {
            count_up(&order);
            omp_fulfill_event(event);
        }
        /* After both, since the event is fulfilled by the second. */
#pragma omp task depend(inout : order) shared(order)
        CHECK(count_up(&order) >= 3);
    }
#pragma omp taskwait
    CHECK(order == 30);
}

static void from_the_creator(int before_the_body)
{
    omp_event_handle_t event;
    int body = 0, after = 0;
#pragma omp task detach(event) depend(out : body) shared(body)
    body = 1;
#pragma omp task depend(in : body) shared(body, after)
    {
        CHECK(body == 1);
        after = 1;
    }
    if (!before_the_body)
        usleep(100);
    CHECK(look(&after) == 0);
    omp_fulfill_event(event);
#pragma omp taskwait
    CHECK(body == 1 && after == 1);
}

static void waited_for(int way)
{
    omp_event_handle_t event;
    pthread_t thread;
    int body = 0, dependent = 0;
    slept = 0;
    switch (way) {
    case 0:
#pragma omp task detach(event) shared(body)
        body = 1;
        thread = hand_to_outsider(event);
#pragma omp taskwait
        break;
    case 1:
#pragma omp taskgroup
    {
#pragma omp task detach(event) shared(body)
        body = 1;
        thread = hand_to_outsider(event);
    }
        break;
    default:
#pragma omp task detach(event) shared(body) depend(out : body)
        body = 1;
        thread = hand_to_outsider(event);
#pragma omp task depend(inout : body) shared(body, dependent)
        {
            CHECK(look(&slept) == 1 && body == 1);
            dependent = 1;
        }
#pragma omp taskwait
        CHECK(dependent == 1);
    }
    CHECK(look(&slept) == 1 && body == 1);
    pthread_join(thread, NULL);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 5; pass++) {
#pragma omp parallel num_threads(threads)
            {
                from_the_body();
                from_a_sibling();
                from_the_creator(0);
                from_the_creator(1);
#pragma omp barrier
#pragma omp single
                for (int way = 0; way < 3; way++)
                    waited_for(way);
#pragma omp single
                {
#pragma omp task
                    {
                        from_a_sibling();
                        for (int way = 0; way < 3; way++)
                            waited_for(way);
                    }
                }
            }
        }
    }
    return 0;
}
