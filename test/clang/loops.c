/* Loops of all widths, directions and schedules: each iteration once, the value of lastprivate, ordered regions, the
 * chunks' multiples with the simd modifier.
 *
 * symbols: __kmpc_for_static_init_4 __kmpc_for_static_init_4u __kmpc_for_static_init_8 __kmpc_for_static_init_8u
 * symbols: __kmpc_for_static_fini __kmpc_dispatch_init_4 __kmpc_dispatch_init_4u __kmpc_dispatch_init_8
 * symbols: __kmpc_dispatch_init_8u __kmpc_dispatch_next_4 __kmpc_dispatch_next_4u __kmpc_dispatch_next_8
 * symbols: __kmpc_dispatch_next_8u __kmpc_dispatch_fini_4 __kmpc_dispatch_fini_4u __kmpc_dispatch_fini_8
 * symbols: __kmpc_dispatch_fini_8u __kmpc_dispatch_deinit __kmpc_ordered __kmpc_end_ordered
 * env: OMP_SCHEDULE=guided,3
 * ghcomp-only: LLVM 19's libomp loses lastprivate in nonmonotonic dynamic loops
 * hosts: posix ghc
 * limit: 60
 */
#include <limits.h>
#include <omp.h>

#include "kmp.h"

enum { COUNT = 1003, THREADS = 4, TOP = INT_MAX - 1 };

static int hits[COUNT];

static void each_once(const char *schedule)
{
    for (int i = 0; i < COUNT; i++) {
        if (hits[i] != 1) {
            fprintf(stderr, "schedule(%s): iteration %d was executed %d times\n", schedule, i, hits[i]);
            exit(1);
        }
        hits[i] = 0;
    }
}

