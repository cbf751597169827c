/* Simulated CPUs: who runs, for how long, and who is next.
 *
 * The scheduler is modelled after EEVDF, as Linux 6.18 has it. Each thread has a virtual time, which is its CPU time,
 * and a deadline a slice ahead. A thread is *eligible* while its time is not ahead of the mean of those that want its
 * CPU; of these the one with the first deadline runs. A thread that wakes up preempts another one if its deadline is
 * earlier; else a tick ends a slice. A yield gives up what is left of the slice: the thread's
 * time becomes its deadline. A thread that sleeps keeps what it is behind the mean, and not what it is ahead.
 *
 * What is left out: weights, groups, real-time priorities, interrupts, and that a CPU is one of two of a core. */
#include <stdlib.h>
#include <string.h>

#include "sim.h"

struct cpu cpus[MOST_CPUS];
uint32_t cpu_count;
uint64_t now;
static uint64_t slice;
static uint64_t ahead; /* so far a thread may run ahead of what is next elsewhere: saves switches where CPUs are many */
static bool between; /* no fiber's code runs: something happens */

/* The kernel's base slice: 0.7 ms, and as much again for each doubling of the CPUs up to 8. */
static uint64_t slice_of(uint32_t count)
{
    uint64_t doublings = count >= 8 ? 3 : count >= 4 ? 2 : count >= 2 ? 1 : 0;
    return 700 * US * (1 + doublings);
}

void cpus_start(uint32_t count, uint64_t until)
{
    cpu_count = count;
    now = 3600 * 1000 * MS; /* the machine has been up for a while */
    slice = slice_of(count);
    ahead = count > 8 ? 20 : 0;
    for (uint32_t i = 0; i < count; i++) {
        cpus[i] = (struct cpu){.idle_since = now, .mean_idle = MS};
        events_add(now + costs.tick * (i + 1) / count, EVENT_TICK, i, 0);
    }
    events_add(now + until, EVENT_END, 0, 0);
}

uint32_t cpu_wanting(const struct cpu *cpu)
{
    return cpu->queued + (cpu->current != NULL);
}

uint32_t cpus_wanting(void)
{
    uint32_t wanting = 0;
    for (uint32_t i = 0; i < cpu_count; i++)
        wanting += cpu_wanting(&cpus[i]);
    return wanting;
}

uint64_t cpus_idle(void)
{
    uint64_t idle = 0;
    for (uint32_t i = 0; i < cpu_count; i++) {
        const struct cpu *cpu = &cpus[i];
        idle += cpu->idle_for + (cpu->current == NULL ? now - cpu->idle_since : 0);
        idle -= cpu->current != NULL && cpu->since > now ? cpu->since - now : 0;
    }
    return idle;
}

/* --- time --------------------------------------------------------------------------------------------------------- */

/* The CPU's thread leaves, or is looked at, before it has begun. */
static void settle(struct cpu *cpu)
{
    if (cpu->current != NULL && cpu->since > now) {
        cpu->idle_for -= cpu->since - now;
        cpu->since = now;
    }
}

static void charge(struct cpu *cpu)
{
    if (cpu->current == NULL || now <= cpu->since)
        return;
    uint64_t passed = now - cpu->since;
    cpu->since = now;
    cpu->current->used += passed;
    cpu->current->vruntime += (int64_t)passed;
}

uint64_t process_used(uint32_t process)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < cpu_count; i++)
        charge(&cpus[i]);
    for (uint32_t i = 0; i < fiber_count; i++)
        if (fibers[i].process == process)
            used += fibers[i].used;
    return used;
}

static int64_t mean_time(const struct cpu *cpu)
{
    int64_t base = cpu->current != NULL ? cpu->current->vruntime : cpu->queued > 0 ? cpu->queue[0]->vruntime : 0;
    int64_t sum = 0, count = cpu_wanting(cpu);
    for (uint32_t i = 0; i < cpu->queued; i++)
        sum += cpu->queue[i]->vruntime - base;
    return count > 0 ? base + sum / count : base;
}

static void renew_deadline(struct fiber *fiber)
{
    if (fiber->vruntime >= fiber->deadline)
        fiber->deadline = fiber->vruntime + (int64_t)slice;
}

/* Which of the queue is to run, `current` aside, and NULL if that is. */
static struct fiber *choose(const struct cpu *cpu)
{
    int64_t mean = mean_time(cpu);
    struct fiber *best = cpu->current != NULL && cpu->current->vruntime <= mean ? cpu->current : NULL, *first = NULL;
    for (uint32_t i = 0; i < cpu->queued; i++) {
        struct fiber *fiber = cpu->queue[i];
        if (first == NULL || fiber->vruntime < first->vruntime)
            first = fiber;
        if (fiber->vruntime <= mean && (best == NULL || fiber->deadline < best->deadline))
            best = fiber;
    }
    best = best != NULL ? best : first;
    return best == cpu->current ? NULL : best;
}

