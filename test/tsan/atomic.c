/* An atomic update, by an instruction. Racy: without it. */
#include "pair.h"

static int count;
static int here;

int main(void)
{
#pragma omp parallel num_threads(4)
    {
        meet(&here, 4);
        IF_CORRECT(_Pragma("omp atomic"))
        count++;
    }
    return check("the count", (long)count, 4);
}
