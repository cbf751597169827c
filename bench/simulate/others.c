/* What runs beside the team: other processes, which compute and sleep by the clock, and Haskell threads with their
 * collector, which are threads of the same process. Also host/capabilities.h as regions see it (-Wl,--wrap).
 *
 * A Haskell thread computes all the time and holds a Capability. Now and then the collector asks all to stop; each does
 * at its next allocation, HEAP_CHECK later at most, which may take long where it lacks a CPU. Then one thread
 * collects. From the request to the end a collection is at work. */
#include <stdlib.h>

#include "host/capabilities.h"
#include "sim.h"

enum { CHUNK = 50000, HEAP_CHECK = 10000 };

/* --- other processes ---------------------------------------------------------------------------------------------- */

static uint64_t begun; /* clock, at the run's beginning */

static void compute_and_sleep(void *data)
{
    const struct noise *noise = data;
    if (noise->begin > 0)
        cpu_sleep(NULL, 0, noise->begin);
    while (now < begun + noise->end) {
        uint64_t until = now + noise->on;
        while (now < begun + noise->end && (noise->off == 0 || now < until))
            cpu_use(noise->off == 0 || until - now > CHUNK ? CHUNK : until - now);
        if (noise->off > 0)
            cpu_sleep(NULL, 0, noise->off + costs.nap);
    }
}

void noise_start(struct noise *noise, uint32_t cpu)
{
    begun = now;
    cpu_enqueue(fiber_new(noise->process, compute_and_sleep, noise), cpu, false);
}

/* --- Haskell ------------------------------------------------------------------------------------------------------ */

static struct {
    uint32_t threads, stopped;
    uint64_t every, lasts;
    bool stop;
    char word, collector;  /* what they sleep on */
} haskell;

static void wake_on(const char *word)
{
    for (uint32_t i = 0; i < fiber_count; i++)
        if (fibers[i].state == ASLEEP && fibers[i].word == word) {
            fibers[i].word = NULL;
            cpu_wake(&fibers[i]);
        }
}

static void compute_in_haskell(void *nothing)
{
    (void)nothing;
    for (;;) {
        cpu_use(HEAP_CHECK);
        if (!haskell.stop)
            continue;
        if (++haskell.stopped == haskell.threads)
            wake_on(&haskell.collector);
        while (haskell.stop)
            cpu_sleep(&haskell.word, UINT32_MAX, NEVER);
    }
}

static void collect(void *nothing)
{
    (void)nothing;
    for (;;) {
        cpu_sleep(NULL, 0, haskell.every);
        haskell.stopped = 0;
        haskell.stop = true;
        while (haskell.stopped < haskell.threads)
            cpu_sleep(&haskell.collector, UINT32_MAX, NEVER);
        cpu_use(haskell.lasts);
        haskell.stop = false;
        wake_on(&haskell.word);
        cpu_use(costs.wake * haskell.threads);
    }
}

void haskell_start(uint32_t threads, uint64_t every, uint64_t lasts)
{
    haskell.threads = threads;
    haskell.every = every;
    haskell.lasts = lasts;
    for (uint32_t i = 0; i < threads; i++)
        cpu_enqueue(fiber_new(OURS, compute_in_haskell, NULL), (cpu_count - 1 + cpu_count - i % cpu_count) % cpu_count,
                    false);
    if (every > 0)
        cpu_enqueue(fiber_new(OURS, collect, NULL), cpu_count - 1, false);
}

uint32_t __wrap_ghcomp_capabilities_busy(void);
bool __wrap_ghcomp_capabilities_collecting(void);
bool __wrap_ghcomp_capabilities_collecting_lately(uint64_t ticks, uint32_t within);
bool __wrap_ghcomp_capabilities_held_together_lately(uint64_t ticks, uint32_t within);

uint32_t __wrap_ghcomp_capabilities_busy(void)
{
    if (me != NULL && haskell.threads > 0)
        cpu_use(haskell.threads * costs.transfer);
    return haskell.threads;
}

bool __wrap_ghcomp_capabilities_collecting(void)
{
    if (me != NULL && haskell.threads > 0)
        cpu_use(haskell.threads * costs.transfer);
    return haskell.stop;
}

bool __wrap_ghcomp_capabilities_collecting_lately(uint64_t ticks, uint32_t within)
{
    (void)ticks, (void)within;
    return haskell.threads > 0 && __wrap_ghcomp_capabilities_collecting();
}

bool __wrap_ghcomp_capabilities_held_together_lately(uint64_t ticks, uint32_t within)
{
    return __wrap_ghcomp_capabilities_collecting_lately(ticks, within);
}
