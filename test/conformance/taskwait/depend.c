/* taskwait depend waits for the tasks that its dependences name, and for no others.
   limit: 60
   symbols: GOMP_taskwait_depend GOMP_task */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

static void some(int threads)
{
    int a = 0, b = 0, open = 0;
#pragma omp task depend(out : a) shared(a)
    a = 1;
#pragma omp task depend(out : b) shared(b, open)
    {
        /* Only where another thread runs the waiting one. */
        if (omp_get_thread_num() != 0 && threads > 1)
            wait_for(&open);
        b = 1;
    }
#pragma omp taskwait depend(in : a)
    CHECK(a == 1);
    open_gate(&open);
#pragma omp taskwait depend(in : a) depend(inout : b)
    CHECK(b == 1);
    /* Nothing outstanding on them. */
#pragma omp taskwait depend(inout : a, b)
    /* A chain, and what comes after a taskwait is after it for the chain too. */
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(inout : a) shared(a)
        a++;
    }
#pragma omp taskwait depend(in : a)
    CHECK(a == 21);
    /* Readers are not waited for by a reader, but by a writer. */
    int readers = 0;
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(in : a) shared(a, readers)
        {
            CHECK(a == 21);
            count_up(&readers);
        }
    }
#pragma omp taskwait depend(in : a)
#pragma omp taskwait depend(out : a)
    CHECK(readers == 20);
    a = 7;
#pragma omp task depend(in : a) shared(a)
    CHECK(a == 7);
#pragma omp taskwait
}

int main(void)
{
    omp_set_dynamic(0);
    int x = 0;
#pragma omp taskwait depend(in : x)
    some(1);
    for (int threads = 1; threads <= 8; threads *= 2) {
        int in_task = 0;
#pragma omp parallel num_threads(threads)
        {
#pragma omp master
            for (int i = 0; i < 100; i++)
                some(threads);
#pragma omp task shared(in_task)
            {
                /* In a task: dependences are between its own children. */
                int value = 0;
                for (int i = 0; i < 10; i++) {
#pragma omp task shared(value) depend(inout : value)
                    value++;
                }
#pragma omp taskwait depend(in : value)
                CHECK(value == 10);
                count_up(&in_task);
            }
        }
        CHECK(in_task == threads);
    }
    return 0;
}
