/* All threads read behind the barrier of a single what it has written. Racy: nowait. */
#include "pair.h"

static int word, here;

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        IF_CORRECT(_Pragma("omp single"))
        IF_RACY(_Pragma("omp single nowait"))
        word = 1;
        IF_RACY(meet(&here, 2);)
        sum += word;
    }
    return check("the sum", sum, 2);
}
