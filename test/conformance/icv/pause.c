/* Pausing ends the threads and works only outside regions; what follows works as before.
   symbols: omp_pause_resource omp_pause_resource_all */
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "../common.h"

static int squares(int threads)
{
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += omp_get_thread_num() * omp_get_thread_num();
    return sum;
}

/* The kernel may list a thread for a moment after its end. `rest` are those that no region made: the initial thread
   and, where the runtime lives in a GHC RTS that it booted at the first region, the threads of that RTS. */
static int rest;

static void wait_until_alone(void)
{
    while (os_threads() > rest)
        sched_yield();
}

static pthread_key_t key;
static int ended; /* atomic */

static void ends_late(void *value)
{
    (void)value;
    usleep(50000);
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
}

/* When it returns, the threads have ended. */
static void ends_before_it_returns(omp_pause_resource_t kind, int threads)
{
    __atomic_store_n(&ended, 0, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() != 0)
        pthread_setspecific(key, &ended);
    CHECK(omp_pause_resource_all(kind) == 0);
    CHECK(__atomic_load_n(&ended, __ATOMIC_RELAXED) == threads - 1);
}

int main(void)
{
    int before = os_threads();
    CHECK(before == 1);
    CHECK(omp_pause_resource_all(omp_pause_soft) == 0);
    for (int round = 0; round < 3; round++) {
        CHECK(squares(5) == 30);
        CHECK(os_threads() >= 5);
        if (round == 0)
            rest = os_threads() - 4;
        CHECK(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0);
        wait_until_alone();
        CHECK(squares(4) == 14);
        CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
        wait_until_alone();
    }
    omp_set_max_active_levels(2);
    int inner = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner)
    inner += squares(3);
    CHECK(inner == 10);
    CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
    wait_until_alone();

    CHECK(omp_pause_resource(omp_pause_soft, 1) != 0);
    CHECK(omp_pause_resource(omp_pause_soft, -7) != 0);
#pragma omp parallel num_threads(2)
    CHECK(omp_pause_resource(omp_pause_soft, 0) != 0 && omp_pause_resource_all(omp_pause_hard) != 0);
#pragma omp parallel num_threads(1)
    CHECK(omp_pause_resource_all(omp_pause_soft) != 0);
    CHECK(squares(5) == 30);

    CHECK(pthread_key_create(&key, ends_late) == 0);
    ends_before_it_returns(omp_pause_soft, 5);
    ends_before_it_returns(omp_pause_hard, 3);
    return 0;
}
