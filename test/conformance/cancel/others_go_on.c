/* A member that is done with a nowait loop cancels the region while others are still in the loop. They have met no
   cancellation point, so the loop's ordered regions exclude each other, in the order of the iterations, a sink waits
   for its source, and a reduction has all values. (The pauses make it likely that the cancellation comes in between;
   what is checked holds without them, too.)

   limit: 60
   env: OMP_CANCELLATION=true OMP_DYNAMIC=false */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../common.h"

enum { MEMBERS = 4, ROUNDS = 5 };

static atomic_int started, inside, next;

static void one_turn(int i)
{
    CHECK(atomic_fetch_add(&inside, 1) == 0);
    CHECK(atomic_fetch_add(&next, 1) == i);
    atomic_store(&started, 1);
    usleep(3000);
    atomic_fetch_sub(&inside, 1);
}

static void cancels(void)
{
    while (!atomic_load(&started))
        usleep(100);
}

static void turns(void)
{
    atomic_store(&started, 0);
    atomic_store(&next, 0);
#pragma omp parallel num_threads(MEMBERS)
    {
#pragma omp for ordered schedule(static, 1) nowait
        for (int i = 0; i < MEMBERS - 1; i++) {
#pragma omp ordered
            one_turn(i);
        }
        if (omp_get_thread_num() == MEMBERS - 1) {
            cancels();
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
    CHECK(atomic_load(&next) == MEMBERS - 1);
}

/* The member that has no iteration is any one. */
static void turns_of_dynamic_loops(void)
{
    atomic_store(&started, 0);
    atomic_store(&next, 0);
#pragma omp parallel num_threads(MEMBERS)
    {
        int iterations = 0;
#pragma omp for ordered schedule(dynamic, 1) nowait
        for (int i = 0; i < MEMBERS - 1; i++) {
            iterations++;
#pragma omp ordered
            one_turn(i);
        }
        if (iterations == 0) {
            cancels();
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
    CHECK(atomic_load(&next) == MEMBERS - 1);
}

static void sinks(void)
{
    int a[MEMBERS] = {1};
    atomic_store(&started, 0);
#pragma omp parallel num_threads(MEMBERS)
    {
#pragma omp for ordered(1) schedule(static, 1) nowait
        for (int i = 1; i < MEMBERS; i++) {
#pragma omp ordered depend(sink : i - 1)
            atomic_store(&started, 1);
            if (i == 1)
                usleep(5000);
            a[i] = a[i - 1] * 3;
#pragma omp ordered depend(source)
        }
        if (omp_get_thread_num() == MEMBERS - 1) {
            cancels();
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
    CHECK(a[1] == 3 && a[2] == 9 && a[3] == 27);
}

static void reductions(void)
{
    enum { MANY = 8 }; /* clang's code combines the values of more than four members by the runtime's tree */
    long sum = 0, count = 0;
    double all = 0;
#pragma omp parallel num_threads(MANY)
    {
#pragma omp for reduction(+ : sum, count, all) schedule(static, 1) nowait
        for (int i = 0; i < MANY; i++) {
            sum += 1 << i;
            count++;
            all += i;
            if (i % 4 == 0)
                usleep(3000);
        }
        if (omp_get_thread_num() == MANY - 1) {
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
    CHECK(sum == (1 << MANY) - 1 && count == MANY && all == MANY * (MANY - 1) / 2);
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        turns();
        turns_of_dynamic_loops();
        sinks();
        reductions();
    }
    return 0;
}
