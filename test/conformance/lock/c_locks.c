/* omp_lock_t and omp_nest_lock_t: exclusion, omp_test_lock, nesting counts, ownership by tasks.
 *
 * symbols: omp_init_lock omp_set_lock omp_unset_lock omp_test_lock omp_destroy_lock omp_init_nest_lock
 *   omp_set_nest_lock omp_unset_nest_lock omp_test_nest_lock omp_destroy_nest_lock
 * limit: 60
 */
#include <omp.h>
#include <stdio.h>

enum { TURNS = 2000, THREADS = 4 };

#define CHECK(condition)                                             \
    do                                                               \
        if (!(condition)) {                                          \
            printf("%d: %s does not hold\n", __LINE__, #condition);  \
            return 1;                                                \
        }                                                            \
    while (0)

int main(void)
{
    omp_lock_t lock;
    omp_nest_lock_t nest;
    long counter = 0;
    int failed = 0;

    omp_init_lock(&lock);
    CHECK(omp_test_lock(&lock));
    CHECK(!omp_test_lock(&lock));
    omp_unset_lock(&lock);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < TURNS; i++) {
        if (i % 3 == 0)
            while (!omp_test_lock(&lock))
                ;
        else
            omp_set_lock(&lock);
        counter++;
        omp_unset_lock(&lock);
    }
    CHECK(counter == THREADS * TURNS);
    omp_destroy_lock(&lock);

    omp_init_nest_lock(&nest);
    CHECK(omp_test_nest_lock(&nest) == 1);
    omp_set_nest_lock(&nest);
    CHECK(omp_test_nest_lock(&nest) == 3);
#pragma omp parallel num_threads(2) reduction(+ : failed)
    failed += omp_test_nest_lock(&nest) != 0; /* the implicit tasks are other tasks, the master's too */
    CHECK(failed == 0);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp parallel num_threads(2) reduction(+ : failed)
    failed += omp_test_nest_lock(&nest) != 0;
    CHECK(failed == 0);
    omp_unset_nest_lock(&nest);
    counter = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : failed)
    for (int i = 0; i < TURNS; i++) {
        omp_set_nest_lock(&nest);
        failed += omp_test_nest_lock(&nest) != 2;
        counter++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    CHECK(failed == 0 && counter == THREADS * TURNS);
    omp_destroy_nest_lock(&nest);
    return 0;
}
