/* An atomic update that needs the lock of the runtime. Racy: without it. */
#include "pair.h"

static IF_CORRECT(long double) IF_RACY(double) count;
static int here;

int main(void)
{
#pragma omp parallel num_threads(4)
    {
        meet(&here, 4);
        IF_CORRECT(_Pragma("omp atomic"))
        count += 1;
    }
    return check("the count", (long)count, 4);
}