#define PRAGMA(text) _Pragma(#text)
#define LOOP(directive, schedule_of, type, from, condition, step, index)                            \
    {                                                                                               \
        type last = 0;                                                                              \
        PRAGMA(omp parallel num_threads(THREADS))                                                   \
        PRAGMA(omp directive schedule_of lastprivate(last))                                         \
        for (type i = from; condition; step) {                                                      \
            hits[index]++;                                                                          \
            last = i;                                                                               \
        }                                                                                           \
        each_once(#directive " " #schedule_of);                                                     \
        type expected = 0;                                                                          \
        for (type i = from; condition; step)                                                        \
            expected = i;                                                                           \
        CHECK(last == expected);                                                                    \
    }

#define TYPES(directive, schedule_of)                                                                               \
    LOOP(directive, schedule_of, int, 0, i < COUNT, i++, i)                                                         \
    LOOP(directive, schedule_of, int, TOP - 2 * COUNT, i < TOP, i += 2, (i - TOP) / 2 + COUNT)                      \
    LOOP(directive, schedule_of, int, INT_MIN + 3 * COUNT, i > INT_MIN, i -= 3, (i - (INT_MIN + 3)) / 3)            \
    LOOP(directive, schedule_of, unsigned, UINT_MAX - COUNT, i < UINT_MAX, i++, UINT_MAX - 1 - i)                   \
    LOOP(directive, schedule_of, unsigned, COUNT, i > 0, i--, i - 1)                                                \
    LOOP(directive, schedule_of, long, LONG_MIN + 7L * COUNT, i > LONG_MIN, i -= 7, (i - (LONG_MIN + 7)) / 7)       \
    LOOP(directive, schedule_of, unsigned long, ULONG_MAX - COUNT, i < ULONG_MAX, i++, ULONG_MAX - 1 - i)           \
    LOOP(directive, schedule_of, unsigned long, 5ul * COUNT, i > 0, i -= 5, i / 5 - 1)

static void schedules(void)
{
    TYPES(for, schedule(static))
    TYPES(for, schedule(static, 1))
    TYPES(for, schedule(static, 7))
    TYPES(for, schedule(static, 100000))
    TYPES(for, schedule(dynamic))
    TYPES(for, schedule(dynamic, 9))
    TYPES(for, schedule(monotonic : dynamic, 3))
    TYPES(for, schedule(guided))
    TYPES(for, schedule(monotonic : guided, 5))
    TYPES(for, schedule(nonmonotonic : guided))
    TYPES(for, schedule(runtime))
    TYPES(for, schedule(auto))
    TYPES(for simd, schedule(simd : static))
    TYPES(for simd, schedule(simd : static, 8))
    TYPES(for simd, schedule(simd : dynamic, 4))
    TYPES(for simd, schedule(simd : guided, 4))
    TYPES(for simd, schedule(simd : runtime))
    omp_set_schedule(omp_sched_dynamic, 2);
    TYPES(for, schedule(runtime))
    omp_set_schedule(omp_sched_static | omp_sched_monotonic, 4);
    TYPES(for, schedule(runtime))
}

static void ordered(void)
{
    int next = 0;
#pragma omp parallel for ordered schedule(dynamic, 3) num_threads(THREADS)
    for (int i = 0; i < COUNT; i++) {
#pragma omp ordered
        CHECK(next++ == i);
    }
    CHECK(next == COUNT);
    long down = COUNT;
#pragma omp parallel num_threads(THREADS)
    for (int turn = 0; turn < 3; turn++) {
#pragma omp for ordered schedule(static)
        for (long i = COUNT; i > 0; i--) {
            if (i % 2) {
#pragma omp ordered
                {
                    CHECK(down == i + (i == COUNT ? 0 : 2));
                    down = i;
                }
            }
        }
#pragma omp single
        down = COUNT;
    }
#pragma omp parallel for ordered schedule(guided) num_threads(1)
    for (unsigned i = 0; i < 10; i++) {
#pragma omp ordered
        next++;
    }
    CHECK(next == COUNT + 10);
}

void __kmpc_dispatch_init_8(place *, int32_t, int32_t, int64_t, int64_t, int64_t, int64_t);
int __kmpc_dispatch_next_8(place *, int32_t, int32_t *, int64_t *, int64_t *, int64_t *);
void __kmpc_dispatch_init_4u(place *, int32_t, int32_t, uint32_t, uint32_t, int32_t, int32_t);
int __kmpc_dispatch_next_4u(place *, int32_t, int32_t *, uint32_t *, uint32_t *, int32_t *);

/* The numbers of the schedules whose chunks are multiples of a width, but for the last. */
enum { STATIC_SIMD = 45, GUIDED_SIMD = 46, RUNTIME_SIMD = 47, WIDTH = 16 };

static void widths(void)
{
    for (int schedule = STATIC_SIMD; schedule <= RUNTIME_SIMD; schedule++) {
        long done = 0, lasts = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : done, lasts)
        {
            int32_t last = 0;
            int64_t lower, upper, step;
            __kmpc_dispatch_init_8(&here, thread_number(), schedule, 100, 100 + 3 * (COUNT - 1), 3, WIDTH);
            while (__kmpc_dispatch_next_8(&here, thread_number(), &last, &lower, &upper, &step)) {
                long count = (upper - lower) / 3 + 1;
                CHECK(step == 3 && (count % WIDTH == 0 || last));
                CHECK(!last || upper == 100 + 3 * (COUNT - 1));
                done += count;
                lasts += last;
            }
        }
        CHECK(done == COUNT && lasts == 1);
    }
}

/* A loop without iterations, and one of a single one at the type's end. */
static void small(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        int32_t last = 0, step;
        uint32_t lower = 0, upper = 0;
        __kmpc_dispatch_init_4u(&here, thread_number(), 35, 10, 9, 1, 1);
        CHECK(!__kmpc_dispatch_next_4u(&here, thread_number(), &last, &lower, &upper, &step));
        __kmpc_dispatch_init_4u(&here, thread_number(), 35, UINT32_MAX, UINT32_MAX, 1, 1);
        while (__kmpc_dispatch_next_4u(&here, thread_number(), &last, &lower, &upper, &step))
            CHECK(last && lower == UINT32_MAX && upper == UINT32_MAX);
        __kmpc_dispatch_init_4u(&here, thread_number(), 36, 3, 0, -1, 1);
        while (__kmpc_dispatch_next_4u(&here, thread_number(), &last, &lower, &upper, &step))
            CHECK(step == -1 && lower >= upper && lower <= 3);
    }
}

int main(void)
{
    schedules();
    ordered();
    widths();
    small();
    return 0;
}
