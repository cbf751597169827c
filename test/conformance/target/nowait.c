/* target nowait is a task: it copies its arguments, may run on any thread of the team and is waited for like other
   tasks.
   symbols: GOMP_target_ext */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "../common.h"
#include "launch.h"

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
