/* pthread_cancel of a thread that waits in a construct. It acts at the thread's next cancellation point after the
   region, never inside the runtime: the team uses the thread's stack until the region ends. test/hostile/cancel_waits.c
   has every wait.
   hosts: posix ghc
   symbols: GOMP_doacross_wait GOMP_barrier */
#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "../common.h"
#include "../gate.h"

static int waiting, let_go, inside, complete;

/* The other thread of the region comes late. */
static void late(void)
{
    count_up(&inside);
    wait_for(&let_go);
    __atomic_fetch_sub(&inside, 1, __ATOMIC_ACQ_REL);
}

static void *in_doacross(void *unused)
{
    (void)unused;
    volatile long of_stack[4] = {0};
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2) shared(of_stack)
    for (int i = 0; i < 4; i++) {
        if (i == 1)
            late();
        if (i == 2)
            open_gate(&waiting);
#pragma omp ordered depend(sink : i - 1)
        of_stack[i] = i > 0 ? of_stack[i - 1] + 1 : 1;
#pragma omp ordered depend(source)
    }
    complete = of_stack[3] == 4;
    pthread_testcancel();
    return NULL;
}

static void *in_barrier(void *unused)
{
    (void)unused;
    volatile long of_stack[2] = {0};
#pragma omp parallel num_threads(2) shared(of_stack)
    {
        if (omp_get_thread_num() == 1)
            late();
        else
            open_gate(&waiting);
#pragma omp barrier
        of_stack[omp_get_thread_num()] = 1;
    }
    complete = of_stack[0] + of_stack[1] == 2;
    pthread_testcancel();
    return NULL;
}

static void cancelled_in(void *(*body)(void *))
{
    pthread_t thread;
    void *result;
    waiting = let_go = inside = complete = 0;
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
    wait_for(&waiting);
    wait_for(&inside);
    CHECK(pthread_cancel(thread) == 0);
    usleep(30000); /* so that the thread's wait has gone through all of its stages: it polls, yields, naps and sleeps */
    open_gate(&let_go);
    CHECK(pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    CHECK(look(&inside) == 0);
    CHECK(complete);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int i = 0; i < 5; i++) {
        cancelled_in(in_doacross);
        cancelled_in(in_barrier);
    }
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 1;
    CHECK(sum == 3);
    return 0;
}
