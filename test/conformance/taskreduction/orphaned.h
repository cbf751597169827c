/* Task reductions outside any region. */
#include <omp.h>

#include "../common.h"
#include "tree.h"

static void orphaned(void)
{
    long outer = 1, inner = 0, loop = 0, in_loop = 0;
    int list[6] = {0};
    CHECK(omp_get_level() == 0);
#pragma omp taskgroup task_reduction(+ : outer, list[1 : 4])
    {
        tree(5, &outer);
#pragma omp taskgroup task_reduction(+ : inner)
        tree(4, &inner);
        CHECK(inner == 26);
        for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : list[1 : 4])
            list[1 + i % 4]++;
        }
#pragma omp taskloop in_reduction(+ : outer)
        for (int i = 0; i < 10; i++)
            outer += i;
    }
    CHECK(outer == 1 + 57 + 45 && list[0] == 0 && list[1] == 5 && list[4] == 5 && list[5] == 0);
#pragma omp taskloop reduction(+ : loop) num_tasks(3)
    for (int i = 0; i < 10; i++)
        loop += i;
#pragma omp taskloop reduction(+ : in_loop)
    for (unsigned long long i = 5; i < 5; i++)
        in_loop++;
    CHECK(loop == 45 && in_loop == 0 && omp_get_level() == 0 && omp_get_num_threads() == 1);
}
