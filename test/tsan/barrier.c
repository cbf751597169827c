/* All write before the barrier and read the neighbour's word behind it. Racy: without the barrier. */
#include "pair.h"

static int word[4], here;

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
        int me = omp_get_thread_num();
        word[me] = me;
        IF_RACY(meet(&here, 4);)
        IF_CORRECT(_Pragma("omp barrier"))
        sum += word[(me + 1) % 4];
    }
    return check("the sum", sum, 6);
}
