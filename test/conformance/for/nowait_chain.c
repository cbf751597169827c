/* Thousands of nowait constructs of all kinds in one region: members drift apart, nothing is lost or done twice. One
   member runs ahead on purpose: it is at the end of the chain before another one has begun.
   limit: 60
   symbols: GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_nonmonotonic_guided_start GOMP_sections_start
   symbols: GOMP_single_start
   symbols: GOMP_loop_end_nowait GOMP_sections_end_nowait */
#include <omp.h>

#include "../common.h"

enum { ROUNDS = 3000, COUNT = 12 };

int main(void)
{
    static int loops[ROUNDS], guided[ROUNDS], sections[ROUNDS], singles[ROUNDS];
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 9; threads += 4) {
        memset(loops, 0, sizeof loops);
        memset(guided, 0, sizeof guided);
        memset(sections, 0, sizeof sections);
        memset(singles, 0, sizeof singles);
        int arrived = 0;
#pragma omp parallel num_threads(threads)
        {
            if (omp_get_thread_num() == threads - 1 && threads > 1) {
                int seen;
                do {
#pragma omp atomic read
                    seen = arrived;
                } while (seen == 0);
            }
            for (int round = 0; round < ROUNDS; round++) {
#pragma omp for schedule(dynamic, 2) nowait
                for (int i = 0; i < COUNT; i++)
#pragma omp atomic
                    loops[round]++;
#pragma omp single nowait
                {
#pragma omp atomic
                    singles[round]++;
                }
#pragma omp sections nowait
                {
#pragma omp section
#pragma omp atomic
                    sections[round] += 1;
#pragma omp section
#pragma omp atomic
                    sections[round] += 10;
                }
#pragma omp for schedule(guided) nowait
                for (int i = 0; i < COUNT; i++)
#pragma omp atomic
                    guided[round]++;
            }
#pragma omp atomic
            arrived++;
        }
        for (int round = 0; round < ROUNDS; round++)
            CHECK(loops[round] == COUNT && guided[round] == COUNT && sections[round] == 11 && singles[round] == 1);
    }
    return 0;
}
