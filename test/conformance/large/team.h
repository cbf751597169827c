/* The programs team.c and passive.c: teams of 64 threads. */
#include <omp.h>

#include "../common.h"

enum { THREADS = 64, MOST = 96, PHASES = 40 };

static struct {
    int phase;
    char apart[60];
} at[MOST];

static long wrong;

static void barriers(int threads)
{
    long early = 0;
#pragma omp parallel num_threads(threads) reduction(+ : early)
    {
        int me = omp_get_thread_num();
        early += omp_get_num_threads() != threads;
        for (int phase = 1; phase <= PHASES; phase++) {
            at[me].phase = phase;
#pragma omp barrier
            early += at[(me + phase) % threads].phase != phase;
#pragma omp barrier
        }
    }
    wrong += early;
}

static void worksharing(void)
{
    long sum = 0, singles = 0, in_order = 0, next = 0;
#pragma omp parallel reduction(+ : sum)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 1000; i++)
            sum += i;
#pragma omp single
        singles++;
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 200; i++) {
#pragma omp ordered
            in_order += next++ == i;
        }
    }
    CHECK(sum == 999 * 1000 / 2 && singles == 1 && in_order == 200);
}

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

/* Tasks that a barrier ends, and tasks that only the region's end does. */
static void tasks(void)
{
    long done = 0, late = 0, result = 0;
#pragma omp parallel
    {
#pragma omp single
        result = fib(15);
#pragma omp task
        {
#pragma omp atomic
            done++;
        }
#pragma omp barrier
#pragma omp atomic
        late += done != THREADS;
        if (omp_get_thread_num() % 7 == 0) {
#pragma omp task
            {
#pragma omp atomic
                result++;
            }
        }
    }
    CHECK(result == 610 + (THREADS + 6) / 7);
    CHECK(done == THREADS && late == 0);
}

static void nested(void)
{
    long visits = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3) reduction(+ : visits)
    {
#pragma omp parallel num_threads(40) reduction(+ : visits)
        {
            visits += omp_get_num_threads() == 40;
#pragma omp barrier
            visits += omp_get_level() == 2;
        }
    }
    CHECK(visits == 3 * 40 * 2);
}

int main(void)
{
    for (int round = 0; round < 3; round++) {
        static const int sizes[] = {THREADS, 33, 32, 31, 2, MOST, THREADS};
        for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            barriers(sizes[i]);
        worksharing();
        tasks();
    }
    nested();
    CHECK(wrong == 0);
    return 0;
}
