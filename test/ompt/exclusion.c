/* Locks, nest locks, critical sections and atomic constructs of a size that no instruction has. */
#include "record.h"

enum { THREADS = 4, TIMES = 200 };

static void at_finalize(void)
{
}

int main(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    long sums[4] = {0};
#ifndef __clang__ /* which needs a library of its own for it */
    long double wide = 0;
#endif
    _Atomic int tried = 0, got = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    CHECK(COUNT(LOCK_INIT) == 2);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < TIMES; i++) {
        omp_set_lock(&lock);
        sums[0]++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        sums[1]++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp critical
        sums[2]++;
#pragma omp critical(named)
        sums[3]++;
#ifndef __clang__
#pragma omp atomic
        wide += 1;
#endif
        tried++;
        if (omp_test_lock(&lock)) {
            got++;
            omp_unset_lock(&lock);
        }
    }
    enum { ALL = THREADS * TIMES };
    CHECK(COUNT(MUTEX_TAKEN + ompt_mutex_lock) == ALL && COUNT(MUTEX_WAIT + ompt_mutex_lock) == ALL);
    CHECK(COUNT(MUTEX_GIVEN + ompt_mutex_lock) == ALL + (unsigned)got);
    CHECK(COUNT(MUTEX_WAIT + ompt_mutex_test_lock) == (unsigned)tried);
    CHECK(COUNT(MUTEX_TAKEN + ompt_mutex_test_lock) == (unsigned)got);
    CHECK(COUNT(MUTEX_TAKEN + ompt_mutex_nest_lock) == ALL && COUNT(MUTEX_GIVEN + ompt_mutex_nest_lock) == ALL);
    CHECK(COUNT(NEST_BEGIN) == ALL && COUNT(NEST_END) == ALL);
    CHECK(COUNT(MUTEX_TAKEN + ompt_mutex_critical) == 2 * ALL && COUNT(MUTEX_GIVEN + ompt_mutex_critical) == 2 * ALL);
    CHECK(COUNT(MUTEX_TAKEN + ompt_mutex_atomic) == COUNT(MUTEX_GIVEN + ompt_mutex_atomic));
    int depth_of = omp_test_nest_lock(&nest);
    CHECK(depth_of == 1 && omp_test_nest_lock(&nest) == 2);
    CHECK(COUNT(MUTEX_TAKEN + ompt_mutex_test_nest_lock) == 1 && COUNT(NEST_BEGIN) == ALL + 1);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    CHECK(COUNT(LOCK_DESTROY) == 2);
    for (int i = 0; i < 4; i++)
        CHECK(sums[i] == ALL);
#ifndef __clang__
    CHECK(wide == ALL && COUNT(MUTEX_TAKEN + ompt_mutex_atomic) == ALL);
#endif
    return 0;
}
