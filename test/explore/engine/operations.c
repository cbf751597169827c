/* What threads do: the operations of shadow/base/atomic.h, fences of all threads, yields, a harness's own steps, and
 * the clock. All but the clock are steps where threads may switch. memory.c and history.c are the memory that they see.
 *
 * Outside of a schedule, in constructors and in a scenario's setup and finish, they just do what they say. */
#include <string.h>

#include "engine.h"
#include "history.h"
#include "state.h"

enum { OLD_LOADS = 6 };

/* Which of `count` stores a load reads; 0 is the newest. */
static unsigned choose_old(unsigned count)
{
    if (X->old == OLD_LOADS || search_die() % 3 != 0)
        return 0;
    X->old++;
    return 1 + (unsigned)(search_die() % (count - 1));
}

/* What a load reads, under the orders of the schedule. */
static uint64_t read_word(uintptr_t address, unsigned size, enum explore_order order)
{
    uint64_t value = memory_read(address, size);
    if (X->mode != RANDOM_C11)
        return value;
    unsigned old = X->old;
    value = history_load(X->current, address, value, order, X->quiet ? NULL : choose_old);
    if (X->old > old)
        X->fiber[X->current].pending.op = OP_OLD;
    return value;
}

uint64_t explore_load(const volatile void *word, unsigned size, enum explore_order order, const char *file, int line)
{
    if (!X->running)
        return memory_read((uintptr_t)word, size);
    struct fiber *me = &X->fiber[X->current];
    struct store *own = me->stores > 0 ? buffer_newest(me, (uintptr_t)word) : NULL;
    if (own != NULL)
        return own->value;
    if (!memory_shared((uintptr_t)word, false))
        return memory_read((uintptr_t)word, size);
    scheduler_point(OP_LOAD, word, file, line);
    uint64_t value = read_word((uintptr_t)word, size, order);
    trace_step(X->current, X->fiber[X->current].pending, value);
    return value;
}

/* Whether the store stays in the buffer for now. */
static bool delayed(struct fiber *me)
{
    if (X->quiet)
        return false;
    if (me->stores > 0 || X->mode != BOUNDED)
        return true;
    if (X->delays == X->scenario->delays || search_choose(3, 0) == 0)
        return false;
    X->delays++;
    return true;
}

void explore_store(volatile void *word, unsigned size, uint64_t value, enum explore_order order, const char *file,
                   int line)
{
    if (!X->running) {
        memcpy((void *)word, &value, size);
        return;
    }
    struct fiber *me = &X->fiber[X->current];
    if (!memory_shared((uintptr_t)word, true) && (me->stores == 0 || buffer_newest(me, (uintptr_t)word) == NULL)) {
        memory_write((uintptr_t)word, size, value, me);
        return;
    }
    if (X->mode != FULL && me->stores == 0)
        scheduler_point(OP_STORE, word, file, line);
    if (X->mode == RANDOM_C11) {
        history_store(X->current, (uintptr_t)word, memory_read((uintptr_t)word, size), value, order);
        memory_write((uintptr_t)word, size, value, me);
        trace_step(X->current, me->pending, value);
        return;
    }
    if (me->stores == BUFFER)
        buffer_flush_one(X->current);
    me->buffer[(me->first + me->stores) % BUFFER] =
        (struct store){{OP_STORE, (uintptr_t)word, file, line}, size, value};
    bool stays = delayed(me);
    me->stores++;
    if (stays)
        trace_step(X->current, (struct pending){OP_STORE, (uintptr_t)word, file, line}, value);
    else
        buffer_flush_all(X->current);
}

