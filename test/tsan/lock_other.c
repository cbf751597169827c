/* Two threads take a lock each for the same word. Racy: not the same lock. */
#include "pair.h"

static omp_lock_t lock[2];
static int count, here;

int main(void)
{
    omp_init_lock(&lock[0]);
    omp_init_lock(&lock[1]);
#pragma omp parallel num_threads(2)
    {
        omp_lock_t *mine = &lock[IF_RACY(omp_get_thread_num()) IF_CORRECT(0)];
        meet(&here, 2);
        omp_set_lock(mine);
        count++;
        omp_unset_lock(mine);
    }
    return check("the count", count, 2);
}
