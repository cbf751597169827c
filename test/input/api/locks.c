/* Locks in the states that libgomp survives: never initialised but zero, destroyed, unset without being set,
 * initialised twice, and nest locks that are set very often. Afterwards each works as a lock.
 * limit: 60 */
#include <omp.h>

#include "../../conformance/common.h"

static int counter;

static void check_lock(omp_lock_t *lock)
{
    counter = 0;
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 500; i++) {
        omp_set_lock(lock);
        counter++;
        omp_unset_lock(lock);
    }
    CHECK(counter == 2000);
    CHECK(omp_test_lock(lock));
    CHECK(!omp_test_lock(lock));
    omp_unset_lock(lock);
}

static void check_nest_lock(omp_nest_lock_t *lock)
{
    counter = 0;
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 500; i++) {
        omp_set_nest_lock(lock);
        omp_set_nest_lock(lock);
        counter++;
        omp_unset_nest_lock(lock);
        omp_unset_nest_lock(lock);
    }
    CHECK(counter == 2000);
    CHECK(omp_test_nest_lock(lock) == 1 && omp_test_nest_lock(lock) == 2);
    omp_unset_nest_lock(lock);
    omp_unset_nest_lock(lock);
}

int main(void)
{
    static omp_lock_t zero;
    static omp_nest_lock_t zero_nest;
    check_lock(&zero);
    check_nest_lock(&zero_nest);

    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    omp_init_nest_lock(&nest);
    check_lock(&lock);
    check_nest_lock(&nest);

    /* Destroyed, twice, also while it is set. */
    omp_destroy_lock(&lock);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    omp_destroy_nest_lock(&nest);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    omp_set_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    check_lock(&lock);
    check_nest_lock(&nest);

    /* Unset without being set. */
    omp_unset_lock(&lock);
    check_lock(&lock);

    enum { DEEP = 100000 };
    for (int i = 1; i <= DEEP; i++) {
        omp_set_nest_lock(&nest);
        CHECK(i % 1000 != 0 || omp_test_nest_lock(&nest) == i + 1);
        if (i % 1000 == 0)
            omp_unset_nest_lock(&nest);
    }
    for (int i = 0; i < DEEP; i++)
        omp_unset_nest_lock(&nest);
    check_nest_lock(&nest);
    return 0;
}
