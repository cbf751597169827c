/* The simulated operating system (host/os.h). It is linked before the runtime's library, so os_linux.c is not. What is
 * the same for all such systems is in test/explore/engine/os_plain.c. */
#include <stdlib.h>
#include <string.h>

#include "base/atomic.h"
#include "host/os.h"
#include "sim.h"

/* --- sleeping ----------------------------------------------------------------------------------------------------- */

static void futex_sleep(_Atomic uint32_t *word, uint32_t value, uint32_t classes, uint64_t ns)
{
    if (me == NULL)
        return;
    cpu_use(costs.sleep);
    uint32_t found;
    memcpy(&found, (const void *)word, sizeof found);
    if (found == value)
        cpu_sleep(word, classes, ns);
}

/* The sleeper that has slept longest. */
static struct fiber *first_sleeper(const volatile void *word, uint32_t classes)
{
    struct fiber *first = NULL;
    for (uint32_t i = 0; i < fiber_count; i++) {
        struct fiber *fiber = &fibers[i];
        if (fiber->state == ASLEEP && fiber->word == word && (fiber->classes & classes) &&
            (first == NULL || fiber->slept < first->slept))
            first = fiber;
    }
    return first;
}

/* Those that sleep now are woken, one after the other: as in the kernel, not those that sleep again meanwhile. */
static int futex_wake(const volatile void *word, int count, uint32_t classes)
{
    if (me == NULL)
        return 0;
    cpu_use(costs.hit);
    struct { struct fiber *fiber; uint32_t sleeps; } chosen[MOST_FIBERS];
    int woken = 0;
    for (struct fiber *next; woken < count && (next = first_sleeper(word, classes)) != NULL; woken++) {
        next->word = NULL;
        chosen[woken] = (__typeof__(chosen[0])){next, next->sleeps};
    }
    for (int i = 0; i < woken; i++) {
        cpu_use(costs.wake);
        if (chosen[i].fiber->state == ASLEEP && chosen[i].fiber->sleeps == chosen[i].sleeps)
            cpu_wake(chosen[i].fiber);
    }
    return woken;
}

void ghcomp_os_sleep(_Atomic uint32_t *word, uint32_t value)
{
    futex_sleep(word, value, UINT32_MAX, NEVER);
}

void ghcomp_os_sleep_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds)
{
    futex_sleep(word, value, UINT32_MAX, nanoseconds + costs.nap);
}

int ghcomp_os_wake(_Atomic uint32_t *word, int count)
{
    return futex_wake(word, count, UINT32_MAX);
}

void ghcomp_os_sleep_class(_Atomic uint32_t *word, uint32_t value, uint32_t classes)
{
    futex_sleep(word, value, classes, NEVER);
}

void ghcomp_os_sleep_class_for(_Atomic uint32_t *word, uint32_t value, uint32_t classes, uint32_t nanoseconds)
{
    futex_sleep(word, value, classes, nanoseconds + costs.nap);
}

void ghcomp_os_wake_class(_Atomic uint32_t *word, int count, uint32_t classes)
{
    futex_wake(word, count, classes);
}

void ghcomp_os_nap(uint32_t nanoseconds)
{
    if (me == NULL)
        return;
    cpu_use(costs.sleep);
    cpu_sleep(NULL, 0, nanoseconds + costs.nap);
}

void ghcomp_os_yield(void)
{
    if (me != NULL)
        cpu_yield();
}

bool ghcomp_os_fence_all(void)
{
    static uint64_t next;
    if (me == NULL || now < next)
        return false;
    next = now + 1000 * MS / GHCOMP_FENCES_A_SECOND;
    cpu_use(costs.fence);
    return true;
}

/* --- clocks, and who wants CPUs ----------------------------------------------------------------------------------- */

uint64_t ghcomp_os_now(void)
{
    if (me != NULL)
        cpu_use(costs.clock);
    return now;
}

uint64_t ghcomp_os_cpu_time(void)
{
    cpu_use(costs.sleep);
    return process_used(OURS);
}

bool ghcomp_os_idle_time(uint64_t *nanoseconds)
{
    cpu_use(costs.ask / 2);
    *nanoseconds = cpus_idle() / (10 * MS) * (10 * MS);
    return true;
}

enum ghcomp_demand ghcomp_os_demand(void)
{
    cpu_use(costs.ask);
    uint32_t wanting = cpus_wanting();
    return wanting <= cpu_count       ? GHCOMP_DEMAND_LOW
           : wanting < 2 * cpu_count  ? GHCOMP_DEMAND_SOME
           : wanting == 2 * cpu_count ? GHCOMP_DEMAND_EACH
                                      : GHCOMP_DEMAND_CROWD;
}

bool ghcomp_os_has_all_cpus(void)
{
    return true;
}

/* --- CPUs --------------------------------------------------------------------------------------------------------- */

static cpu_set_t all;

void ghcomp_os_start(void)
{
    const char *count = getenv("SIMULATE_CPUS");
    cpu_count = count != NULL ? (uint32_t)atoi(count) : 2;
    if (cpu_count < 1 || cpu_count > MOST_CPUS)
        cpu_count = 2;
    for (uint32_t i = 0; i < cpu_count; i++)
        CPU_SET(i, &all);
}

uint32_t ghcomp_os_cpus(void)
{
    return cpu_count;
}

const cpu_set_t *ghcomp_os_affinity(size_t *size)
{
    *size = sizeof all;
    return &all;
}

int ghcomp_os_mask(cpu_set_t *into, size_t size)
{
    memset(into, 0, size);
    memcpy(into, me != NULL ? &me->mask : &all, size < sizeof all ? size : sizeof all);
    return 0;
}

int ghcomp_os_bind(const cpu_set_t *wanted, size_t size)
{
    if (me == NULL)
        return 0;
    cpu_set_t mask, possible;
    CPU_ZERO(&mask);
    memcpy(&mask, wanted, size < sizeof mask ? size : sizeof mask);
    CPU_AND(&possible, &mask, &all);
    if (CPU_COUNT(&possible) == 0)
        return 22; /* EINVAL */
    cpu_use(costs.move / 2);
    cpu_bind(me, &possible);
    return 0;
}

int ghcomp_os_cpu(void)
{
    return me != NULL ? (int)me->cpu : -1;
}

bool ghcomp_os_leave_cpu(void)
{
    cpu_set_t mask = me->mask, others = me->mask;
    CPU_CLR(me->cpu, &others);
    cpu_use(costs.move);
    if (CPU_COUNT(&others) == 0)
        return false;
    CPU_CLR(me->cpu, &others);
    if (CPU_COUNT(&others) > 0)
        cpu_bind(me, &others);
    cpu_bind(me, &mask);
    return true;
}

bool ghcomp_os_first_thread(void)
{
    return me == NULL || me->number == 0;
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

struct spawned {
    void *(*entry)(void *);
    void *argument;
};

static void run_spawned(void *argument)
{
    struct spawned spawned = *(struct spawned *)argument;
    free(argument);
    spawned.entry(spawned.argument);
}

int ghcomp_os_spawn(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack)
{
    (void)stack;
    struct spawned *spawned = malloc(sizeof *spawned);
    if (me == NULL || spawned == NULL)
        return 12; /* ENOMEM */
    *spawned = (struct spawned){entry, argument};
    struct fiber *fiber = fiber_new(OURS, run_spawned, spawned);
    *handle = fiber->number;
    cpu_use(costs.spawn);
    cpu_enqueue(fiber, migrate_new(fiber, me->cpu), false);
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
    fprintf(stderr, "simulate: no program here joins a thread of the runtime's\n");
    (void)ns;
    exit(1);
}
