/* The result of a reduction is there behind the barrier. Racy: nowait, and it is read at once. */
#include "pair.h"

static int here;

int main(void)
{
    long sum = 0, seen[2] = {0};
#pragma omp parallel num_threads(2)
    {
        meet(&here, 2);
        IF_CORRECT(_Pragma("omp for reduction(+ : sum)"))
        IF_RACY(_Pragma("omp for reduction(+ : sum) nowait"))
        for (int i = 0; i < 100; i++)
            sum += i;
        seen[omp_get_thread_num()] = sum;
    }
    return check("what both see", seen[0] + seen[1], 9900);
}
