/* Every combined parallel loop, called directly; also the old forms, which return before the body.
   limit: 60
   env: OMP_SCHEDULE=guided,2
   symbols: GOMP_parallel_loop_static GOMP_parallel_loop_dynamic GOMP_parallel_loop_guided GOMP_parallel_loop_runtime
   symbols: GOMP_parallel_loop_nonmonotonic_dynamic GOMP_parallel_loop_nonmonotonic_guided
   symbols: GOMP_parallel_loop_nonmonotonic_runtime GOMP_parallel_loop_maybe_nonmonotonic_runtime
   symbols: GOMP_parallel_loop_static_start GOMP_parallel_loop_dynamic_start GOMP_parallel_loop_guided_start
   symbols: GOMP_parallel_loop_runtime_start GOMP_parallel_end */
#include "entries.h"

typedef void body(void *);
#define DECLARE(name) void GOMP_parallel_loop_##name(body *, void *, unsigned, long, long, long, long, unsigned);
#define DECLARE_RUNTIME(name) void GOMP_parallel_loop_##name(body *, void *, unsigned, long, long, long, unsigned);
EACH_SCHEDULE(DECLARE, DECLARE_RUNTIME)
void GOMP_parallel_loop_static_start(body *, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_dynamic_start(body *, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_guided_start(body *, void *, unsigned, long, long, long, long);
void GOMP_parallel_loop_runtime_start(body *, void *, unsigned, long, long, long);
void GOMP_parallel_end(void);
bool GOMP_loop_static_next(long *, long *);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_guided_next(long *, long *);
bool GOMP_loop_nonmonotonic_dynamic_next(long *, long *);
bool GOMP_loop_nonmonotonic_guided_next(long *, long *);
bool GOMP_loop_runtime_next(long *, long *);
bool GOMP_loop_nonmonotonic_runtime_next(long *, long *);
bool GOMP_loop_maybe_nonmonotonic_runtime_next(long *, long *);

static struct counts counts;
static int threads, members, after;

struct work {
    bool (*next)(long *, long *);
    long incr;
};

/* The loop, and a second construct behind it: the members' chain of constructs begins with the loop. */
static void run(void *data)
{
    struct work *work = data;
    long b, e;
    CHECK(omp_get_num_threads() == threads);
#pragma omp atomic
    members++;
    while (work->next(&b, &e))
        for (long i = b; work->incr > 0 ? i < e : i > e; i += work->incr)
            count_value(&counts, i);
    GOMP_loop_end_nowait();
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; i++)
#pragma omp atomic
        after++;
}

static void checked(long start, long end, long incr)
{
    check_counts(&counts, start, end, incr, 1);
    CHECK(members == threads && after == 20);
    memset(&counts, 0, sizeof counts);
    members = after = 0;
}

#define ARGS(name) struct work work = {GOMP_loop_##name##_next, incr}; unsigned n = (unsigned)threads
#define WITH_CHUNK(name)                                                       \
    {                                                                          \
        ARGS(name);                                                            \
        GOMP_parallel_loop_##name(run, &work, n, start, end, incr, chunk, 0);  \
        checked(start, end, incr);                                             \
    }
#define OF_RUNTIME(name)                                                       \
    {                                                                          \
        ARGS(name);                                                            \
        GOMP_parallel_loop_##name(run, &work, n, start, end, incr, 0);         \
        checked(start, end, incr);                                             \
    }
#define OLD(name, ...)                                                             \
    do {                                                                           \
        ARGS(name);                                                                \
        GOMP_parallel_loop_##name##_start(run, &work, n, __VA_ARGS__);             \
        run(&work);                                                                \
        GOMP_parallel_end();                                                       \
        checked(start, end, incr);                                                 \
    } while (0)

int main(void)
{
    static const long ranges[][3] = {{0, 100, 1}, {99, -1, -1}, {-7, 260, 3}, {5, 5, 1}};
    omp_set_dynamic(0);
    for (threads = 1; threads <= 9; threads++)
        for (int r = 0; r < 4; r++)
            for (long chunk = 1; chunk < 200; chunk = chunk * 5 + 1) {
                long start = ranges[r][0], end = ranges[r][1], incr = ranges[r][2];
                EACH_SCHEDULE(WITH_CHUNK, OF_RUNTIME)
                OLD(static, start, end, incr, chunk);
                OLD(dynamic, start, end, incr, chunk);
                OLD(guided, start, end, incr, chunk);
                OLD(runtime, start, end, incr);
            }
    return 0;
}
