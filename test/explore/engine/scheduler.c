/* The scheduler: each thread calls it before a step, and the thread that the search chooses takes one.
 *
 * Three kinds of entities take steps (struct ready): a thread that can go on, a buffer, whose oldest store becomes
 * visible, a sleep that ends for no reason. Deadlocks and livelocks (explore.c) are found here. */
#include <stdlib.h>

#include "state.h"

enum { STUCK = 40 };

static bool all_flushed(void)
{
    for (unsigned i = 0; i < X->fibers; i++)
        if (X->fiber[i].stores > 0)
            return false;
    return true;
}

/* Whether the thread can continue. `stuck`: no other thread can, so yielding threads check once more. */
static inline bool can_go_on(unsigned who, bool stuck)
{
    struct fiber *fiber = &X->fiber[who];
    if (fiber->done)
        return false;
    if (fiber->asleep)
        return fiber->woken;
    switch (fiber->pending.op) {
    case OP_CHANGE:
        return fiber->unfenced ? buffer_newest(fiber, fiber->pending.address) == NULL : fiber->stores == 0;
    case OP_LOCK:
        return fiber->stores == 0 && mutex_is_free(fiber->pending.address, who);
    case OP_SLEEP:
    case OP_WAKE:
    case OP_UNLOCK:
        return fiber->stores == 0;
    case OP_FENCE_ALL:
        return all_flushed();
    case OP_YIELD:
        if (fiber->stores > 0)
            return false;
        /* fall through */
    case OP_PAUSE:
        return stuck || fiber->keeps || X->writes - fiber->own > fiber->looked;
    default:
        return true;
    }
}

static bool may_time_out(void)
{
    X->running = false; /* the scenario's answer takes no steps */
    bool may = X->scenario->timeouts && (X->scenario->may_time_out == NULL || X->scenario->may_time_out());
    X->running = true;
    return may;
}

/* No thread can continue. True: one can now. */
static bool time_passes(void)
{
    bool may = may_time_out();
    struct fiber *first = NULL;
    for (unsigned i = 0; i < X->fibers; i++) {
        struct fiber *fiber = &X->fiber[i];
        if (!fiber->done && fiber->asleep && fiber->limited && may && (first == NULL || fiber->limit < first->limit))
            first = fiber;
    }
    if (first == NULL)
        return false;
    X->timeouts++;
    X->now = first->limit > X->now ? first->limit : X->now;
    first->woken = true;
    return true;
}

static bool may_wake_early(const struct fiber *fiber)
{
    return fiber->asleep && !fiber->woken && X->spurious < X->scenario->spurious && !X->quiet &&
           (!fiber->limited || may_time_out());
}

/* Who may go next, into *ready; false when only daemons are left. */
static inline bool look(struct ready *ready)
{
    bool left = false;
    uint32_t threads = 0, buffers = 0, ends = 0;
    for (unsigned i = 0; i < X->fibers; i++) {
        struct fiber *fiber = &X->fiber[i];
        if (fiber->stores > 0)
            buffers |= 1u << (MOST + i);
        if (fiber->done)
            continue;
        left |= !fiber->daemon;
        if (can_go_on(i, false))
            threads |= 1u << i;
        if (may_wake_early(fiber))
            ends |= 1u << (2 * MOST + i);
    }
    *ready = (struct ready){.threads = threads, .buffers = buffers, .ends = ends};
    return left;
}

/* No thread can go on, and all buffers are empty: yielding threads look once more. False: a sleep has ended instead. */
static bool look_again(struct ready *ready)
{
    for (unsigned i = 0; i < X->fibers; i++)
        ready->threads |= (uint32_t)can_go_on(i, true) << i;
    X->stuck = X->stuck_at == X->writes ? X->stuck + 1 : 1;
    X->stuck_at = X->writes;
    if ((ready->threads == 0 || X->stuck > 3) && time_passes())
        return false;
    if (ready->threads == 0)
        explore_fail("deadlock: no thread can go on");
    if (X->stuck > STUCK)
        explore_fail("livelock: threads wait for each other in loops");
    X->now += 100000;
    ready->ends = 0;
    ready->stuck = true;
    return true;
}

static void end_sleep(unsigned entity)
{
    struct fiber *fiber = &X->fiber[entity % MOST];
    X->spurious++;
    fiber->woken = true;
    if (fiber->limited) {
        X->timeouts++;
        X->now = fiber->limit > X->now ? fiber->limit : X->now;
    }
    trace_step(entity, fiber->pending, 0);
}

/* Where nothing is explored, the thread that runs goes on for as long as it can: the others need no look. */
static bool goes_on_quietly(void)
{
    return X->quiet && !X->fiber[X->current].daemon && !X->pruned && all_flushed() && can_go_on(X->current, false);
}

unsigned scheduler_decide(void)
{
    if (goes_on_quietly())
        return X->current;
    for (;;) {
        struct ready ready;
        if (!look(&ready) || X->pruned)
            return MOST;
        if (ready.threads == 0 && ready.buffers == 0 && !look_again(&ready))
            continue;
        unsigned chosen = search_next(&ready);
        if (X->pruned)
            return MOST;
        if (chosen >= 2 * MOST)
            end_sleep(chosen);
        else if (chosen >= MOST)
            buffer_flush_one(chosen % MOST);
        else
            return chosen;
    }
}
void scheduler_point(enum op op, const volatile void *address, const char *file, int line)
{
    struct fiber *me = &X->fiber[X->current];
    me->pending = (struct pending){op, (uintptr_t)address, file, line};
    me->keeps &= op == OP_YIELD;
    if (X->starting) {
        X->starting = false; /* the main context goes on with the next thread */
        fiber_to_main();
    } else {
        unsigned next = scheduler_decide();
        if (next == MOST) {
            fiber_to_main();
            abort();
        }
        fiber_go_to(next);
    }
    if (op == OP_YIELD || op == OP_PAUSE)
        X->fiber[X->current].looked = X->writes - X->fiber[X->current].own;
}
