/* Critical sections of one name. Racy: of two names. */
#include "pair.h"

static int count, here;

int main(void)
{
#pragma omp parallel num_threads(2)
    {
        meet(&here, 2);
        if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
            count++;
        } else {
            IF_CORRECT(_Pragma("omp critical(one)"))
            IF_RACY(_Pragma("omp critical(two)"))
            count++;
        }
    }
    return check("the count", count, 2);
}
