/* The explorer's operating system: host/os.h for the explorer's threads (explore.c). It is linked before the runtime's
 * library, so os_linux.c is not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "host/os.h"
#include "host/os_attributes.h"

void ghcomp_os_sleep(_Atomic uint32_t *word, uint32_t value)
{
    explore_futex_sleep(word, value, UINT32_MAX, false, 0);
}

void ghcomp_os_sleep_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds)
{
    explore_futex_sleep(word, value, UINT32_MAX, true, nanoseconds);
}

int ghcomp_os_wake(_Atomic uint32_t *word, int count)
{
    return explore_futex_wake(word, count, UINT32_MAX);
}

void ghcomp_os_sleep_class(_Atomic uint32_t *word, uint32_t value, uint32_t classes)
{
    explore_futex_sleep(word, value, classes, false, 0);
}

void ghcomp_os_sleep_class_for(_Atomic uint32_t *word, uint32_t value, uint32_t classes, uint32_t nanoseconds)
{
    explore_futex_sleep(word, value, classes, true, nanoseconds);
}

void ghcomp_os_wake_class(_Atomic uint32_t *word, int count, uint32_t classes)
{
    explore_futex_wake(word, count, classes);
}

bool ghcomp_os_fence_all(void)
{
    return explore_fence_all();
}

void ghcomp_os_nap(uint32_t nanoseconds)
{
    explore_yield(nanoseconds);
}

void ghcomp_os_yield(void)
{
    explore_yield(0);
}

uint64_t ghcomp_os_now(void)
{
    return explore_now();
}

/* Without other processes. */
uint64_t ghcomp_os_cpu_time(void)
{
    return explore_now();
}

bool ghcomp_os_idle_time(uint64_t *nanoseconds)
{
    *nanoseconds = 0;
    return true;
}

/* There are no threads but the harness's. */
enum ghcomp_demand ghcomp_os_demand(void)
{
    return GHCOMP_DEMAND_SOME;
}

bool ghcomp_os_has_all_cpus(void)
{
    return true;
}

static cpu_set_t mask;

void ghcomp_os_start(void)
{
    CPU_SET(0, &mask);
    CPU_SET(1, &mask);
}

uint32_t ghcomp_os_cpus(void)
{
    return 2;
}

const cpu_set_t *ghcomp_os_affinity(size_t *size)
{
    *size = sizeof mask;
    return &mask;
}

int ghcomp_os_mask(cpu_set_t *into, size_t size)
{
    memcpy(into, &mask, size < sizeof mask ? size : sizeof mask);
    return 0;
}

int ghcomp_os_bind(const cpu_set_t *wanted, size_t size)
{
    (void)wanted;
    (void)size;
    return 0;
}

int ghcomp_os_cpu(void)
{
    return -1;
}

bool ghcomp_os_leave_cpu(void)
{
    return false;
}

bool ghcomp_os_first_thread(void)
{
    return false;
}

int ghcomp_os_spawn(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack)
{
    (void)stack;
    *handle = 0;
    explore_spawn(entry, argument);
    return 0;
}

int ghcomp_os_spawn_at_once(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack)
{
    return ghcomp_os_spawn(handle, entry, argument, stack);
}

int ghcomp_os_spawn_quiet(pthread_t *handle, void *(*entry)(void *), void *argument)
{
    return ghcomp_os_spawn(handle, entry, argument, 0);
}

void ghcomp_os_detach(pthread_t handle)
{
    (void)handle;
}

uint64_t ghcomp_os_join(pthread_t handle, uint64_t ns)
{
    (void)handle;
    (void)ns;
    fprintf(stderr, "no program that is explored joins a thread of the runtime's\n");
    exit(1);
}
