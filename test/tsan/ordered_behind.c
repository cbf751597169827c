/* What an iteration does behind its ordered region is not ordered. Racy: it writes a shared word there. */
#include "pair.h"

static int last, behind, here;

int main(void)
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; i++) {
        meet(&here, 2);
#pragma omp ordered
        last = last + 1;
        IF_RACY(behind = i;)
    }
    return check("the numbers", last + behind / 2, 2);
}