/* --- who is on the CPU -------------------------------------------------------------------------------------------- */

static void arm(struct cpu *cpu, uint64_t at)
{
    cpu->go = at;
    events_add(at, EVENT_GO, (uint32_t)(cpu - cpus), ++cpu->generation);
}

static void take_out(struct cpu *cpu, uint32_t place)
{
    cpu->queued--;
    memmove(&cpu->queue[place], &cpu->queue[place + 1], (cpu->queued - place) * sizeof *cpu->queue);
}

void cpu_dequeue(struct fiber *fiber)
{
    struct cpu *cpu = &cpus[fiber->cpu];
    uint32_t i = 0;
    while (cpu->queue[i] != fiber)
        i++;
    fiber->lag = mean_time(cpu) - fiber->vruntime;
    take_out(cpu, i);
}

/* The thread gets the CPU, which nobody has. A switch takes time of its own, the latency of a wake-up is idle time. */
static void dispatch(struct cpu *cpu, struct fiber *fiber, bool woken)
{
    if (cpu->current == NULL && cpu->idle_since != NEVER) {
        uint64_t idle = now - cpu->idle_since;
        cpu->idle_for += idle;
        if (idle > 0)
            cpu->mean_idle += ((int64_t)idle - (int64_t)cpu->mean_idle) / 8;
        cpu->mean_idle = cpu->mean_idle > MS ? MS : cpu->mean_idle;
        cpu->idle_since = NEVER;
    }
    fiber->state = RUNNING;
    fiber->cpu = (uint32_t)(cpu - cpus);
    cpu->current = fiber;
    cpu->since = woken ? now + costs.latency : now;
    cpu->idle_for += cpu->since - now;
    cpu->must_switch = false;
    renew_deadline(fiber);
    arm(cpu, now + (woken ? costs.latency : costs.swap) + fiber->need);
}

/* The CPU has lost its thread: the next one of the queue, one of another CPU's, or nobody. */
static void next_thread(struct cpu *cpu)
{
    cpu->generation++;
    cpu->current = NULL;
    struct fiber *next = choose(cpu);
    if (next == NULL) {
        cpu->idle_since = now;
        migrate_idle((uint32_t)(cpu - cpus));
        return;
    }
    uint32_t i = 0;
    while (cpu->queue[i] != next)
        i++;
    take_out(cpu, i);
    dispatch(cpu, next, false);
}

/* The CPU's thread goes to the queue's end, and another one runs. */
static void put_back(struct cpu *cpu)
{
    struct fiber *fiber = cpu->current;
    charge(cpu);
    settle(cpu);
    fiber->need = cpu->go > now ? cpu->go - now : 0;
    fiber->state = QUEUED;
    fiber->ran = now;
    cpu->generation++;
    cpu->current = NULL;
    struct fiber *next = choose(cpu);
    uint32_t i = 0;
    while (cpu->queue[i] != next)
        i++;
    take_out(cpu, i);
    cpu->queue[cpu->queued++] = fiber;
    dispatch(cpu, next, false);
}

struct fiber *cpu_acting(void)
{
    return between ? NULL : me;
}

/* Somebody else is to have the CPU. The thread whose code runs just now leaves at its next operation. */
static void preempt(struct cpu *cpu)
{
    if (cpu->current == cpu_acting())
        cpu->must_switch = true;
    else
        put_back(cpu);
}

void cpu_enqueue(struct fiber *fiber, uint32_t number, bool woken)
{
    struct cpu *cpu = &cpus[number];
    charge(cpu);
    int64_t mean = mean_time(cpu), wanting = cpu_wanting(cpu);
    fiber->vruntime = mean - (wanting > 0 ? fiber->lag * (wanting + 1) / wanting : fiber->lag);
    fiber->deadline = fiber->vruntime + (int64_t)slice;
    fiber->cpu = number;
    fiber->state = QUEUED;
    if (cpu->current == NULL) {
        dispatch(cpu, fiber, woken);
        return;
    }
    cpu->queue[cpu->queued++] = fiber;
    if (woken) {
        renew_deadline(cpu->current);
        if (choose(cpu) == fiber)
            preempt(cpu);
    }
}

static void tick(uint32_t number)
{
    struct cpu *cpu = &cpus[number];
    charge(cpu);
    if (cpu->current != NULL && cpu->queued > 0 && cpu->current->vruntime >= cpu->current->deadline) {
        renew_deadline(cpu->current);
        if (choose(cpu) != NULL)
            preempt(cpu);
    }
    migrate_tick(number);
    events_add(now + costs.tick, EVENT_TICK, number, 0);
}

