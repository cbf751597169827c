/* Every construct that a team meets in, in teams of each size from 1 up to one more than there are CPUs, and back: each
 * thread takes part once, no thread passes a barrier early, each iteration and task is executed once.
 *
 * limit: 60
 */
#define _GNU_SOURCE
#include "machine.h"

enum { PHASES = 5 };

static int size;

static void barriers(void)
{
    int arrived[PHASES] = {0};
#pragma omp parallel num_threads(size)
    for (int phase = 0; phase < PHASES; phase++) {
#pragma omp atomic
        arrived[phase]++;
#pragma omp barrier
        int now;
#pragma omp atomic read
        now = arrived[phase];
        CHECK(now == size, "%d of %d had arrived at barrier %d", now, size, phase);
    }
}

static void loops(void)
{
    int n = 3 * size + 1, done[6] = {0};
    long sum = 0;
    omp_set_schedule(omp_sched_guided, 1);
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
#pragma omp for schedule(static) reduction(+ : done[0])
        for (int i = 0; i < n; i++)
            done[0]++, sum += i;
#pragma omp for schedule(dynamic) reduction(+ : done[1])
        for (int i = 0; i < n; i++)
            done[1]++;
#pragma omp for schedule(guided) reduction(+ : done[2]) nowait
        for (int i = 0; i < n; i++)
            done[2]++;
#pragma omp for schedule(runtime) reduction(+ : done[3])
        for (int i = 0; i < n; i++)
            done[3]++;
#pragma omp for ordered schedule(dynamic)
        for (int i = 0; i < n; i++) {
#pragma omp ordered
            CHECK(done[4]++ == i, "iteration %d of an ordered loop", i);
        }
#pragma omp sections reduction(+ : done[5])
        {
#pragma omp section
            done[5]++;
#pragma omp section
            done[5]++;
#pragma omp section
            done[5]++;
        }
    }
    for (int i = 0; i < 5; i++)
        CHECK(done[i] == n, "loop %d of %d threads had %d of %d iterations", i, size, done[i], n);
    CHECK(done[5] == 3, "%d sections", done[5]);
    CHECK(sum == (long)n * (n - 1) / 2, "the sum of %d threads is %ld", size, sum);
}

static void once(void)
{
    int singles = 0, masked = 0, inside = 0, shared = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(size)
    {
        int copied = 0;
#pragma omp single copyprivate(copied)
        copied = 40 + ++singles;
        CHECK(copied == 41, "%d was copied", copied);
#pragma omp master
        masked++;
#pragma omp critical
        inside++;
        omp_set_lock(&lock);
        shared++;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    CHECK(singles == 1 && masked == 1, "%d and %d", singles, masked);
    CHECK(inside == size && shared == size, "%d and %d of %d", inside, shared, size);
}

static long fib(int n)
{
    if (n < 2)
        return n;
    long a, b;
#pragma omp task shared(a)
    a = fib(n - 1);
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void tasks(void)
{
    int by_all = 0, chain = 0, loop = 0;
    long value = 0;
#pragma omp parallel num_threads(size)
    {
        for (int i = 0; i < 3; i++) {
#pragma omp task
            {
#pragma omp atomic
                by_all++;
            }
        }
#pragma omp barrier
        CHECK(by_all == 3 * size, "%d tasks of %d threads", by_all, size);
#pragma omp single
        {
            value = fib(8);
            for (int i = 0; i < 2 * size; i++) {
#pragma omp task depend(inout : chain)
                CHECK(chain++ == i, "task %d of a chain", i);
            }
#pragma omp taskloop grainsize(2) reduction(+ : loop)
            for (int i = 0; i < 2 * size; i++)
                loop++;
        }
    }
    CHECK(value == 21 && chain == 2 * size && loop == 2 * size, "%ld, %d, %d", value, chain, loop);
}

static void nested(void)
{
    int inner = 0;
    if (size > 8)
        return;
#pragma omp parallel num_threads(size)
#pragma omp parallel num_threads(3)
    {
#pragma omp atomic
        inner++;
#pragma omp barrier
        CHECK(omp_get_num_threads() == 3, "an inner team of %d", omp_get_num_threads());
    }
    CHECK(inner == 3 * size, "%d members of %d inner teams", inner, size);
}

static void all(int threads)
{
    size = threads;
    barriers();
    loops();
    once();
    tasks();
    nested();
}

int main(void)
{
    cpu_set_t cpus;
    expected_cpus(&cpus);
    int most = CPU_COUNT(&cpus) + 1, step = most > 20 ? 21 : most > 10 ? 3 : 1;
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    for (int threads = 1; threads <= most; threads += step)
        all(threads);
    for (int threads = most; threads >= 1; threads -= step)
        all(threads);
    return 0;
}