static uint64_t truncated(uint64_t value, unsigned size)
{
    return size == 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

/* Before a read-modify-write. */
static void before_change(volatile void *word, enum explore_order order, const char *file, int line)
{
    struct fiber *me = &X->fiber[X->current];
    me->unfenced = order == EXPLORE_RELAXED;
    bool points = memory_shared((uintptr_t)word, true);
    if (points || (order != EXPLORE_RELAXED && me->stores > 0))
        scheduler_point(OP_CHANGE, word, file, line);
}

uint64_t explore_change(volatile void *word, unsigned size, enum explore_change change, uint64_t value,
                        enum explore_order order, const char *file, int line)
{
    if (X->running)
        before_change(word, order, file, line);
    uint64_t before = memory_read((uintptr_t)word, size), after = value;
    switch (change) {
    case EXPLORE_XCHG:
        break;
    case EXPLORE_ADD:
        after = before + value;
        break;
    case EXPLORE_SUB:
        after = before - value;
        break;
    case EXPLORE_OR:
        after = before | value;
        break;
    case EXPLORE_AND:
        after = before & value;
        break;
    }
    after = truncated(after, size);
    if (X->running && X->mode == RANDOM_C11)
        history_change(X->current, (uintptr_t)word, before, after, order);
    memory_write((uintptr_t)word, size, after, &X->fiber[X->current]);
    if (X->running)
        trace_step(X->current, (struct pending){OP_CHANGE, (uintptr_t)word, file, line}, after);
    return before;
}

bool explore_cas(volatile void *word, unsigned size, uint64_t *expected, uint64_t value, enum explore_order order,
                 const char *file, int line)
{
    if (X->running)
        before_change(word, order, file, line);
    uint64_t before = memory_read((uintptr_t)word, size);
    bool same = before == *expected;
    /* Where a change releases, its failure is a load that does not. */
    static const enum explore_order failure[] = {EXPLORE_RELAXED, EXPLORE_ACQUIRE, EXPLORE_RELAXED, EXPLORE_ACQUIRE,
                                                 EXPLORE_SEQCST};
    if (X->running && X->mode == RANDOM_C11 && same)
        history_change(X->current, (uintptr_t)word, before, truncated(value, size), order);
    else if (X->running && X->mode == RANDOM_C11)
        history_load(X->current, (uintptr_t)word, before, failure[order], NULL);
    if (same)
        memory_write((uintptr_t)word, size, value, &X->fiber[X->current]);
    if (X->running)
        trace_step(X->current, (struct pending){OP_CHANGE, (uintptr_t)word, file, line}, same ? value : before);
    *expected = before;
    return same;
}

void explore_point(void)
{
    if (X->running)
        scheduler_point(OP_LOCAL, NULL, "a step", 0);
}

void explore_pause(void)
{
    if (X->running)
        scheduler_point(OP_PAUSE, NULL, "pause", 0);
}

uint32_t explore_pauses(uint32_t most)
{
    (void)most;
    explore_pause();
    return 1;
}

void explore_yield(uint64_t nanoseconds)
{
    enum { MOST_IN_VAIN = 100 };
    if (!X->running)
        return;
    struct fiber *me = &X->fiber[X->current];
    me->keeps = nanoseconds == 0 && search_real_time();
    me->in_vain = me->keeps && X->writes - me->own == me->looked ? me->in_vain + 1 : 0;
    if (me->in_vain > MOST_IN_VAIN)
        explore_fail("livelock: a thread yields without end, and those that it waits for have a lower priority");
    scheduler_point(OP_YIELD, NULL, "yield", 0);
}

uint64_t explore_ticks(void)
{
    return X->now * 3 + (X->running ? ++X->fiber[X->current].ticks * 1000 : 0);
}

uint64_t explore_now(void)
{
    return X->now;
}

bool explore_fence_all(void)
{
    if (X->running && X->scenario->no_fence_all)
        return false;
    if (X->running) {
        scheduler_point(OP_FENCE_ALL, NULL, "fence", 0);
        trace_step(X->current, X->fiber[X->current].pending, 0);
        if (X->mode == RANDOM_C11)
            history_fence_all();
    }
    return true;
}
