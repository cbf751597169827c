/* The orders of worksharing constructs that libgomp and libomp always keep: which iterations of a static loop a thread
 * has, and that they rise; that each thread's sections rise; that single regions are met in order; that the numbers of
 * threads stay with the threads, and so does threadprivate data, over regions of the same size.
 *
 * hosts: posix ghc
 * limit: 60
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"

enum { ROUNDS = 60, COUNT = 101 };

static void fixed(int threads)
{
    int owner[COUNT];
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num(), last = -1;
#pragma omp for schedule(static)
        for (int i = 0; i < COUNT; i++) {
            CHECK(i > last);
            last = i;
            owner[i] = me;
        }
        last = -1;
#pragma omp for schedule(static, 3)
        for (int i = 0; i < COUNT; i++) {
            CHECK(i > last && i / 3 % threads == me);
            last = i;
        }
    }
    /* Blocks in the order of the threads, the longer ones first. */
    int at = 0;
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < COUNT / threads + (t < COUNT % threads); i++)
            CHECK(owner[at++] == t);
}

#define SECTION(number)                 \
    {                                   \
        order_see(number);              \
        order_work(number * 377 % 500); \
    }
static void sections(int threads)
{
#pragma omp parallel sections num_threads(threads)
    {
#pragma omp section
        SECTION(0)
#pragma omp section
        SECTION(1)
#pragma omp section
        SECTION(2)
#pragma omp section
        SECTION(3)
#pragma omp section
        SECTION(4)
#pragma omp section
        SECTION(5)
#pragma omp section
        SECTION(6)
#pragma omp section
        SECTION(7)
    }
    order_rises(8);
}

static int kept;
#pragma omp threadprivate(kept)

static void threads_stay(int threads)
{
    long thread[ORDER_THREADS];
    int *where[ORDER_THREADS];
    for (int again = 0; again < 3; again++) {
#pragma omp parallel num_threads(threads)
        {
            int me = omp_get_thread_num();
            if (again == 0) {
                thread[me] = syscall(SYS_gettid);
                where[me] = &kept;
                kept = 1000 * threads + me;
            }
            CHECK(thread[me] == syscall(SYS_gettid) && where[me] == &kept && kept == 1000 * threads + me);
        }
    }
}

static void singles(int threads)
{
    int met = 0;
#pragma omp parallel num_threads(threads)
    for (int i = 0; i < 20; i++) {
#pragma omp single
        CHECK(met++ == i);
    }
}

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 0; round < ROUNDS; round++) {
        int threads = 1 + round % 8;
        fixed(threads);
        sections(threads);
        threads_stay(threads);
        singles(threads);
    }
    return 0;
}
