/* A loop with schedule(dynamic): each iteration has its own word, read behind the loop's barrier. Racy: nowait. */
#include "pair.h"

static int word[64], here;

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        meet(&here, 2);
        IF_CORRECT(_Pragma("omp for schedule(dynamic)"))
        IF_RACY(_Pragma("omp for schedule(dynamic) nowait"))
        for (int i = 0; i < 64; i++)
            word[i] = 1;
        for (int i = 0; i < 64; i++)
            sum += word[i];
    }
    return check("the sum", sum, 128);
}
