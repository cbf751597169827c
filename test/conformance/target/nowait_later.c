/* Outside of regions and in a team of one, too, the maker of a `target nowait` goes on before its region runs: the
 * region
   may wait for what its maker does next. A taskwait, the end of a taskgroup and a barrier wait for it, and its
   dependences hold.
   limit: 60 */
#include <sched.h>
#include <stdatomic.h>

#include "../common.h"

static atomic_int gate;

static void wait_for(int value)
{
    while (gate != value)
        sched_yield();
}

static void waits(void)
{
    int a = 0;
#pragma omp target nowait map(tofrom : a)
    {
        wait_for(1);
        a = 1;
    }
    gate = 1;
#pragma omp taskwait
    CHECK(a == 1);
#pragma omp taskgroup
    {
#pragma omp target nowait map(tofrom : a)
        {
            wait_for(2);
            a = 2;
        }
        gate = 2;
    }
    CHECK(a == 2);
}

static void dependences(void)
{
    int a = 0, b = 0;
#pragma omp target nowait map(tofrom : a) depend(out : a)
    {
        wait_for(3);
        a = 3;
    }
#pragma omp target nowait map(tofrom : a) depend(inout : a)
    a *= 5;
#pragma omp task depend(in : a) shared(a, b)
    b = a + 1;
    gate = 3;
#pragma omp taskwait depend(in : a)
    CHECK(a == 15);
#pragma omp taskwait
    CHECK(b == 16);
#pragma omp target nowait map(tofrom : a) depend(inout : a)
    {
        wait_for(4);
        a++;
    }
    gate = 4;
#pragma omp target map(tofrom : a) depend(inout : a)
    a *= 2;
    CHECK(a == 32);
#pragma omp taskwait
}

static void many(void)
{
    enum { COUNT = 2000 };
    int sum = 0;
    for (int i = 0; i < COUNT; i++) {
#pragma omp target nowait map(tofrom : sum) firstprivate(i)
        {
#pragma omp atomic
            sum += i;
        }
    }
#pragma omp taskwait
    CHECK(sum == COUNT * (COUNT - 1) / 2);
}

/* Between a deferred region and the wait there is a task that defers another one. (A parallel region here hangs on
   libgomp now and then.) */
static void between(void)
{
    int a = 0;
    gate = 0;
#pragma omp target nowait map(tofrom : a)
    {
        wait_for(5);
        a = 1;
    }
#pragma omp task shared(a) if (0)
    {
#pragma omp target nowait map(tofrom : a)
        {
            wait_for(5);
#pragma omp atomic
            a++;
        }
        gate = 5;
#pragma omp taskwait
    }
#pragma omp taskwait
    CHECK(a >= 1 && a <= 2);
}

int main(void)
{
    waits();
    dependences();
    many();
    between();
#pragma omp parallel num_threads(1)
    {
        gate = 0;
        waits();
        dependences();
        int a = 0;
#pragma omp target nowait map(tofrom : a)
        {
            wait_for(7);
            a = 1;
        }
        gate = 7;
#pragma omp barrier
        CHECK(a == 1);
    }
#pragma omp parallel num_threads(3)
    {
        many();
    }
    return 0;
}
