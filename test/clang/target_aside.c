/* target nowait of clang's code runs beside its maker, which may wait for it without a task scheduling point: on libomp
 * hidden helper threads run it. Dependent regions follow each other without the maker; there may be any number; regions
 * in them may have threads.
 *
 * limit: 100
 */
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

#include "kmp.h"

static atomic_int done;
#pragma clang diagnostic ignored "-Wopenmp-mapping" /* the device is the host */

static void wait_until(int value)
{
    while (done != value)
        sched_yield();
}

/* The maker waits for its region, which waits for the maker. */
static void alone(void)
{
    done = 0;
#pragma omp target nowait
    {
        wait_until(1);
        done = 2;
    }
    done = 1;
    wait_until(2);
#pragma omp taskwait
}

/* The second region starts when the first one ends, although the maker is elsewhere. */
static void chain(void)
{
    int a = 0;
    done = 0;
#pragma omp target nowait map(tofrom : a) depend(out : a)
    a = 1;
#pragma omp target nowait map(tofrom : a) depend(inout : a)
    a += 10;
#pragma omp target nowait map(tofrom : a) depend(in : a)
    done = a;
    wait_until(11);
#pragma omp taskwait
}

static void many(void)
{
    enum { COUNT = 3000 };
    int sum = 0;
    done = 0;
    for (int i = 0; i < COUNT; i++) {
#pragma omp target nowait map(tofrom : sum) firstprivate(i)
        {
#pragma omp atomic
            sum += i;
            done++;
        }
    }
    wait_until(COUNT);
#pragma omp taskwait
    CHECK(sum == COUNT * (COUNT - 1) / 2);
}

static void inner(void)
{
    int sum = 0, size = 0; /* libomp: one thread */
#pragma omp target nowait map(tofrom : sum, size)
    {
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
            sum += 1 + omp_get_thread_num();
#pragma omp single nowait
            size = omp_get_num_threads();
        }
    }
#pragma omp taskwait
    CHECK(size > 0 && sum == size * (size + 1) / 2);
}

static void in_team(void)
{
    int bad = 0;
#pragma omp parallel num_threads(4) reduction(+ : bad)
    {
        int a = 0;
        for (int i = 0; i < 100; i++) {
#pragma omp target nowait map(tofrom : a) depend(inout : a)
            a++;
        }
#pragma omp taskwait
        bad += a != 100;
    }
    CHECK(bad == 0);
    int sum = 0, size = 0;
#pragma omp parallel num_threads(3) reduction(+ : size) /* the region's end waits */
    {
        size++;
#pragma omp target nowait map(tofrom : sum)
        {
#pragma omp atomic
            sum++;
        }
    }
    CHECK(sum == size);
#pragma omp taskgroup
    {
#pragma omp target nowait map(tofrom : sum)
        sum *= 2;
    }
    CHECK(sum == 2 * size);
}

int main(void)
{
    alone();
    chain();
    many();
    inner();
    in_team();
    return 0;
}
