/* Two barriers, whose points take turns: what follows the second is not ordered by the first. Racy: the second one is
   missing. */
#include "pair.h"

static int word[2], here;

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int me = omp_get_thread_num();
        for (int turn = 0; turn < 3; turn++) {
            word[me] = turn;
#pragma omp barrier
            sum += word[1 - me];
            IF_RACY(meet(&here, 2 * turn + 2);)
            IF_CORRECT(_Pragma("omp barrier"))
        }
    }
    return check("the sum", sum, 6);
}
