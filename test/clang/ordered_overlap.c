/* What follows the ordered region of a chunk's last iteration runs beside the next chunk: iterations that wait for each
 * other there, with and without ordered regions in all of them, and the order of the regions.
 *
 * symbols: __kmpc_ordered __kmpc_end_ordered __kmpc_dispatch_fini_4 */
#include <omp.h>

#include "../conformance/gate.h"
#include "kmp.h"

enum { THREADS = 3, ROUNDS = 20 };

/* Chunk by chunk in turn, so that no member has two of a round's chunks. */
static void meet_behind(int chunk)
{
    int met[ROUNDS] = {0}, next = 0;
#pragma omp parallel for ordered schedule(static, chunk) num_threads(THREADS)
    for (int i = 0; i < ROUNDS * THREADS * chunk; i++) {
        if (i % chunk != 0 || chunk == 1)
#pragma omp ordered
        {
            CHECK(next <= i);
            next = i;
        }
        if (i % chunk == chunk - 1)
            meet(&met[i / chunk / THREADS], THREADS);
    }
    CHECK(next == ROUNDS * THREADS * chunk - 1);
}

/* The last iteration of a chunk has no region: the turn passes at its end. */
static void without_the_last(void)
{
    int sum = 0, next = 0;
#pragma omp parallel for ordered schedule(dynamic, 4) num_threads(THREADS) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) {
        if (i % 4 != 3)
#pragma omp ordered
        {
            CHECK(next <= i);
            next = i;
        }
        sum++;
    }
    CHECK(next == 998 && sum == 1000);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int chunk = 1; chunk <= 4; chunk++)
        meet_behind(chunk);
    without_the_last();
    return 0;
}
