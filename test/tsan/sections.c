/* Two sections, each with its own word. Racy: with the same one. */
#include "pair.h"

static int word[2], here;

int main(void)
{
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            meet(&here, 2);
            word[0]++;
        }
#pragma omp section
        {
            meet(&here, 2);
            word[IF_CORRECT(1) IF_RACY(0)]++;
        }
    }
    return check("the sum", word[0] + word[1], 2);
}
