/* Every entry of doacross loops, long and unsigned long long, called directly: a triangle of sums where each element
   needs its left neighbour, the row above, and the row above to the right.
   limit: 60
   env: OMP_SCHEDULE=guided,2
   symbols: GOMP_doacross_post GOMP_doacross_wait GOMP_doacross_ull_post GOMP_doacross_ull_wait
   symbols: GOMP_loop_doacross_static_start GOMP_loop_doacross_dynamic_start GOMP_loop_doacross_guided_start
   symbols: GOMP_loop_doacross_runtime_start GOMP_loop_doacross_start
   symbols: GOMP_loop_ull_doacross_static_start GOMP_loop_ull_doacross_dynamic_start GOMP_loop_ull_doacross_guided_start
   symbols: GOMP_loop_ull_doacross_runtime_start GOMP_loop_ull_doacross_start */
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../common.h"

typedef unsigned long long ull;

bool GOMP_loop_doacross_static_start(unsigned, long *, long, long *, long *);
bool GOMP_loop_doacross_dynamic_start(unsigned, long *, long, long *, long *);
bool GOMP_loop_doacross_guided_start(unsigned, long *, long, long *, long *);
bool GOMP_loop_doacross_runtime_start(unsigned, long *, long *, long *);
bool GOMP_loop_doacross_start(unsigned, long *, long, long, long *, long *, uintptr_t *, void **);
bool GOMP_loop_ull_doacross_static_start(unsigned, ull *, ull, ull *, ull *);
bool GOMP_loop_ull_doacross_dynamic_start(unsigned, ull *, ull, ull *, ull *);
bool GOMP_loop_ull_doacross_guided_start(unsigned, ull *, ull, ull *, ull *);
bool GOMP_loop_ull_doacross_runtime_start(unsigned, ull *, ull *, ull *);
bool GOMP_loop_ull_doacross_start(unsigned, ull *, long, ull, ull *, ull *, uintptr_t *, void **);
bool GOMP_loop_static_next(long *, long *);
bool GOMP_loop_dynamic_next(long *, long *);
bool GOMP_loop_guided_next(long *, long *);
bool GOMP_loop_runtime_next(long *, long *);
bool GOMP_loop_ull_static_next(ull *, ull *);
bool GOMP_loop_ull_dynamic_next(ull *, ull *);
bool GOMP_loop_ull_guided_next(ull *, ull *);
bool GOMP_loop_ull_runtime_next(ull *, ull *);
void GOMP_doacross_post(long *);
void GOMP_doacross_wait(long, ...);
void GOMP_doacross_ull_post(ull *);
void GOMP_doacross_ull_wait(ull, ...);
void GOMP_loop_end(void);

enum { ROWS = 70, COLUMNS = 9 };
static unsigned table[ROWS][COLUMNS], reference[ROWS][COLUMNS];

static unsigned element(unsigned t[ROWS][COLUMNS], long i, long j)
{
    unsigned sum = 1;
    if (i > 0)
        sum += t[i - 1][j] * 3 + (j + 1 < COLUMNS ? t[i - 1][j + 1] : 5);
    return j > 0 ? sum + 7 * t[i][j - 1] : sum;
}

/* As GCC compiles it: a sink outside the loop is not waited for. */
#define LOOP(type, post, wait, first, next)                                        \
    do {                                                                           \
        type b, e;                                                                 \
        type counts[2] = {(type)rows, COLUMNS};                                    \
        if (first)                                                                 \
            do                                                                     \
                for (type i = b; i < e; i++)                                       \
                    for (type j = 0; j < COLUMNS; j++) {                           \
                        type here[2] = {i, j};                                     \
                        if (i > 0)                                                 \
                            wait(i - 1, j);                                        \
                        if (i > 0 && j + 1 < COLUMNS)                              \
                            wait(i - 1, j + 1);                                    \
                        table[i][j] = element(table, (long)i, (long)j);            \
                        post(here);                                                \
                    }                                                              \
            while (next(&b, &e));                                                  \
        GOMP_loop_end();                                                           \
        _Pragma("omp single") check(rows);                                         \
    } while (0)
#define SIGNED(first, next) LOOP(long, GOMP_doacross_post, GOMP_doacross_wait, first, next)
#define UNSIGNED(first, next) LOOP(ull, GOMP_doacross_ull_post, GOMP_doacross_ull_wait, first, next)
#define BOTH(name)                                                                                          \
    SIGNED(GOMP_loop_doacross_##name##_start(2, counts, chunk, &b, &e), GOMP_loop_##name##_next);           \
    UNSIGNED(GOMP_loop_ull_doacross_##name##_start(2, counts, (ull)chunk, &b, &e), GOMP_loop_ull_##name##_next)
#define GENERAL(sched, name)                                                                                \
    SIGNED(GOMP_loop_doacross_start(2, counts, sched, chunk, &b, &e, NULL, NULL), GOMP_loop_##name##_next); \
    UNSIGNED(GOMP_loop_ull_doacross_start(2, counts, sched, (ull)chunk, &b, &e, NULL, NULL),                \
             GOMP_loop_ull_##name##_next)

static void check(long rows)
{
    CHECK(memcmp(table, reference, (size_t)rows * sizeof *table) == 0);
    memset(table, 0, sizeof table);
}

int main(void)
{
    static const long sizes[] = {1, 3, ROWS}, chunks[] = {1, 2, 7, 100};
    for (long i = 0; i < ROWS; i++)
        for (long j = 0; j < COLUMNS; j++)
            reference[i][j] = element(reference, i, j);
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 5; threads += 2)
        for (int s = 0; s < 3; s++)
            for (int c = 0; c < 4; c++) {
                if ((s + c + threads / 2) % 3 != 0)
                    continue;
                long rows = sizes[s], chunk = chunks[c];
#pragma omp parallel num_threads(threads)
                {
                    BOTH(static);
                    BOTH(dynamic);
                    BOTH(guided);
                    SIGNED(GOMP_loop_doacross_runtime_start(2, counts, &b, &e), GOMP_loop_runtime_next);
                    UNSIGNED(GOMP_loop_ull_doacross_runtime_start(2, counts, &b, &e), GOMP_loop_ull_runtime_next);
                    GENERAL(0x80000000L, runtime);
                    GENERAL(0x80000001L, static);
                    GENERAL(0x80000002L, dynamic);
                    GENERAL(0x80000003L, guided);
                }
            }
    return 0;
}
