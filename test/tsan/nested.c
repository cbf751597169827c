/* Regions in regions: an inner worker's write is ordered for its own master, and for the outer team by
   the outer barrier. Racy: that is missing.
   env: OMP_MAX_ACTIVE_LEVELS=2 */
#include "pair.h"

static int word[2], here;

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1)
            word[outer] = outer + 1;
        IF_RACY(meet(&here, 2);)
        IF_CORRECT(_Pragma("omp barrier"))
        sum += word[1 - outer];
    }
    return check("the sum", sum, 3);
}
