/* Ordered regions take turns. Racy: without them. */
#include "pair.h"

static int last, here;

int main(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 20; i++) {
        if (i < 2)
            meet(&here, 2);
        IF_CORRECT(_Pragma("omp ordered"))
        last = last + 1;
    }
    return check("the last number", last, 20);
}
