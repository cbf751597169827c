/* Doacross loops: an iteration comes after those that it names, for one dimension, two, negative steps and collapsed
 * loops; with several schedules.
 *
 * symbols: __kmpc_doacross_init __kmpc_doacross_post __kmpc_doacross_wait __kmpc_doacross_fini
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

enum { ROWS = 60, COLUMNS = 40, THREADS = 4 };

static int row[ROWS], grid[ROWS][COLUMNS];

#define ONE(schedule_of)                                                        \
    _Pragma("omp parallel num_threads(THREADS)")                                \
    {                                                                           \
        _Pragma(schedule_of) for (int i = 1; i < ROWS; i++)                     \
        {                                                                       \
            _Pragma("omp ordered depend(sink : i - 1)") row[i] = row[i - 1] + 1; \
            _Pragma("omp ordered depend(source)")                               \
        }                                                                       \
    }                                                                           \
    for (int i = 0; i < ROWS; i++) {                                            \
        CHECK(row[i] == i);                                                     \
        row[i] = 0;                                                             \
    }

static void down(void)
{
#pragma omp parallel for ordered(1) schedule(dynamic, 2) num_threads(THREADS)
    for (long i = 2 * ROWS - 4; i >= 0; i -= 2) {
#pragma omp ordered depend(sink : i + 2)
        row[i / 2] = row[i / 2 + 1] + 1;
#pragma omp ordered depend(source)
    }
    for (int i = 0; i < ROWS - 1; i++)
        CHECK(row[i] == ROWS - 1 - i);
    memset(row, 0, sizeof row);
}

static void wavefront(void)
{
#pragma omp parallel for ordered(2) num_threads(THREADS) schedule(static, 1)
    for (int i = 1; i < ROWS; i++)
        for (int j = 1; j < COLUMNS; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            grid[i][j] = (grid[i - 1][j] > grid[i][j - 1] ? grid[i - 1][j] : grid[i][j - 1]) + 1;
#pragma omp ordered depend(source)
        }
    for (int i = 1; i < ROWS; i++)
        for (int j = 1; j < COLUMNS; j++)
            CHECK(grid[i][j] == i + j - 1);
}

static void collapsed(void)
{
    static int steps[21][11];
#pragma omp parallel for collapse(2) ordered(2) num_threads(THREADS) schedule(dynamic)
    for (int i = 1; i <= 20; i++)
        for (int j = 1; j <= 10; j++) {
#pragma omp ordered depend(sink : i, j - 1) depend(sink : i - 1, j)
            steps[i][j] = (steps[i - 1][j] > steps[i][j - 1] ? steps[i - 1][j] : steps[i][j - 1]) + 1;
#pragma omp ordered depend(source)
        }
    for (int i = 1; i <= 20; i++)
        for (int j = 1; j <= 10; j++)
            CHECK(steps[i][j] == i + j - 1);
}

int main(void)
{
    ONE("omp for ordered(1) schedule(static, 1)")
    ONE("omp for ordered(1) schedule(dynamic, 3)")
    ONE("omp for ordered(1) schedule(guided)")
    ONE("omp for ordered(1)")
    down();
    wavefront();
    collapsed();
    omp_set_dynamic(0);
    omp_set_max_active_levels(0); /* teams of one */
    ONE("omp for ordered(1)")
    return 0;
}
