/* A reduction. Racy: without it. */
#include "pair.h"

static int here;

int main(void)
{
    long sum = 0;
#pragma omp parallel num_threads(4)
    {
        meet(&here, 4);
        IF_CORRECT(_Pragma("omp for reduction(+ : sum)"))
        IF_RACY(_Pragma("omp for"))
        for (int i = 0; i < 100; i++)
            sum += i;
    }
    return check("the sum", (long)sum, 4950);
}
