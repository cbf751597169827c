/* A lock. Racy: no thread takes it. */
#include "pair.h"

static omp_lock_t lock;
static int count, here;

int main(void)
{
    omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
    {
        meet(&here, 4);
        IF_CORRECT(omp_set_lock(&lock);)
        count++;
        IF_CORRECT(omp_unset_lock(&lock);)
    }
    return check("the count", count, 4);
}
