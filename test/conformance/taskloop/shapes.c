/* Every iteration of a taskloop is executed exactly once, for many bounds, steps, types and clauses; the construct's
   end waits for all of them.
   limit: 60
   symbols: GOMP_taskloop GOMP_taskloop_ull */
#include <limits.h>
#include <omp.h>

#include "../common.h"

enum { MOST = 700 };

static unsigned char seen[MOST];

static void visit(long index)
{
    CHECK(index >= 0 && index < MOST);
    __atomic_fetch_add(&seen[index], 1, __ATOMIC_RELAXED);
}

static void whole(long count)
{
    for (long i = 0; i < MOST; i++)
        CHECK(seen[i] == (i < count));
    memset(seen, 0, sizeof seen);
}

/* The loops of one shape under each clause. */
#define UNDER(clauses, loop, body, count) \
    _Pragma(clauses) loop body;           \
    whole(count)
#define ALL(loop, body, count)                                             \
    do {                                                                   \
        UNDER("omp taskloop", loop, body, count);                          \
        UNDER("omp taskloop grainsize(1)", loop, body, count);             \
        UNDER("omp taskloop grainsize(13)", loop, body, count);            \
        UNDER("omp taskloop grainsize(strict:7)", loop, body, count);      \
        UNDER("omp taskloop grainsize(100000)", loop, body, count);        \
        UNDER("omp taskloop num_tasks(1)", loop, body, count);             \
        UNDER("omp taskloop num_tasks(6)", loop, body, count);             \
        UNDER("omp taskloop num_tasks(strict:9)", loop, body, count);      \
        UNDER("omp taskloop num_tasks(100000)", loop, body, count);        \
        UNDER("omp taskloop if(0) num_tasks(4)", loop, body, count);       \
        UNDER("omp taskloop final(1) grainsize(3)", loop, body, count);    \
        UNDER("omp taskloop untied priority(2) mergeable", loop, body, count); \
    } while (0)

static void signed_loops(long n)
{
    ALL(for (int i = 0; i < (int)n; i++), visit(i), n);
    ALL(for (int i = 10; i <= (int)n + 9; i++), visit(i - 10), n);
    ALL(for (long i = n - 1; i >= 0; i--), visit(i), n);
    ALL(for (long i = -5; i < 3 * n - 5; i += 3), visit((i + 5) / 3), n);
    ALL(for (long i = -5; i > -5 - 7 * n; i -= 7), visit(-(i + 5) / 7), n);
    ALL(for (long i = LONG_MIN + 2; i < LONG_MIN + 2 + n; i++), visit(i - LONG_MIN - 2), n);
    ALL(for (long i = LONG_MAX - 1; i > LONG_MAX - 1 - n; i--), visit(LONG_MAX - 1 - i), n);
    ALL(for (const unsigned char *p = seen; p < seen + n; p++), visit(p - seen), n);
}

static void unsigned_loops(unsigned long long n)
{
    unsigned long long top = ULLONG_MAX - 4;
    ALL(for (unsigned long long i = 0; i < n; i++), visit((long)i), (long)n);
    ALL(for (unsigned long long i = top; i > top - n; i--), visit((long)(top - i)), (long)n);
    ALL(for (unsigned long long i = top - 4 * n; i < top; i += 4), visit((long)((i - (top - 4 * n)) / 4)), (long)n);
    ALL(for (unsigned i = 5; i < 5 + 2 * (unsigned)n; i += 2), visit((i - 5) / 2), (long)n);
    ALL(for (unsigned long long i = 3 * n; i > 0; i -= 3), visit((long)(i / 3 - 1)), (long)n);
}

static void collapsed(int n)
{
#pragma omp taskloop collapse(2) grainsize(5)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 7; j++)
            visit(i * 7 + j);
    whole(7 * n);
#pragma omp taskloop collapse(3) num_tasks(10)
    for (long i = n; i > 0; i--)
        for (unsigned long long j = 0; j < 3; j++)
            for (int k = 10; k < 20; k += 5)
                visit((n - i) * 6 + (long)j * 2 + (k - 10) / 5);
    whole(6 * n);
    /* A triangle: the inner bounds depend on the outer variable. */
#pragma omp taskloop collapse(2)
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < i; j++)
            visit(i * (i - 1) / 2 + j);
    whole(45);
}

static void everything(void)
{
    static const int sizes[] = {0, 1, 2, 7, 64, 101};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        signed_loops(sizes[i]);
        unsigned_loops((unsigned)sizes[i]);
        collapsed(sizes[i] % 90);
    }
}

int main(void)
{
    omp_set_dynamic(0);
    everything();
    for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
            everything();
#pragma omp single
            {
#pragma omp task if (threads != 2)
                everything();
            }
        }
    }
    return 0;
}
