/* Which CPU a thread is on, as Linux's fair scheduler has it for CPUs that share a cache.
 *
 * Begin: an idle CPU, else the one with the fewest threads. Wake-up: the CPU where it ran if that is idle, else any
 * idle one, from there on; else the waker's or its own, whichever has fewer threads. A CPU that becomes idle takes a
 * thread that waits for another one, unless it has been idle for shorter times than that would pay for; so does each
 * tick of an idle one. Both leave threads that ran a moment ago (*hot*), a tick only for costs.hot_tries times on end.
 * A busy CPU does the same once in BUSY ticks where another one has more, and takes none at its first try: so of three
 * threads on two CPUs each is alone at times. */
#include "sim.h"

enum { BUSY = 8, LOOK_NS = 20000 /* at another CPU's queue */ };

static bool may(const struct fiber *fiber, uint32_t cpu)
{
    return CPU_ISSET(cpu, &fiber->mask);
}

static bool idle(uint32_t cpu)
{
    return cpus[cpu].current == NULL;
}

uint32_t migrate_new(const struct fiber *fiber, uint32_t from)
{
    uint32_t best = MOST_CPUS;
    for (uint32_t i = 0; i < cpu_count; i++) {
        uint32_t cpu = (from + i) % cpu_count;
        if (may(fiber, cpu) && (best == MOST_CPUS || cpu_wanting(&cpus[cpu]) < cpu_wanting(&cpus[best])))
            best = cpu;
    }
    return best;
}

uint32_t migrate_woken(const struct fiber *fiber)
{
    const struct fiber *by = cpu_acting();
    uint32_t before = fiber->cpu, waker = by != NULL ? by->cpu : before;
    if (may(fiber, before) && idle(before))
        return before;
    for (uint32_t i = 0; i < cpu_count; i++) {
        uint32_t cpu = (before + i) % cpu_count;
        if (may(fiber, cpu) && idle(cpu))
            return cpu;
    }
    if (may(fiber, waker) && (!may(fiber, before) || cpu_wanting(&cpus[waker]) < cpu_wanting(&cpus[before])))
        return waker;
    return may(fiber, before) ? before : migrate_new(fiber, before);
}

/* The CPU with the most threads, of those where at least so many want it. */
static uint32_t busiest(uint32_t than, uint32_t least)
{
    uint32_t best = MOST_CPUS;
    for (uint32_t i = 1; i < cpu_count; i++) {
        uint32_t cpu = (than + i) % cpu_count, wanting = cpu_wanting(&cpus[cpu]);
        if (cpus[cpu].queued > 0 && wanting >= least && (best == MOST_CPUS || wanting > cpu_wanting(&cpus[best])))
            best = cpu;
    }
    return best;
}

/* Takes a waiting thread; with `hot` also one that ran a moment ago. False: there is none. */
static bool take(uint32_t to, uint32_t from, bool hot)
{
    for (uint32_t i = 0; i < cpus[from].queued; i++) {
        struct fiber *fiber = cpus[from].queue[i];
        if (!may(fiber, to) || (!hot && now - fiber->ran < costs.hot))
            continue;
        cpu_dequeue(fiber);
        cpu_enqueue(fiber, to, false);
        return true;
    }
    return false;
}

void migrate_idle(uint32_t cpu)
{
    uint32_t from = busiest(cpu, 2);
    if (from != MOST_CPUS && cpus[cpu].mean_idle >= LOOK_NS)
        take(cpu, from, false);
}

void migrate_tick(uint32_t cpu)
{
    struct cpu *to = &cpus[cpu];
    if (!idle(cpu)) {
        if (now - to->balanced < BUSY * costs.tick)
            return;
        to->balanced = now;
    }
    uint32_t from = busiest(cpu, idle(cpu) ? 2 : cpu_wanting(to) + 1);
    if (from == MOST_CPUS || ((idle(cpu) || to->vain > 0) && take(cpu, from, to->vain >= costs.hot_tries)))
        to->vain = 0;
    else
        to->vain++;
}
