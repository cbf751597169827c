/* A lock held across a taskwait: the suspended task's thread starts no tasks but its descendants, so that it never
   waits for a lock that it holds itself; a task of another thread may wait for it. Locks belong to tasks.
   limit: 60
   symbols: GOMP_taskwait GOMP_task GOMP_taskgroup_end omp_set_lock omp_unset_lock
   symbols: omp_set_nest_lock omp_unset_nest_lock */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

static omp_lock_t lock;
static omp_nest_lock_t nest;
static int inside[2];

static void work(int depth, int *count)
{
    for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(count)
        {
            count_up(count);
            if (depth > 0) {
                work(depth - 1, count);
#pragma omp taskwait
            }
        }
    }
}

static void holder(int way, int *count)
{
    if (way % 2 == 0)
        omp_set_lock(&lock);
    else
        omp_set_nest_lock(&nest);
    if (way % 2) {
        /* This task owns it: setting it again raises the count. */
        CHECK(omp_test_nest_lock(&nest) == 2);
        omp_unset_nest_lock(&nest);
    }
    CHECK(count_up(&inside[way % 2]) == 1);
    if (way < 2) {
        work(2, count);
#pragma omp taskwait
    } else {
#pragma omp taskgroup
        work(2, count);
    }
    __atomic_sub_fetch(&inside[way % 2], 1, __ATOMIC_RELAXED);
    if (way % 2 == 0)
        omp_unset_lock(&lock);
    else
        omp_unset_nest_lock(&nest);
}

int main(void)
{
    omp_set_dynamic(0);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 20; pass++) {
            int count = 0;
#pragma omp parallel num_threads(threads)
            {
                /* Tasks of one kind, all made by one producer; and made by all members, which then wait for them. */
#pragma omp single
                for (int i = 0; i < 20; i++) {
#pragma omp task shared(count)
                    holder(i % 4, &count);
                }
                for (int i = 0; i < 4; i++) {
#pragma omp task shared(count)
                    holder(i, &count);
                }
#pragma omp taskwait
            }
            CHECK(count == (20 + 4 * threads) * 39);
        }
    }
    /* A child is another task than its parent, on whatever thread. */
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        int tried = -1;
        omp_set_nest_lock(&nest);
#pragma omp task shared(tried) if (0)
        tried = omp_test_nest_lock(&nest);
        CHECK(tried == 0);
#pragma omp task shared(tried)
        tried = omp_test_nest_lock(&nest) + 10;
#pragma omp taskwait
        CHECK(tried == 10);
        omp_unset_nest_lock(&nest);
#pragma omp task if (0) shared(tried)
        {
            tried = omp_test_nest_lock(&nest);
            omp_unset_nest_lock(&nest);
        }
        CHECK(tried == 1);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    return 0;
}
