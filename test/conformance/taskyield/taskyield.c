/* taskyield, with and without other tasks that are ready, in tied and untied tasks and in implicit ones. It need not
   run another task; what it runs returns to the one that yielded, on the same thread.
   symbols: GOMP_taskyield GOMP_task */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

static omp_lock_t lock;

int main(void)
{
    omp_set_dynamic(0);
#pragma omp taskyield
    omp_init_lock(&lock);
    for (int threads = 1; threads <= 8; threads *= 2) {
        int done = 0, entries = 0;
#pragma omp parallel num_threads(threads)
        {
            for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
                {
                    int me = omp_get_thread_num();
                    double before = 1.0 / (i + 1);
#pragma omp taskyield
                    CHECK(omp_get_thread_num() == me && before == 1.0 / (i + 1));
                    count_up(&done);
                }
#pragma omp task untied shared(done)
                {
                    for (int j = 0; j < 3; j++) {
#pragma omp task shared(done)
                        count_up(&done);
#pragma omp taskyield
                    }
                    count_up(&done);
                }
                if (i % 10 == 0) {
#pragma omp taskyield
                }
            }
            /* As the specification's example: a thread that does not get the lock lets others go on. The holder does
               not yield: a task that its thread ran meanwhile could wait for the lock for ever. */
#pragma omp for
            for (int i = 0; i < 40; i++) {
#pragma omp task shared(entries) untied
                {
                    while (!omp_test_lock(&lock)) {
#pragma omp taskyield
                        sched_yield();
                    }
                    entries++;
                    omp_unset_lock(&lock);
                }
            }
        }
        CHECK(done == threads * 250 && entries == 40);
    }
    omp_destroy_lock(&lock);
    return 0;
}
