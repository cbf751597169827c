/* The calls for memory, threads, CPUs and limits, as inject.c says. */
#include "inject.h"

#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* --- memory ------------------------------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

#define INNER (inject_inner > 0 && (inject_in(&inject_libc, CALLER) || inject_in(&inject_loader, CALLER)))
#define ALLOC(call)                                                                                    \
    do                                                                                                 \
        if (inject_ready() && (inject_in(&inject_runtime, CALLER) ? inject_fails(CALL_##call)          \
                               : INNER                            ? inject_fails(CALL_inner_alloc)     \
                                                                  : NULL))                             \
            return NULL;                                                                               \
    while (0)

void *malloc(size_t size)
{
    ALLOC(malloc);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    ALLOC(calloc);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    ALLOC(realloc);
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    ALLOC(aligned_alloc);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    INJECT(posix_memalign, plan->how);
    return REAL(posix_memalign)(block, alignment, size);
}

char *strdup(const char *text)
{
    INJECT(strdup, NULL);
    WITHIN(char *, REAL(strdup)(text));
}

FILE *open_memstream(char **text, size_t *size)
{
    INJECT(open_memstream, NULL);
    WITHIN(FILE *, REAL(open_memstream)(text, size));
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    INJECT(mmap, MAP_FAILED);
    return REAL(mmap)(at, size, protection, flags, file, offset);
}

void *mremap(void *at, size_t size, size_t larger, int flags, ...)
{
    INJECT(mremap, MAP_FAILED);
    va_list rest;
    va_start(rest, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    return REAL(mremap)(at, size, larger, flags, to);
}

int mprotect(void *at, size_t size, int protection)
{
    INJECT(mprotect, -1);
    return REAL(mprotect)(at, size, protection);
}

int mlock(const void *at, size_t size)
{
    INJECT(mlock, -1);
    return REAL(mlock)(at, size);
}

int munmap(void *at, size_t size)
{
    INJECT(munmap, -1);
    return REAL(munmap)(at, size);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument)
{
    INJECT(pthread_create, plan->how);
    WITHIN(int, REAL(pthread_create)(thread, attributes, entry, argument));
}

int pthread_attr_init(pthread_attr_t *attributes)
{
    INJECT(pthread_attr_init, plan->how);
    return REAL(pthread_attr_init)(attributes);
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size)
{
    INJECT(pthread_attr_setstacksize, plan->how);
    return REAL(pthread_attr_setstacksize)(attributes, size);
}

int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size)
{
    INJECT(pthread_attr_getstacksize, plan->how);
    return REAL(pthread_attr_getstacksize)(attributes, size);
}

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int how)
{
    INJECT(pthread_attr_setdetachstate, plan->how);
    return REAL(pthread_attr_setdetachstate)(attributes, how);
}

int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *mask)
{
    INJECT(pthread_attr_setaffinity_np, plan->how);
    WITHIN(int, REAL(pthread_attr_setaffinity_np)(attributes, size, mask));
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask)
{
    INJECT(pthread_setaffinity_np, plan->how);
    return REAL(pthread_setaffinity_np)(thread, size, mask);
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    INJECT(pthread_key_create, plan->how);
    return REAL(pthread_key_create)(key, destructor);
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    INJECT(pthread_setspecific, plan->how);
    WITHIN(int, REAL(pthread_setspecific)(key, value));
}

extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object)
{
    /* Called by a jump from pthread_atfork, which is linked into the runtime. */
    const struct plan *plan = NULL;
    if (inject_ready() && inject_in(&inject_runtime, object))
        plan = inject_fails(CALL___register_atfork);
    if (plan != NULL)
        return plan->how;
    WITHIN(int, REAL(__register_atfork)(prepare, parent, child, object));
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    INJECT(pthread_mutex_init, plan->how);
    return REAL(pthread_mutex_init)(mutex, attributes);
}

/* --- CPUs and limits ---------------------------------------------------------------------------------------------- */

int sched_getaffinity(pid_t id, size_t size, cpu_set_t *mask)
{
    INJECT(sched_getaffinity, -1);
    return REAL(sched_getaffinity)(id, size, mask);
}

int sched_setaffinity(pid_t id, size_t size, const cpu_set_t *mask)
{
    INJECT(sched_setaffinity, -1);
    return REAL(sched_setaffinity)(id, size, mask);
}

int sched_getcpu(void)
{
    INJECT(sched_getcpu, -1);
    return REAL(sched_getcpu)();
}

int sched_yield(void)
{
    INJECT(sched_yield, -1);
    return REAL(sched_yield)();
}

long sysconf(int name)
{
    INJECT(sysconf, -1);
    return REAL(sysconf)(name);
}

int getrlimit(__rlimit_resource_t which, struct rlimit *limit)
{
    INJECT(getrlimit, -1);
    return REAL(getrlimit)(which, limit);
}

int gethostname(char *name, size_t size)
{
    INJECT(gethostname, -1);
    return REAL(gethostname)(name, size);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    INJECT(clock_gettime, -1);
    return REAL(clock_gettime)(clock, now);
}
