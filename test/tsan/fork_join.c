/* The master writes before the region, and a worker in it; the master reads behind it. Racy: the master reads in the
   region. */
#include "pair.h"

static int before, inside, there;

int main(void)
{
    int seen = 0;
    for (int turn = 1; turn <= 3; turn++) {
        before = turn;
        there = 0;
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 1) {
                inside = before;
                raise_flag(&there);
            }
            IF_RACY(if (omp_get_thread_num() == 0) { await(&there); seen = inside; })
        }
        seen = inside;
    }
    return check("what the worker wrote", seen, 3);
}
