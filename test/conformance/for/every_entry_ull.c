/* Every entry of worksharing loops of unsigned long long, called directly; ranges at both ends of the type too.
   limit: 60
   env: OMP_SCHEDULE=dynamic,4
   symbols: GOMP_loop_ull_static_start GOMP_loop_ull_static_next GOMP_loop_ull_dynamic_start GOMP_loop_ull_dynamic_next
   symbols: GOMP_loop_ull_guided_start GOMP_loop_ull_guided_next GOMP_loop_ull_runtime_start GOMP_loop_ull_runtime_next
   symbols: GOMP_loop_ull_nonmonotonic_dynamic_start GOMP_loop_ull_nonmonotonic_dynamic_next
   symbols: GOMP_loop_ull_nonmonotonic_guided_start GOMP_loop_ull_nonmonotonic_guided_next
   symbols: GOMP_loop_ull_nonmonotonic_runtime_start GOMP_loop_ull_nonmonotonic_runtime_next
   symbols: GOMP_loop_ull_maybe_nonmonotonic_runtime_start GOMP_loop_ull_maybe_nonmonotonic_runtime_next
   symbols: GOMP_loop_ull_start */
#include "entries.h"

typedef unsigned long long ull;

#define DECLARE(name)                                                         \
    bool GOMP_loop_ull_##name##_start(bool, ull, ull, ull, ull, ull *, ull *); \
    bool GOMP_loop_ull_##name##_next(ull *, ull *);
#define DECLARE_RUNTIME(name)                                                 \
    bool GOMP_loop_ull_##name##_start(bool, ull, ull, ull, ull *, ull *);     \
    bool GOMP_loop_ull_##name##_next(ull *, ull *);
EACH_SCHEDULE(DECLARE, DECLARE_RUNTIME)
bool GOMP_loop_ull_start(bool, ull, ull, ull, long, ull, ull *, ull *, uintptr_t *, void **);

static struct counts counts;

/* Values are counted relative to `base`, so that loops near 2^64 fit the counts. */
#define LOOP(first, next)                                                     \
    do {                                                                      \
        ull b, e;                                                             \
        if (first)                                                            \
            do                                                                \
                for (ull i = b; up ? i < e : i > e; i += incr)                \
                    count_value(&counts, (long)(i - base));                   \
            while (next(&b, &e));                                             \
        GOMP_loop_end_nowait();                                               \
        count++;                                                              \
    } while (0)
#define WITH_CHUNK(name) \
    LOOP(GOMP_loop_ull_##name##_start(up, start, end, incr, chunk, &b, &e), GOMP_loop_ull_##name##_next);
#define OF_RUNTIME(name) LOOP(GOMP_loop_ull_##name##_start(up, start, end, incr, &b, &e), GOMP_loop_ull_##name##_next);
#define GENERAL(sched, name) \
    LOOP(GOMP_loop_ull_start(up, start, end, incr, sched, chunk, &b, &e, NULL, NULL), GOMP_loop_ull_##name##_next)

static void all_entries(int threads, ull base, long from, long to, long by, ull chunk)
{
    bool up = by > 0;
    ull start = base + (ull)from, end = base + (ull)to, incr = (ull)by;
    int loops = 0;
    memset(&counts, 0, sizeof counts);
#pragma omp parallel num_threads(threads)
    {
        int count = 0;
        EACH_SCHEDULE(WITH_CHUNK, OF_RUNTIME)
        GENERAL(0, runtime);
        GENERAL(1, static);
        GENERAL(2, nonmonotonic_dynamic);
        GENERAL(3, nonmonotonic_guided);
        GENERAL(4, nonmonotonic_runtime);
        GENERAL(0x80000002L, dynamic);
#pragma omp single
        loops = count;
    }
    CHECK(loops == 14);
    check_counts(&counts, from, to, by, loops);
}

int main(void)
{
    static const long ranges[][3] = {{0, 100, 1}, {3, 260, 3}, {99, 0, -1}, {250, 12, -7}, {5, 5, 1}, {9, 2, 1}};
    /* The last one puts the longest range at the end of the type. */
    static const ull bases[] = {0, 1ull << 63, ~0ull - 261};
    static const ull chunks[] = {1, 3, 1000};
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads += 2)
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++)
            for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
                for (size_t c = 0; c < 3; c++)
                    if ((b + r + c + (size_t)threads) % 2 == 0)
                        all_entries(threads, bases[b], ranges[r][0], ranges[r][1], ranges[r][2], chunks[c]);
    return 0;
}
