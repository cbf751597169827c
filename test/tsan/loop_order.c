/* Taking chunks orders nothing: iterations may not depend on each other. Racy: they do. */
#include "pair.h"

static int word[64], here;

int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 64; i++) {
            if (i < 2)
                meet(&here, 2);
            word[IF_CORRECT(i) IF_RACY(0)] += 1;
        }
    }
    return check("the last word", word[63], 1);
}
