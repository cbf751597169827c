/* Every entry of worksharing loops of long, called directly: teams of 1 to 9, ranges up, down and empty, several
   chunks.
   limit: 60
   env: OMP_SCHEDULE=guided,3
   symbols: GOMP_loop_static_start GOMP_loop_static_next GOMP_loop_dynamic_start GOMP_loop_dynamic_next
   symbols: GOMP_loop_guided_start GOMP_loop_guided_next GOMP_loop_runtime_start GOMP_loop_runtime_next
   symbols: GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_nonmonotonic_dynamic_next
   symbols: GOMP_loop_nonmonotonic_guided_start GOMP_loop_nonmonotonic_guided_next
   symbols: GOMP_loop_nonmonotonic_runtime_start GOMP_loop_nonmonotonic_runtime_next
   symbols: GOMP_loop_maybe_nonmonotonic_runtime_start GOMP_loop_maybe_nonmonotonic_runtime_next
   symbols: GOMP_loop_start GOMP_loop_end GOMP_loop_end_nowait */
#include "entries.h"

#define DECLARE(name)                                                         \
    bool GOMP_loop_##name##_start(long, long, long, long, long *, long *);    \
    bool GOMP_loop_##name##_next(long *, long *);
#define DECLARE_RUNTIME(name)                                                 \
    bool GOMP_loop_##name##_start(long, long, long, long *, long *);          \
    bool GOMP_loop_##name##_next(long *, long *);
EACH_SCHEDULE(DECLARE, DECLARE_RUNTIME)
bool GOMP_loop_start(long, long, long, long, long, long *, long *, uintptr_t *, void **);

static struct counts counts;
static int loops;

static void run_chunk(long begin, long end, long incr)
{
    for (long i = begin; incr > 0 ? i < end : i > end; i += incr)
        count_value(&counts, i);
}

/* One loop of a member: `first` takes the first chunk, `next` the others. */
#define LOOP(first, next)                          \
    do {                                           \
        long b, e;                                 \
        if (first)                                 \
            do                                     \
                run_chunk(b, e, incr);             \
            while (next(&b, &e));                  \
        count++;                                   \
    } while (0)
#define NOWAIT(first, next) LOOP(first, next); GOMP_loop_end_nowait()
#define WITH_CHUNK(name) NOWAIT(GOMP_loop_##name##_start(start, end, incr, chunk, &b, &e), GOMP_loop_##name##_next);
#define OF_RUNTIME(name) NOWAIT(GOMP_loop_##name##_start(start, end, incr, &b, &e), GOMP_loop_##name##_next);
#define GENERAL(sched, name) \
    NOWAIT(GOMP_loop_start(start, end, incr, sched, chunk, &b, &e, NULL, NULL), GOMP_loop_##name##_next)

static void all_entries(int threads, long start, long end, long incr, long chunk)
{
    memset(&counts, 0, sizeof counts);
#pragma omp parallel num_threads(threads)
    {
        int count = 0;
        EACH_SCHEDULE(WITH_CHUNK, OF_RUNTIME)
        /* 0 runtime, 1 static, 2 dynamic, 3 guided, 4 nonmonotonic runtime; bit 31: monotonic. */
        GENERAL(0, runtime);
        GENERAL(1, static);
        GENERAL(2, nonmonotonic_dynamic);
        GENERAL(3, nonmonotonic_guided);
        GENERAL(4, nonmonotonic_runtime);
        GENERAL(0x80000000L, runtime);
        GENERAL(0x80000001L, static);
        GENERAL(0x80000002L, dynamic);
        LOOP(GOMP_loop_start(start, end, incr, 0x80000003L, chunk, &b, &e, NULL, NULL), GOMP_loop_guided_next);
        GOMP_loop_end();
        /* After the barrier everything has been executed, by any thread. */
        for (long i = start; incr > 0 ? i < end : i > end; i += incr)
            CHECK(counts.hits[i + OFFSET] == count);
#pragma omp single
        loops = count;
    }
    CHECK(loops == 17);
    check_counts(&counts, start, end, incr, loops);
}

int main(void)
{
    static const long ranges[][3] = {{0, 100, 1}, {-7, 260, 3}, {99, -1, -1}, {50, -203, -7}, {5, 5, 1},
                                     {9, 2, 1},   {0, 1, 1},    {2, 9, -1},   {-3, 4, 100}};
    static const long chunks[] = {1, 2, 5, 64, 1000};
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads++)
        for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++)
            for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
                if ((r + c + (size_t)threads) % 3 == 0)
                    all_entries(threads, ranges[r][0], ranges[r][1], ranges[r][2], chunks[c]);
    return 0;
}
