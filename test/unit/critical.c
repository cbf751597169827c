/* core/sync/critical.c from inside: entering with and without waiting exclude each other; trying never waits; a child
   of fork() finds the lock free if another thread had it and held if its own thread had it, however it was taken. */
#include "core/sync/critical.h"

#include <pthread.h>

#include "host/os.h"
#include "process.h"

enum { THREADS = 4, TURNS = 5000 };

static struct ghcomp_critical *const critical = &ghcomp_critical_unnamed;
static long counter; /* plain on purpose: only the critical section orders it */
static _Atomic uint32_t gate;

static void *add_many(void *argument)
{
    intptr_t number = (intptr_t)argument;
    for (int i = 0; i < TURNS; i++) {
        if ((i + number) % 3 == 0)
            ghcomp_critical_enter(critical);
        else
            while (!ghcomp_critical_try(critical))
                ghcomp_os_yield();
        counter++;
        CHECK(!ghcomp_critical_try(critical));
        ghcomp_critical_leave(critical);
    }
    return NULL;
}

static void excludes(void)
{
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, add_many, (void *)i));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
    CHECK_EQUAL(THREADS * TURNS, counter);
    CHECK(ghcomp_critical_try(critical));
    ghcomp_critical_leave(critical);
}

static void until(uint32_t value)
{
    while (ghcomp_load_acquire(&gate) != value)
        ghcomp_os_yield();
}

static void *holds(void *argument)
{
    CHECK(ghcomp_critical_try(critical));
    ghcomp_store_release(&gate, 1u);
    until(2);
    ghcomp_critical_leave(critical);
    return argument;
}

/* What a try returns in the child, and that the child can enter and leave afterwards. */
static void child_finds(bool held)
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(60);
        if (ghcomp_critical_try(critical) == held)
            _exit(2);
        ghcomp_critical_leave(critical);
        ghcomp_critical_enter(critical);
        if (ghcomp_critical_try(critical))
            _exit(3);
        ghcomp_critical_leave(critical);
        _exit(0);
    }
    CHECK_EQUAL(0, status_of(child));
}

static void forks(void)
{
    pthread_t other;
    CHECK_EQUAL(0, pthread_create(&other, NULL, holds, NULL));
    until(1);
    CHECK(!ghcomp_critical_try(critical)); /* a failed try does not make it this thread's */
    child_finds(false);
    ghcomp_store_release(&gate, 2u);
    CHECK_EQUAL(0, pthread_join(other, NULL));

    CHECK(ghcomp_critical_try(critical));
    child_finds(true);
    ghcomp_critical_leave(critical);
}

int main(void)
{
    excludes();
    forks();
    return 0;
}
