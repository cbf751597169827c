/* The mutexes of pthread.h, and pthread_once (-Wl,--wrap): a thread that finds one held, or another one at work, sleeps
 * on it, as on a futex. */
#include <pthread.h>
#include <stdlib.h>

#include "sim.h"

enum { MUTEXES = 256 };

static struct mutex {
    const pthread_mutex_t *which;
    struct fiber *owner;
    unsigned count;
} mutexes[MUTEXES];

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_once(pthread_once_t *control, void (*function)(void));
int __real_pthread_once(pthread_once_t *control, void (*function)(void));

static struct mutex *find(const pthread_mutex_t *which)
{
    unsigned i = 0;
    while (i < MUTEXES && mutexes[i].which != NULL && mutexes[i].which != which)
        i++;
    if (i == MUTEXES) {
        fprintf(stderr, "simulate: too many mutexes\n");
        exit(1);
    }
    mutexes[i].which = which;
    return &mutexes[i];
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *which)
{
    if (me == NULL)
        return 0;
    struct mutex *mutex = find(which);
    cpu_use(costs.change);
    while (mutex->count > 0 && mutex->owner != me) {
        cpu_use(costs.sleep);
        if (mutex->count > 0)
            cpu_sleep(which, UINT32_MAX, NEVER);
    }
    mutex->owner = me;
    mutex->count++;
    return 0;
}

int __wrap_pthread_mutex_trylock(pthread_mutex_t *which)
{
    return __wrap_pthread_mutex_lock(which);
}

static void wake_one(const void *word)
{
    for (uint32_t i = 0; i < fiber_count; i++)
        if (fibers[i].state == ASLEEP && fibers[i].word == word) {
            fibers[i].word = NULL;
            cpu_wake(&fibers[i]);
            return;
        }
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *which)
{
    if (me == NULL)
        return 0;
    struct mutex *mutex = find(which);
    if (--mutex->count > 0)
        return 0;
    wake_one(which);
    cpu_use(costs.change);
    return 0;
}

/* One at a time: what they call does not wait for another one's. */
int __wrap_pthread_once(pthread_once_t *control, void (*function)(void))
{
    static bool held;
    static struct fiber *owner;
    if (me == NULL)
        return __real_pthread_once(control, function);
    while (held && owner != me)
        cpu_sleep(&held, UINT32_MAX, NEVER);
    bool outer = !held;
    held = true;
    owner = me;
    __real_pthread_once(control, function);
    if (outer) {
        held = false;
        wake_one(&held);
    }
    return 0;
}
