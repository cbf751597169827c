/* The mixed program of constructs that flang 19 does not have, or not without a library of its own, so that both parts
 * are in C: cancellation, events, ordered and doacross loops, taskloops, target regions, and a threadprivate variable
 * that both parts name. See mixed.sh. */
#include <omp.h>

#include "../conformance/common.h"

extern int library_own;
#pragma omp threadprivate(library_own)

void library_cancelling(int *gate), library_wait(void), library_fulfill(omp_event_handle_t event);
void library_in_order(int *next, int number), library_chain(int count, int *values);
int library_cancelled_loop(int count), library_own_now(void), library_test_nest_lock(void *lock);
void library_set_nest_lock(void *lock), library_unset_nest_lock(void *lock);
long library_taskloop(int count);
#pragma omp declare target
long library_region_sum(int count);
#pragma omp end declare target

enum { THREADS = 3, COUNT = 300, TURNS = 20 };

/* The library's task cancels the group before the program's, which depends on it, can begin. */
static void cancelled_group(void)
{
    int ran = 0, gate = 0;
    CHECK(omp_get_cancellation());
#pragma omp parallel num_threads(THREADS)
#pragma omp single
#pragma omp taskgroup
    {
        library_cancelling(&gate);
#pragma omp task depend(in : gate) shared(ran)
        ran = 1;
    }
    CHECK(gate == 1 && ran == 0);
}

/* How often other threads get it, by both parts' code. */
static int taken_by_others(omp_nest_lock_t *lock)
{
    int taken = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : taken)
    if (omp_get_thread_num() != 0)
        taken += library_test_nest_lock(lock) + omp_test_nest_lock(lock);
    return taken;
}

/* A nest lock that one part's code has taken is the caller's for the other's, too, and for no other thread. (gcc's
 * names its owner by the task, clang's by the thread.) */
static void nest_lock(void)
{
    static omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    CHECK(library_test_nest_lock(&lock) == 2);
    CHECK(taken_by_others(&lock) == 0);
    omp_unset_nest_lock(&lock);
    library_unset_nest_lock(&lock);
    library_set_nest_lock(&lock);
    CHECK(omp_test_nest_lock(&lock) == 2);
    CHECK(taken_by_others(&lock) == 0);
    library_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
    int count = 0;
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < COUNT; i++) {
        if ((i + omp_get_thread_num()) % 2 == 0)
            omp_set_nest_lock(&lock);
        else
            library_set_nest_lock(&lock);
        count++;
        omp_unset_nest_lock(&lock);
    }
    CHECK(count == THREADS * COUNT);
    omp_destroy_nest_lock(&lock);
}

static void events(void)
{
    int after = 0;
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : after)
        {
        }
#pragma omp task depend(in : after) shared(after)
        after = 1;
        library_fulfill(event);
        library_wait();
        CHECK(after == 1);
    }
}

static void loops(void)
{
    int next = 0, values[COUNT];
#pragma omp parallel num_threads(THREADS)
    for (int turn = 0; turn < TURNS; turn++) {
#pragma omp single
        next = 0;
#pragma omp for ordered schedule(dynamic, 2)
        for (int i = 0; i < COUNT; i++)
            library_in_order(&next, i);
        CHECK(next == COUNT);
        library_chain(COUNT, values);
        CHECK(values[COUNT - 1] == COUNT);
        CHECK(library_cancelled_loop(COUNT) <= THREADS);
        CHECK(library_taskloop(COUNT) == (long)COUNT * (COUNT - 1) / 2);
    }
}

static void thread_data(void)
{
    library_own = 7;
#pragma omp parallel num_threads(THREADS) copyin(library_own)
    {
        CHECK(library_own_now() == 7);
        library_own += omp_get_thread_num();
        CHECK(library_own_now() == 7 + omp_get_thread_num());
    }
}

static void target(void)
{
    long sum = 0;
#pragma omp target map(tofrom : sum)
    sum = library_region_sum(COUNT);
    CHECK(sum == (long)COUNT * (COUNT - 1) / 2);
}

int main(void)
{
    cancelled_group();
    nest_lock();
    events();
    loops();
    thread_data();
    target();
    return 0;
}
