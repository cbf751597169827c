/* The mutexes of pthread.h (-Wl,--wrap): a thread that finds one held sleeps on it, as on a futex. */
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

int __wrap_pthread_mutex_unlock(pthread_mutex_t *which)
{
    if (me == NULL)
        return 0;
    struct mutex *mutex = find(which);
    if (--mutex->count > 0)
        return 0;
    for (uint32_t i = 0; i < fiber_count; i++)
        if (fibers[i].state == ASLEEP && fibers[i].word == which) {
            fibers[i].word = NULL;
            cpu_wake(&fibers[i]);
            break;
        }
    cpu_use(costs.change);
    return 0;
}
