/* All get the value that one member read. Racy: the others read it from the shared word meanwhile. */
#include "pair.h"

static int word, here;

int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
        int mine = 0;
        IF_RACY(meet(&here, 2);)
        IF_RACY(sum += word;)
#pragma omp single copyprivate(mine)
        {
            word = 1;
            mine = word;
        }
        sum += mine;
    }
    return check("the sum", sum, 2);
}
