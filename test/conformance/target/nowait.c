/* target nowait is a task: it keeps what it was given, may run on any thread of the team and is waited for like other
   tasks.
   symbols: GOMP_target_ext */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "../common.h"

static int results[40];

/* Everything that the region refers to is gone when it runs, but for what it is given and what is static. */
static void launch(int i)
{
    double large[300];
    _Alignas(64) char wide[64];
    for (int k = 0; k < 300; k++)
        large[k] = i + k;
    memset(wide, i, sizeof wide);
#pragma omp target nowait firstprivate(i, large, wide) map(tofrom : results)
    {
        CHECK(omp_get_level() == 0 && omp_get_num_threads() == 1 && !omp_in_final());
        CHECK((size_t)wide % 64 == 0 && wide[63] == i && large[299] == i + 299);
        results[i] += i + (int)large[1];
    }
    memset(large, 0, sizeof large);
    memset(wide, 99, sizeof wide);
}

static atomic_int gate_open, gate_reached;

static void wait_at_gate(void)
{
    gate_reached = 1;
    while (!gate_open)
        sched_yield();
}

static void open_gate(void)
{
    while (!gate_reached)
        sched_yield();
    gate_open = 1;
}

static void add_one(int *to)
{
#pragma omp target nowait map(tofrom : to[0 : 1])
    {
#pragma omp atomic
        to[0]++;
    }
}

static void add_ten(int *to)
{
#pragma omp target nowait map(tofrom : to[0 : 1])
    {
#pragma omp parallel num_threads(3)
#pragma omp single
        for (int i = 0; i < 10; i++)
            add_one(to);
    }
}

static void check_results(void)
{
    for (int i = 0; i < 40; i++) {
        CHECK(results[i] == 2 * i + 1);
        results[i] = 0;
    }
}

int main(void)
{
    /* Outside every region, waited for by taskwait and by taskgroup. */
    for (int i = 0; i < 40; i++)
        launch(i);
#pragma omp taskwait
    check_results();
#pragma omp taskgroup
    for (int i = 0; i < 40; i++)
        launch(i);
    check_results();

    /* The encountering thread goes on: it opens the gate that the region waits for, on the other thread. */
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target nowait thread_limit(3)
        {
            CHECK(omp_get_thread_limit() == 3);
            wait_at_gate();
        }
        open_gate();
    }

    /* In a final task nothing is deferred. */
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task final(1)
    {
        launch(7);
        CHECK(results[7] == 15);
        results[7] = 0;
    }

    /* In each other: a target region's own tasks are complete when it ends. */
    int sum = 0;
#pragma omp target map(tofrom : sum)
    add_ten(&sum);
    CHECK(sum == 10);
    return 0;
}
