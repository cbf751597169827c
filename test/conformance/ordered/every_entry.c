/* Every entry of ordered loops, long and unsigned long long, called directly: ordered regions come in the order of the
   iterations, whichever thread executes them, also where some iterations have none; and the loops are executed exactly
   once.
   limit: 60
   env: OMP_SCHEDULE=dynamic,3
   symbols: GOMP_ordered_start GOMP_ordered_end GOMP_loop_ordered_start GOMP_loop_ull_ordered_start
   symbols: GOMP_loop_ordered_static_start GOMP_loop_ordered_static_next
   symbols: GOMP_loop_ordered_dynamic_start GOMP_loop_ordered_dynamic_next
   symbols: GOMP_loop_ordered_guided_start GOMP_loop_ordered_guided_next
   symbols: GOMP_loop_ordered_runtime_start GOMP_loop_ordered_runtime_next
   symbols: GOMP_loop_ull_ordered_static_start GOMP_loop_ull_ordered_static_next
   symbols: GOMP_loop_ull_ordered_dynamic_start GOMP_loop_ull_ordered_dynamic_next
   symbols: GOMP_loop_ull_ordered_guided_start GOMP_loop_ull_ordered_guided_next
   symbols: GOMP_loop_ull_ordered_runtime_start GOMP_loop_ull_ordered_runtime_next */
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../common.h"

typedef unsigned long long ull;

#define DECLARE(name)                                                                 \
    bool GOMP_loop_ordered_##name##_start(long, long, long, long, long *, long *);    \
    bool GOMP_loop_ordered_##name##_next(long *, long *);                             \
    bool GOMP_loop_ull_ordered_##name##_start(bool, ull, ull, ull, ull, ull *, ull *); \
    bool GOMP_loop_ull_ordered_##name##_next(ull *, ull *);
DECLARE(static)
DECLARE(dynamic)
DECLARE(guided)
bool GOMP_loop_ordered_runtime_start(long, long, long, long *, long *);
bool GOMP_loop_ordered_runtime_next(long *, long *);
bool GOMP_loop_ull_ordered_runtime_start(bool, ull, ull, ull, ull *, ull *);
bool GOMP_loop_ull_ordered_runtime_next(ull *, ull *);
bool GOMP_loop_ordered_start(long, long, long, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_ull_ordered_start(bool, ull, ull, ull, long, ull, ull *, ull *, uintptr_t *, void **);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
void GOMP_loop_end(void);

enum { COUNT = 80, EVERY = 3 };

/* Written inside ordered regions alone, without any other protection. */
static int last, regions;
static int hits[COUNT];

static void iteration(long i, long count)
{
    CHECK(i >= 0 && i < count);
#pragma omp atomic
    hits[i]++;
    if (i % EVERY == 1)
        return;
    GOMP_ordered_start();
    CHECK(i > last);
    last = (int)i;
    regions++;
    GOMP_ordered_end();
}

static void check(long count)
{
    int expected = 0;
    for (long i = 0; i < count; i++) {
        CHECK(hits[i] == 1);
        expected += i % EVERY != 1;
    }
    CHECK(regions == expected);
    memset(hits, 0, sizeof hits);
    regions = 0;
    last = -1;
}

#define LOOP(type, first, next)                                     \
    do {                                                            \
        type b, e;                                                  \
        if (first)                                                  \
            do                                                      \
                for (type i = b; i < e; i++)                        \
                    iteration((long)i, count);                      \
            while (next(&b, &e));                                   \
        GOMP_loop_end();                                            \
        _Pragma("omp single") check(count);                         \
    } while (0)
#define BOTH(name)                                                                                            \
    LOOP(long, GOMP_loop_ordered_##name##_start(0, count, 1, chunk, &b, &e), GOMP_loop_ordered_##name##_next); \
    LOOP(ull, GOMP_loop_ull_ordered_##name##_start(true, 0, (ull)count, 1, (ull)chunk, &b, &e),               \
         GOMP_loop_ull_ordered_##name##_next)
#define GENERAL(sched, name)                                                                         \
    LOOP(long, GOMP_loop_ordered_start(0, count, 1, sched, chunk, &b, &e, NULL, NULL),               \
         GOMP_loop_ordered_##name##_next);                                                           \
    LOOP(ull, GOMP_loop_ull_ordered_start(true, 0, (ull)count, 1, sched, (ull)chunk, &b, &e, NULL, NULL), \
         GOMP_loop_ull_ordered_##name##_next)

int main(void)
{
    static const long counts[] = {0, 1, 7, COUNT}, chunks[] = {1, 4, 100};
    omp_set_dynamic(0);
    last = -1;
    for (int threads = 1; threads <= 9; threads += threads < 4 ? 1 : 5)
        for (int n = 0; n < 4; n++)
            for (int c = 0; c < 3; c++) {
                long count = counts[n], chunk = chunks[c];
#pragma omp parallel num_threads(threads)
                {
                    BOTH(static);
                    BOTH(dynamic);
                    BOTH(guided);
                    LOOP(long, GOMP_loop_ordered_runtime_start(0, count, 1, &b, &e), GOMP_loop_ordered_runtime_next);
                    LOOP(ull, GOMP_loop_ull_ordered_runtime_start(true, 0, (ull)count, 1, &b, &e),
                         GOMP_loop_ull_ordered_runtime_next);
                    GENERAL(0x80000000L, runtime);
                    GENERAL(0x80000001L, static);
                    GENERAL(0x80000002L, dynamic);
                    GENERAL(0x80000003L, guided);
                }
            }
    return 0;
}
