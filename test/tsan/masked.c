/* The master writes, all read behind a barrier. Racy: without it; the construct has none. */
#include "pair.h"

static int word, here;

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp master
        word = 1;
        IF_RACY(meet(&here, 2);)
        IF_CORRECT(_Pragma("omp barrier"))
        sum += word;
    }
    return check("the sum", sum, 2);
}
