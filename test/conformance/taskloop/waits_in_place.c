/* Waits in a taskloop's tasks that run at once, on a thread that has just made more ready tasks than fit into its
   deque. Such a wait ends, and starts no task that is no descendant.

   ghcomp-only: libgomp 12 hangs in a taskwait for a task whose event another thread fulfils
   limit: 60
   env: OMP_DYNAMIC=false */
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

#include "../common.h"

enum { READY = 1500, ROUNDS = 3, LOOP_TASKS = 64 };

static char first, other;
static int done;
static long ran;

static void one(void)
{
#pragma omp atomic
    ran++;
}

/* One task's end makes all others ready. */
static void burst(int waits)
{
#pragma omp task depend(out : first)
    one();
    for (int k = 1; k < READY; k++) {
#pragma omp task depend(in : first) firstprivate(k)
        {
            one();
            if (waits && k == READY - 1) {
#pragma omp task depend(out : other)
                one();
#pragma omp taskwait depend(in : other)
            }
        }
    }
#pragma omp taskwait
}

static void bursts(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        burst(1);
#pragma omp taskloop num_tasks(LOOP_TASKS) if (omp_get_num_threads() > 8)
        for (int i = 0; i < LOOP_TASKS; i++)
            burst(0);
    }
}

/* The other thread runs no tasks meanwhile: it is busy. */
static void beside_a_busy_thread(void (*work)(void))
{
    done = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            work();
            __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
        } else {
            while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
                usleep(100);
        }
    }
}

static omp_lock_t lock;
static int found_held;

static void *fulfill(void *event)
{
    usleep(3000);
    omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
    return NULL;
}

static void wait_for_an_event(void)
{
    omp_event_handle_t event;
    pthread_t thread;
#pragma omp task detach(event)
    one(); /* gcc leaves out the task, and its event, if it is empty */
    CHECK(pthread_create(&thread, NULL, fulfill, (void *)(uintptr_t)event) == 0);
#pragma omp taskwait
    pthread_join(thread, NULL);
}

/* A task that this thread started in the wait of another one would find the lock held, and deadlock in omp_set_lock. */
static void locked(int waits)
{
    if (!omp_test_lock(&lock)) {
        found_held++;
        return;
    }
    if (waits) {
#pragma omp taskloop num_tasks(2) if (0)
        for (int i = 0; i < 2; i++)
            wait_for_an_event();
    }
    omp_unset_lock(&lock);
}

static void lockers(void)
{
    enum { TASKS = 600, EACH = 50 };
#pragma omp task depend(out : first)
    one();
    for (int k = 0; k < TASKS; k++) {
#pragma omp task depend(in : first) firstprivate(k)
        locked(k % EACH == 0);
    }
#pragma omp taskwait
}

int main(void)
{
    beside_a_busy_thread(bursts);
    CHECK(ran == ROUNDS * (long)(READY + 1 + LOOP_TASKS * READY));
    omp_init_lock(&lock);
    beside_a_busy_thread(lockers);
    CHECK(found_held == 0);
    return 0;
}
