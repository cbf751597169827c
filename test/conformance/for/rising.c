/* Each thread's iterations rise, whatever the schedule: programs keep the first index that a thread meets, or append to
   lists that they take for sorted (Debian's sumaclust does the first). Loops by every entry point, with iterations of
   even, growing, falling and random length, in teams of up to 9: no index falls; the least index of a kind is the least
   of those that the threads met first; lists of the threads, merged by their heads, are sorted.
   env: OMP_SCHEDULE=dynamic
   limit: 60
   symbols: GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_nonmonotonic_guided_start
   symbols: GOMP_loop_maybe_nonmonotonic_runtime_start GOMP_loop_ull_nonmonotonic_dynamic_start */
#include <omp.h>

#include "../common.h"

enum { COUNT = 1200, MOST_THREADS = 9 };

static int list[MOST_THREADS][COUNT], listed[MOST_THREADS];
static int shape;

static void busy(long i)
{
    static const int turns[] = {3, 0, 0, 0};
    long n = turns[shape];
    if (shape == 1)
        n = i / 32;
    else if (shape == 2)
        n = (COUNT - i) / 32;
    else if (shape == 3)
        n = i * 7919 % 97 == 0 ? 300 : i * 37 % 19;
    for (volatile long turn = 0; turn < n; turn++)
        ;
}

static int wanted(long i)
{
    return i * 7919 % 101 == 7;
}

/* What a thread has met in one loop. */
struct met {
    long last, first;
    int falls;
};

static void meet(struct met *met, long i)
{
    met->falls += i <= met->last;
    met->last = i;
    if (met->first == COUNT && wanted(i))
        met->first = i;
    int me = omp_get_thread_num();
    list[me][listed[me]++] = (int)i;
    busy(i);
}

static void check(const char *loop, int falls, long first)
{
    if (falls != 0) {
        fprintf(stderr, "%s: an index of a thread fell %d times\n", loop, falls);
        exit(1);
    }
    long least = 0;
    while (!wanted(least))
        least++;
    CHECK(first == least);
    int at[MOST_THREADS] = {0}, all = 0;
    for (int last = -1;; all++) {
        int best = -1;
        for (int t = 0; t < MOST_THREADS; t++)
            if (at[t] < listed[t] && (best < 0 || list[t][at[t]] < list[best][at[best]]))
                best = t;
        if (best < 0)
            break;
        CHECK(list[best][at[best]] > last);
        last = list[best][at[best]++];
    }
    CHECK(all == COUNT);
}

/* The loop's header gives `index`, from 0 up; the region around it begins before it, or with it. */
#define LOOP(pragma, header, index)                                           \
    do {                                                                      \
        int falls = 0;                                                        \
        long first = COUNT;                                                   \
        memset(listed, 0, sizeof listed);                                     \
        _Pragma("omp parallel num_threads(threads) reduction(+ : falls) reduction(min : first)") \
        {                                                                     \
            struct met met = {-1, COUNT, 0};                                  \
            _Pragma(#pragma)                                                  \
            header                                                            \
                meet(&met, (long)(index));                                    \
            falls += met.falls;                                               \
            first = met.first;                                                \
        }                                                                     \
        check(#pragma, falls, first);                                         \
    } while (0)

#define LONG(clauses) LOOP(omp for clauses, for (long i = 0; i < COUNT; i++), i)
#define UNSIGNED(clauses) LOOP(omp for clauses, for (unsigned long long i = 7; i < 7 + COUNT; i++), i - 7)
#define DOWN(clauses) LOOP(omp for clauses, for (long i = 3 * COUNT; i > 0; i -= 3), COUNT - i / 3)
#define NEST(clauses) \
    LOOP(omp for collapse(2) clauses, for (int i = 0; i < COUNT / 50; i++) for (int j = 0; j < 50; j++), 50 * i + j)

#define ALL(clauses)       \
    do {                   \
        LONG(clauses);     \
        UNSIGNED(clauses); \
        DOWN(clauses);     \
        NEST(clauses);     \
    } while (0)

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 2; threads <= MOST_THREADS; threads += threads == 2 ? 1 : 3) {
        for (shape = 0; shape < 4; shape++) {
            ALL(schedule(dynamic));
            ALL(schedule(dynamic, 10));
            ALL(schedule(monotonic : dynamic));
            ALL(schedule(nonmonotonic : dynamic, 3));
            ALL(schedule(guided));
            ALL(schedule(nonmonotonic : guided, 5));
            ALL(schedule(runtime));
            ALL(schedule(nonmonotonic : runtime));
            ALL(schedule(auto));
            ALL(schedule(static, 2));
        }
    }
    static const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto};
    int threads = 4;
    shape = 3;
    for (int k = 0; k < 4; k++) {
        omp_set_schedule(kinds[k], k);
        ALL(schedule(runtime));
    }
    return 0;
}
