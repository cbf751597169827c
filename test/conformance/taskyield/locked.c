/* A task yields while it holds a lock, or is in a critical section, that waiting tasks want, too: on libgomp no task
   runs in a taskyield, so the thread does not wait for itself.
   hosts: posix ghc
   symbols: GOMP_taskyield GOMP_task */
#include <omp.h>

#include "../common.h"

enum { TASKS = 40 };

static omp_lock_t lock;
static int entries;

static void locked(void)
{
    omp_set_lock(&lock);
    entries++;
#pragma omp taskyield
    omp_unset_lock(&lock);
}

static void critical(void)
{
#pragma omp critical
    {
        entries++;
#pragma omp taskyield
    }
}

int main(void)
{
    omp_set_dynamic(0);
    omp_init_lock(&lock);
    for (int threads = 2; threads <= 4; threads++) {
        entries = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
        for (int i = 0; i < TASKS; i++) {
#pragma omp task
            locked();
            locked();
        }
#pragma omp parallel num_threads(threads)
#pragma omp single
        for (int i = 0; i < TASKS; i++) {
#pragma omp task
            critical();
            critical();
        }
        CHECK(entries == 4 * TASKS);
    }
    return 0;
}
