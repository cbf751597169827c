/* critical, unnamed and named: one thread at a time in each; each name is a lock of its own; different names nest.
 *
 * symbols: GOMP_critical_start GOMP_critical_end GOMP_critical_name_start GOMP_critical_name_end
 * limit: 60
 */
#include <omp.h>
#include <stdio.h>

enum { TURNS = 2000, THREADS = 4 };

static long unnamed, first, second;
static int inside;

int main(void)
{
    int errors = 0, arrived = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : errors)
    for (int i = 0; i < TURNS; i++) {
#pragma omp critical
        {
            errors += inside++ != 0;
            unnamed++;
            inside--;
        }
#pragma omp critical(first)
        {
            first++;
#pragma omp critical(second)
            second++;
        }
    }
    /* Different names do not exclude each other: both threads are inside at once, or this hangs. */
#pragma omp parallel num_threads(2)
    {
        int now = 0;
        if (omp_get_thread_num() == 0) {
#pragma omp critical(first)
            {
#pragma omp atomic
                arrived++;
                while (now < 2)
#pragma omp atomic read
                    now = arrived;
            }
        } else {
#pragma omp critical(second)
            {
#pragma omp atomic
                arrived++;
                while (now < 2)
#pragma omp atomic read
                    now = arrived;
            }
        }
    }
    if (errors || unnamed != THREADS * TURNS || first != THREADS * TURNS || second != THREADS * TURNS) {
        printf("errors %d, counts %ld %ld %ld\n", errors, unnamed, first, second);
        return 1;
    }
    return 0;
}
