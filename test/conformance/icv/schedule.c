/* run-sched-var: kinds, the monotonic bit, default and forbidden chunks, unknown kinds.
   symbols: omp_get_schedule omp_set_schedule */
#include <limits.h>
#include <omp.h>

#include "../common.h"

static void is(unsigned kind, int chunk)
{
    omp_sched_t kind_now;
    int chunk_now;
    omp_get_schedule(&kind_now, &chunk_now);
    if ((unsigned)kind_now != kind || chunk_now != chunk) {
        fprintf(stderr, "%#x,%d instead of %#x,%d\n", (unsigned)kind_now, chunk_now, kind, chunk);
        exit(1);
    }
}

int main(void)
{
    static const unsigned monotonic = 0x80000000u;
    is(omp_sched_dynamic, 1);
    for (unsigned bit = 0; bit <= monotonic; bit += monotonic) {
        static const int chunks[] = {7, 1, 0, -5, INT_MIN};
        for (int i = 0; i < 5; i++) {
            int given = chunks[i] > 0 ? chunks[i] : 0;
            omp_set_schedule((omp_sched_t)(omp_sched_static | bit), chunks[i]);
            is(omp_sched_static | bit, given);
            omp_set_schedule((omp_sched_t)(omp_sched_dynamic | bit), chunks[i]);
            is(omp_sched_dynamic | bit, given ? given : 1);
            omp_set_schedule((omp_sched_t)(omp_sched_guided | bit), chunks[i]);
            is(omp_sched_guided | bit, given ? given : 1);
        }
        omp_set_schedule((omp_sched_t)(omp_sched_guided | bit), 6);
        omp_set_schedule((omp_sched_t)(omp_sched_auto | bit), 3);
        is(omp_sched_auto | bit, 6);
        static const int unknown[] = {0, 5, -3, INT_MAX};
        for (int i = 0; i < 4; i++) {
            omp_set_schedule((omp_sched_t)unknown[i], 2);
            is(omp_sched_auto | bit, 6);
        }
        if (bit == monotonic)
            break;
    }
    omp_set_schedule(omp_sched_guided, 4);
#pragma omp parallel num_threads(2)
    {
        is(omp_sched_guided, 4);
        omp_set_schedule(omp_sched_static, 10 + omp_get_thread_num());
#pragma omp barrier
        is(omp_sched_static, 10 + omp_get_thread_num());
    }
    is(omp_sched_guided, 4);
    return 0;
}