/* --- what happens ------------------------------------------------------------------------------------------------- */

/* Until the calling fiber goes on. */
static void run(void)
{
    between = true;
    for (;;) {
        struct event event = events_next();
        now = event.at > now ? event.at : now;
        struct cpu *cpu = &cpus[event.who < MOST_CPUS ? event.who : 0];
        switch (event.kind) {
        case EVENT_GO:
            if (event.generation != cpu->generation)
                break;
            charge(cpu);
            cpu->current->need = 0;
            between = false;
            fiber_go_to(cpu->current);
            return;
        case EVENT_TICK:
            tick(event.who);
            break;
        case EVENT_TIMER:
            if (fibers[event.who].state != ASLEEP || fibers[event.who].sleeps != event.generation)
                break;
            fibers[event.who].timed_out = true;
            cpu_wake(&fibers[event.who]);
            break;
        case EVENT_SAMPLE:
            run_sample();
            break;
        case EVENT_END:
            fibers_stop();
            return;
        }
    }
}

void cpus_run(void)
{
    run();
}

void cpu_use(uint64_t ns)
{
    struct cpu *cpu = &cpus[me->cpu];
    if (!cpu->must_switch && now + ns < events_first() + ahead) {
        now += ns;
        return;
    }
    cpu->go = now + ns;
    if (cpu->must_switch) {
        cpu->must_switch = false;
        if (cpu->queued > 0) {
            put_back(cpu);
            run();
            return;
        }
    }
    arm(cpu, now + ns);
    run();
}

uint64_t cpu_pause(uint64_t ns)
{
    charge(&cpus[me->cpu]);
    uint64_t used = me->used;
    me->pausing = true;
    cpu_use(ns);
    me->pausing = false;
    charge(&cpus[me->cpu]);
    return me->used - used;
}

void cpu_end_pause(struct fiber *fiber)
{
    if (!fiber->pausing || fiber == me)
        return;
    fiber->pausing = false;
    uint64_t left = costs.pause / 2;
    if (fiber->state != RUNNING)
        fiber->need = fiber->need < left ? fiber->need : left;
    else if (cpus[fiber->cpu].go > now + left)
        arm(&cpus[fiber->cpu], now + left);
}

void cpu_yield(void)
{
    struct cpu *cpu = &cpus[me->cpu];
    cpu_use(costs.yield);
    cpu = &cpus[me->cpu];
    if (cpu->queued == 0)
        return;
    charge(cpu);
    if (me->vruntime <= mean_time(cpu)) {
        me->vruntime = me->deadline;
        me->deadline += (int64_t)slice;
    }
    cpu->go = now;
    if (choose(cpu) == NULL)
        return;
    put_back(cpu);
    run();
}

bool cpu_sleep(const volatile void *word, uint32_t classes, uint64_t ns)
{
    struct cpu *cpu = &cpus[me->cpu];
    charge(cpu);
    me->lag = mean_time(cpu) - me->vruntime;
    me->state = ASLEEP;
    me->word = word;
    me->classes = classes;
    me->timed_out = false;
    me->slept = me->ran = now;
    me->need = 0;
    me->sleeps++;
    if (ns != NEVER)
        events_add(now + ns, EVENT_TIMER, me->number, me->sleeps);
    next_thread(cpu);
    run();
    return !me->timed_out;
}

void cpu_wake(struct fiber *fiber)
{
    int64_t limit = 2 * (int64_t)slice, slept = (int64_t)(now - fiber->slept);
    if (fiber->lag < 0)
        fiber->lag = fiber->lag + slept > 0 ? 0 : fiber->lag + slept;
    fiber->lag = fiber->lag > limit ? limit : fiber->lag < -limit ? -limit : fiber->lag;
    fiber->sleeps++;
    cpu_enqueue(fiber, migrate_woken(fiber), true);
}

void cpu_end(void)
{
    struct cpu *cpu = &cpus[me->cpu];
    charge(cpu);
    me->state = OVER;
    next_thread(cpu);
    run();
}

void cpu_bind(struct fiber *fiber, const cpu_set_t *mask)
{
    fiber->mask = *mask;
    if (CPU_ISSET(fiber->cpu, mask))
        return;
    struct cpu *cpu = &cpus[fiber->cpu];
    charge(cpu);
    fiber->lag = mean_time(cpu) - fiber->vruntime;
    fiber->ran = now;
    fiber->need = 0;
    next_thread(cpu); /* only a thread itself is bound */
    cpu_enqueue(fiber, migrate_new(fiber, fiber->cpu), false);
    run();
}
