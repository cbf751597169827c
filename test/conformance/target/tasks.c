/* Tasks of a target region belong to it: they see its team, and it does not end before they are complete.
   symbols: GOMP_target_ext */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../common.h"

static atomic_uintptr_t handle;
static atomic_int fulfilled;

static void publish(omp_event_handle_t event)
{
    handle = (uintptr_t)event;
}

static void add_one(int *to)
{
#pragma omp target map(tofrom : to[0 : 1])
    {
#pragma omp atomic
        to[0]++;
    }
}

int main(void)
{
    int done = 0;
#pragma omp target map(tofrom : done)
    for (int i = 0; i < 20; i++) {
#pragma omp task shared(done)
        {
            CHECK(omp_get_level() == 0 && omp_get_num_threads() == 1);
#pragma omp atomic
            done++;
        }
    }
    CHECK(done == 20);

    done = 0;
#pragma omp parallel num_threads(3)
    {
#pragma omp target map(tofrom : done)
        {
#pragma omp parallel num_threads(3)
            {
                for (int i = 0; i < 10; i++) {
#pragma omp task shared(done)
                    {
                        CHECK(omp_get_level() == 1 && omp_get_num_threads() == 3);
#pragma omp atomic
                        done++;
                    }
                }
#pragma omp task shared(done)
                add_one(&done);
            }
        }
    }
    CHECK(done == 3 * (3 * 10 + 3));

    /* A detached task of a target region whose event is fulfilled by a thread outside of it. */
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            for (int i = 0; i < 20; i++) {
                fulfilled = 0;
#pragma omp target
                {
                    omp_event_handle_t event;
#pragma omp task detach(event)
                    publish(event);
                }
                CHECK(fulfilled == 1);
            }
        } else {
            for (int i = 0; i < 20; i++) {
                while (handle == 0)
                    sched_yield();
                omp_event_handle_t event = (omp_event_handle_t)handle;
                handle = 0;
                fulfilled = 1;
                omp_fulfill_event(event);
            }
        }
    }
    return 0;
}
