/* The body of entries.c and, with EXTREME, of entries_extreme.c. */
#include <limits.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../../conformance/common.h"

extern unsigned GOMP_sections_start(unsigned);
extern unsigned GOMP_sections_next(void);
extern void GOMP_sections_end_nowait(void);
extern bool GOMP_loop_dynamic_start(long, long, long, long, long *, long *);
extern bool GOMP_loop_dynamic_next(long *, long *);
extern bool GOMP_loop_guided_start(long, long, long, long, long *, long *);
extern bool GOMP_loop_guided_next(long *, long *);
extern bool GOMP_loop_static_start(long, long, long, long, long *, long *);
extern bool GOMP_loop_static_next(long *, long *);
extern void GOMP_loop_end_nowait(void);
extern void GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);
extern bool GOMP_cancel(int, bool);
extern bool GOMP_cancellation_point(int);
extern void GOMP_taskloop(void (*)(void *), void *, void (*)(void *, void *), long, long, unsigned, unsigned long, int,
                          long,
                          long, long);

static const long chunks[] = {1, 3,
#ifdef EXTREME
                              LONG_MAX, LONG_MAX - 1, 0, -1, LONG_MIN
#endif
};
typedef bool start_function(long, long, long, long, long *, long *);
typedef bool next_function(long *, long *);

/* Iterations of a loop that one thread gets, each of them once. */
static unsigned long iterations(start_function *start, next_function *next, long from, long to, long by, long chunk)
{
    unsigned long count = 0;
    long first, past;
    for (bool more = start(from, to, by, chunk, &first, &past); more; more = next(&first, &past)) {
        unsigned long width = by > 0 ? (unsigned long)past - (unsigned long)first
                                     : (unsigned long)first - (unsigned long)past;
        unsigned long step = by > 0 ? (unsigned long)by : -(unsigned long)by;
        count += width / step + (width % step != 0);
    }
    GOMP_loop_end_nowait();
    return count;
}

static void check_loop(start_function *start, next_function *next, long chunk)
{
    CHECK(iterations(start, next, 0, 0, 1, chunk) == 0 && iterations(start, next, 5, -5, 1, chunk) == 0);
    CHECK(iterations(start, next, -5, 5, -1, chunk) == 0 && iterations(start, next, LONG_MAX, LONG_MIN, 1, chunk) == 0);
    CHECK(iterations(start, next, 0, 10, 3, chunk) == 4 && iterations(start, next, 10, 0, -3, chunk) == 4);
#ifdef EXTREME
    CHECK(iterations(start, next, 0, 10, LONG_MAX, chunk) == 1 && iterations(start, next, 10, 0, LONG_MIN, chunk) == 1);
    CHECK(iterations(start, next, LONG_MAX - 9, LONG_MAX, 2, chunk) == 5);
    CHECK(iterations(start, next, LONG_MIN + 9, LONG_MIN, -2, chunk) == 5);
#endif
}

static int runs;
static long covered;

static void task(void *data)
{
    const long *bounds = data;
    __atomic_fetch_add(&runs, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&covered, bounds[1] - bounds[0], __ATOMIC_RELAXED);
}

static void member(void *data)
{
    __atomic_fetch_add((int *)data, 1, __ATOMIC_RELAXED);
    for (int which = -2; which <= 40; which++)
        GOMP_cancellation_point(which);
    /* Cancellation is off, so nothing is cancelled. */
    CHECK(!GOMP_cancel(1, true) && !GOMP_cancel(INT_MAX, false) && !GOMP_cancel(INT_MIN, true));
}

int main(void)
{
    CHECK(GOMP_sections_start(0) == 0);
    GOMP_sections_end_nowait();
    CHECK(GOMP_sections_start(UINT_MAX) == 1 && GOMP_sections_next() == 2 && GOMP_sections_next() == 3);
    GOMP_sections_end_nowait();
    CHECK(GOMP_sections_start(1) == 1 && GOMP_sections_next() == 0 && GOMP_sections_next() == 0);
    GOMP_sections_end_nowait();
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        check_loop(GOMP_loop_dynamic_start, GOMP_loop_dynamic_next, chunks[i]);
        check_loop(GOMP_loop_guided_start, GOMP_loop_guided_next, chunks[i]);
        check_loop(GOMP_loop_static_start, GOMP_loop_static_next, chunks[i]);
    }
    check_loop(GOMP_loop_static_start, GOMP_loop_static_next, 0);
#ifdef EXTREME
    CHECK(iterations(GOMP_loop_dynamic_start, GOMP_loop_dynamic_next, LONG_MIN, LONG_MAX, 1, LONG_MAX) == ULONG_MAX);
    CHECK(iterations(GOMP_loop_static_start, GOMP_loop_static_next, LONG_MIN, LONG_MAX, 1, 0) == ULONG_MAX);
#endif

    enum { UP = 1 << 8, GRAINSIZE = 1 << 9, IF = 1 << 10 };
    static const unsigned long amounts[] = {1, 7,
#ifdef EXTREME
                                            0, ULONG_MAX, LONG_MAX, (unsigned long)LONG_MAX + 1
#endif
    };
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++)
        for (unsigned grain = 0; grain <= GRAINSIZE; grain += GRAINSIZE) {
            long bounds[2] = {0, 0};
            runs = 0, covered = 0;
            GOMP_taskloop(task, bounds, NULL, sizeof bounds, sizeof(long), UP | IF | grain, amounts[i], 0, 0, 100, 1);
            CHECK(covered == 100 && runs >= 1 && runs <= 100);
            runs = 0;
            GOMP_taskloop(task, bounds, NULL, sizeof bounds, sizeof(long), UP | IF | grain, amounts[i], 0, 100, 0, 1);
            CHECK(runs == 0);
        }

    int members = 0;
    GOMP_parallel(member, &members, 1, UINT_MAX & ~7u);
    CHECK(members == 1);
    members = 0;
    GOMP_parallel(member, &members, 3, 0);
    CHECK(members == 3);
    return 0;
}
