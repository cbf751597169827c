/* A task's own data lies where another's was, on another thread. Racy: the word behind it is shared. */
#include "pair.h"

static int word, there[200];

int main(void)
{
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 200; i++) {
        long mine[4] = {i, i, i, i};
#pragma omp task firstprivate(mine) shared(word, sum)
        {
            IF_RACY(word += (int)mine[0];)
#pragma omp atomic
            sum += mine[0] + mine[3];
            raise_flag(&there[i]);
        }
        await(&there[i]);
        IF_RACY(word++;)
    }
    return check("the sum", sum, 39800);
}
