/* A critical section with a name. Racy: without it. */
#include "pair.h"

static int count;
static int here;

int main(void)
{
#pragma omp parallel num_threads(4)
    {
        meet(&here, 4);
        IF_CORRECT(_Pragma("omp critical(of_this_name)"))
        count++;
    }
    return check("the count", (long)count, 4);
}
