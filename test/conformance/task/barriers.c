/* Tasks that are not waited for explicitly are complete after the next barrier: an explicit one, that of single, for
   and sections, or of a region's end. With nowait they are not lost either.
   symbols: GOMP_task GOMP_barrier GOMP_loop_end GOMP_sections_end */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

static int children;

/* A task of some depth: its parents have ended when it runs. */
static void plant(int depth)
{
#pragma omp task
    {
        count_up(&children);
        if (depth > 0) {
            plant(depth - 1);
            plant(depth - 1);
        }
    }
}

enum { TREE = 63 }; /* plant(5) */

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 5; pass++) {
            children = 0;
#pragma omp parallel num_threads(threads)
            {
                plant(5);
#pragma omp barrier
                CHECK(look(&children) == threads * TREE);
#pragma omp barrier
#pragma omp single
                plant(5);
                CHECK(look(&children) == (threads + 1) * TREE);
#pragma omp barrier
#pragma omp for schedule(dynamic)
                for (int i = 0; i < 4; i++)
                    plant(5);
                CHECK(look(&children) == (threads + 5) * TREE);
#pragma omp barrier
#pragma omp for schedule(static)
                for (int i = 0; i < 4; i++)
                    plant(5);
                CHECK(look(&children) == (threads + 9) * TREE);
#pragma omp barrier
#pragma omp sections
                {
#pragma omp section
                    plant(5);
#pragma omp section
                    plant(5);
                }
                CHECK(look(&children) == (threads + 11) * TREE);
#pragma omp barrier
#pragma omp single nowait
                plant(5);
#pragma omp for schedule(guided) nowait
                for (int i = 0; i < 4; i++)
                    plant(5);
#pragma omp master
                plant(5);
            }
            CHECK(children == (threads + 17) * TREE);
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
            plant(5);
            CHECK(children == (threads + 18) * TREE);
#pragma omp parallel num_threads(threads)
#pragma omp master
            plant(5);
            CHECK(children == (threads + 19) * TREE);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
            for (int i = 0; i < 10; i++)
                plant(5);
            CHECK(children == (threads + 29) * TREE);
        }
    }
    return 0;
}
