/* Loops of tasks in clang's code: each iteration once, with every clause; variables of a task that its code changes are
   its own, in few tasks and in many; lastprivate; collapse; bounds of all types.
   cflags: -fopenmp-version=51
   symbols: __kmpc_taskloop
   limit: 60 */
#include <limits.h>
#include <omp.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

enum { N = 1000 };
static int met[N];

static void once(int n)
{
    for (int i = 0; i < N; i++) {
        CHECK(met[i] == (i < n));
        met[i] = 0;
    }
}

/* Fails where a task sees what another one did to its variables. */
static void own_variables(int tasks)
{
    int mine = 5, first = -1;
#pragma omp taskloop firstprivate(mine, first) num_tasks(tasks)
    for (int i = 0; i < N; i++) {
        if (first < 0) {
            CHECK(mine == 5);
            first = i;
        }
        CHECK(i - first == mine - 5);
        mine++;
        count_up(&met[i]);
    }
    once(N);
    CHECK(mine == 5);
}

/* Without a clause there are ten tasks for each thread, as on libomp, or one for each iteration. */
static void ten_each(int n)
{
    int tasks = 0, most = 10 * omp_get_num_threads();
    bool fresh = true;
#pragma omp taskloop firstprivate(fresh) shared(tasks)
    for (int i = 0; i < n; i++) {
        if (fresh)
            count_up(&tasks);
        fresh = false;
    }
    CHECK(tasks == (n < most ? n : most));
}

static void shapes(int n)
{
    ten_each(n);
    int count = 0;
#pragma omp taskloop
    for (int i = 0; i < n; i++)
        count_up(&met[i]);
    once(n);
#pragma omp taskloop grainsize(7)
    for (int i = 0; i < n; i++)
        count_up(&met[i]);
    once(n);
#pragma omp taskloop grainsize(7) firstprivate(count)
    for (int i = n - 1; i >= 0; i--) {
        count++;
        CHECK(count < 14);
        count_up(&met[i]);
    }
    once(n);
#pragma omp taskloop num_tasks(5) untied
    for (int i = 0; i < n; i++)
        count_up(&met[i]);
    once(n);
#pragma omp taskloop if (0) num_tasks(4) shared(count)
    for (int i = 0; i < n; i++) {
        count++; /* no other thread */
        count_up(&met[i]);
    }
    CHECK(count == n);
    once(n);
#pragma omp taskloop final(1) priority(3)
    for (int i = 0; i < n; i++) {
        CHECK(omp_in_final() || omp_get_num_threads() == 1); /* libomp: not there */
        count_up(&met[i]);
    }
    once(n);
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup num_tasks(9)
        for (int i = 0; i < n; i++)
            count_up(&met[i]);
    }
    once(n);
#pragma omp taskloop simd collapse(2) nogroup
    for (int i = 0; i < n / 10; i++)
        for (int k = 0; k < 10; k++)
            met[10 * i + k]++;
#pragma omp taskwait
    once(n / 10 * 10);
}

static void last(int n)
{
    int value = -1, i;
#pragma omp taskloop lastprivate(value, i) num_tasks(6)
    for (i = 0; i < n; i++)
        value = 3 * i;
    CHECK(value == 3 * (n - 1) && i == n);
    long end = 0;
#pragma omp taskloop lastprivate(end) grainsize(3)
    for (long k = LONG_MAX - 10; k > LONG_MAX - 10 - 4L * n; k -= 4)
        end = k;
    CHECK(end == LONG_MAX - 10 - 4L * (n - 1));
}

static void types(void)
{
    unsigned long sum = 0;
#pragma omp taskloop num_tasks(3) reduction(+ : sum)
    for (unsigned long i = ULONG_MAX - 99; i < ULONG_MAX; i += 9)
        sum += ULONG_MAX - i;
    CHECK(sum == 99 + 90 + 81 + 72 + 63 + 54 + 45 + 36 + 27 + 18 + 9);
    int count = 0;
#pragma omp taskloop shared(count)
    for (unsigned char c = 0; c < 255; c++)
        count_up(&count);
    CHECK(count == 255);
}

/* Tasks of the loop make tasks, which the loop's end waits for. */
static void children(void)
{
    int count = 0;
#pragma omp taskloop shared(count) num_tasks(40)
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(count)
        {
#pragma omp task shared(count)
            count_up(&count);
            count_up(&count);
        }
    }
    CHECK(count == 200);
}

static void all(void)
{
    /* Not 0: clang then asks for 2^32 iterations, whose tasks do nothing. */
    int sizes[] = {1, 5, 64, N};
    for (int k = 0; k < 4; k++) {
        shapes(sizes[k]);
        last(sizes[k]);
    }
    own_variables(1);
    own_variables(3);
    own_variables(200);
    own_variables(N);
    types();
    children();
}

int main(void)
{
    all();
    for (int threads = 1; threads <= 5; threads += 2) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        all();
    }
    return 0;
}
