/* What threads block on: futexes, and the mutexes of pthread.h (-Wl,--wrap). */
#include <pthread.h>

#include "engine.h"
#include "history.h"
#include "state.h"

bool explore_futex_sleep(const volatile void *word, uint32_t value, uint32_t classes, bool limited, uint64_t limit)
{
    if (!X->running)
        return false;
    memory_shared((uintptr_t)word, true);
    scheduler_point(OP_SLEEP, word, "sleep", 0);
    struct fiber *me = &X->fiber[X->current];
    uint32_t found = (uint32_t)memory_read((uintptr_t)word, 4);
    if (X->mode == RANDOM_C11)
        history_load(X->current, (uintptr_t)word, found, EXPLORE_RELAXED, NULL);
    trace_step(X->current, (struct pending){found == value ? OP_SLEEP : OP_LOAD, (uintptr_t)word, "sleep", 0}, found);
    if (found != value)
        return false;
    me->asleep = true;
    me->woken = false;
    me->limited = limited;
    me->limit = X->now + limit;
    me->classes = classes;
    me->slept = ++X->sleeps;
    scheduler_point(OP_ASLEEP, word, "sleep", 0);
    me->asleep = false;
    me->pending.op = OP_LOCAL;
    return true;
}

int explore_futex_wake(const volatile void *word, int count, uint32_t classes)
{
    if (!X->running)
        return 0;
    memory_shared((uintptr_t)word, true);
    scheduler_point(OP_WAKE, word, "wake", 0);
    int woken = 0;
    while (woken < count) {
        struct fiber *next = NULL;
        for (unsigned i = 0; i < X->fibers; i++) {
            struct fiber *fiber = &X->fiber[i];
            if (fiber->asleep && !fiber->woken && !fiber->done && fiber->pending.address == (uintptr_t)word &&
                (fiber->classes & classes) && (next == NULL || fiber->slept < next->slept))
                next = fiber;
        }
        if (next == NULL)
            break;
        next->woken = true;
        woken++;
    }
    trace_step(X->current, (struct pending){OP_WAKE, (uintptr_t)word, "wake", woken}, 0);
    return woken;
}

bool mutex_is_free(uintptr_t mutex, unsigned who)
{
    for (unsigned i = 0; i < X->mutex_count; i++)
        if ((uintptr_t)X->mutexes[i].mutex == mutex)
            return X->mutexes[i].count == 0 || X->mutexes[i].owner == who;
    return true;
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!X->running)
        return 0;
    scheduler_point(OP_LOCK, mutex, "mutex", 0);
    unsigned i = 0;
    while (i < X->mutex_count && X->mutexes[i].mutex != mutex)
        i++;
    if (i == MUTEXES)
        explore_fail("too many mutexes");
    if (i == X->mutex_count) {
        X->mutexes[i].mutex = mutex;
        X->mutexes[X->mutex_count++].count = 0;
    }
    X->mutexes[i].owner = X->current;
    if (X->mode == RANDOM_C11)
        history_change(X->current, (uintptr_t)mutex, 0, 0, EXPLORE_ACQUIRE);
    if (X->mutexes[i].count++ > 0 && mutex->__data.__kind != PTHREAD_MUTEX_RECURSIVE_NP)
        explore_fail("a thread locks a mutex that it holds");
    trace_step(X->current, X->fiber[X->current].pending, 0);
    return 0;
}

/* It waits as long as it takes: that the caller gives up is not explored. */
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return __wrap_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!X->running)
        return 0;
    if (X->fiber[X->current].stores > 0)
        scheduler_point(OP_UNLOCK, mutex, "mutex", 0);
    for (unsigned i = 0; i < X->mutex_count; i++)
        if (X->mutexes[i].mutex == mutex) {
            if (X->mutexes[i].count == 0 || X->mutexes[i].owner != X->current)
                explore_fail("a thread unlocks a mutex that it does not hold");
            X->mutexes[i].count--;
            if (X->mode == RANDOM_C11)
                history_change(X->current, (uintptr_t)mutex, 0, 0, EXPLORE_RELEASE);
            X->writes++;
            X->fiber[X->current].own++;
        }
    trace_step(X->current, (struct pending){OP_UNLOCK, (uintptr_t)mutex, "mutex", 0}, 0);
    return 0;
}
