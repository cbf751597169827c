/* The tasks of a taskloop have no order. Racy: they write the same word. */
#include "pair.h"

static int word[8], here;

int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop num_tasks(2) shared(word)
    for (int i = 0; i < 8; i++) {
        if (i % 4 == 0)
            meet(&here, 2);
        word[IF_CORRECT(i) IF_RACY(0)] += 1;
    }
    return check("the last word", word[7], 1);
}
