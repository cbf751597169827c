/* Pausing ends the threads and works only outside regions; what follows works as before.
   symbols: omp_pause_resource omp_pause_resource_all */
#include <omp.h>
#include <sched.h>

#include "../common.h"

static int squares(int threads)
{
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    sum += omp_get_thread_num() * omp_get_thread_num();
    return sum;
}

/* Threads end on their own time. `rest` are those that no region made: the initial thread and, where the runtime lives
   in a GHC RTS that it booted at the first region, the threads of that RTS. */
static int rest;

static void wait_until_alone(void)
{
    while (os_threads() > rest)
        sched_yield();
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
    return 0;
}
