/* The search: which entity goes on where several can, so that the schedules of a run differ.
 *
 * The methods are in explore.c's head. The choices of a schedule of a depth-first search are a stack of nodes; the next
 * schedule repeats them up to the deepest node that has another choice left. */
#include "state.h"

enum { PICKS = 16 };

uint64_t search_die(void)
{
    X->random ^= X->random << 13;
    X->random ^= X->random >> 7;
    X->random ^= X->random << 17;
    return X->random * UINT64_C(0x2545f4914f6cdd1d) >> 20;
}

static struct pending pending_of(unsigned who)
{
    struct fiber *fiber = &X->fiber[who % MOST];
    if (who < MOST)
        return fiber->asleep ? (struct pending){.op = OP_LOCAL} : fiber->pending;
    if (who < 2 * MOST) {
        struct pending what = fiber->buffer[fiber->first].what;
        what.op = OP_FLUSH;
        return what;
    }
    return (struct pending){.op = OP_WAKE, .address = fiber->pending.address};
}

static bool everywhere(enum op op)
{
    return op == OP_FENCE_ALL || op == OP_YIELD || op == OP_PAUSE;
}

static bool independent(unsigned a, unsigned b)
{
    if (a % MOST == b % MOST && (a >= 2 * MOST || b >= 2 * MOST))
        return false;
    struct pending x = pending_of(a), y = pending_of(b);
    if (everywhere(x.op) || everywhere(y.op))
        return false;
    return x.address != y.address || x.op == OP_LOCAL || y.op == OP_LOCAL || (x.op == OP_LOAD && y.op == OP_LOAD);
}

unsigned search_choose(uint32_t choices, unsigned preferred)
{
    uint32_t sleep = X->mode == FULL ? X->sleep : 0;
    struct node *node = NULL;
    unsigned chosen;
    if ((choices & (choices - 1)) == 0 && X->mode != FULL)
        return lowest(choices);
    if (X->used < X->depth) {
        node = &X->nodes[X->used++];
        if (node->choices != choices)
            explore_fail("the scenario is not deterministic: choices %#x, and %#x before", choices, node->choices);
        chosen = node->chosen;
    } else {
        if (X->depth == NODES)
            explore_fail("more than %d choices: a livelock?", NODES);
        chosen = choices & ~sleep & 1u << preferred ? preferred : lowest(choices & ~sleep);
        node = &X->nodes[X->depth++];
        X->used = X->depth;
        *node = (struct node){choices, 0, sleep, chosen};
    }
    if (X->mode == FULL) {
        uint32_t rest = node->sleep | node->done;
        X->sleep = 0;
        for (; rest != 0; rest &= rest - 1)
            if (independent(lowest(rest), chosen))
                X->sleep |= 1u << lowest(rest);
    }
    return chosen;
}

static unsigned choose_randomly(uint32_t choices)
{
    if (X->by_priority) {
        unsigned best = lowest(choices);
        for (uint32_t rest = choices; rest != 0; rest &= rest - 1)
            if (X->priority[lowest(rest)] > X->priority[best])
                best = lowest(rest);
        if (X->dropped < 3 && X->step >= X->drops[X->dropped])
            X->priority[best] = --X->lowest, X->dropped++;
        if (best < MOST && yields(&X->fiber[best]) && !X->fiber[best].keeps)
            X->priority[best] = --X->lowest;
        return best;
    }
    /* Mostly the same thread goes on: a die for each step rarely lets one run ahead. */
    if ((choices & 1u << X->current) && search_die() % 4 != 0)
        return X->current;
    unsigned nth = (unsigned)(search_die() % (unsigned)__builtin_popcount(choices));
    while (nth-- > 0)
        choices &= choices - 1;
    return lowest(choices);
}

/* Threads take turns. */
static unsigned next_of(uint32_t threads)
{
    uint32_t later = threads & ~((2u << X->current) - 1);
    return lowest(later != 0 ? later : threads);
}

static bool goes_on(const struct ready *ready)
{
    return ready->threads & 1u << X->current;
}

/* Any choice, but those that sleep sets leave out; when they leave out all, so they do this schedule. */
static unsigned next_full(const struct ready *ready)
{
    uint32_t choices = ready->threads | ready->buffers | ready->ends, awake = choices & ~X->sleep;
    if (awake == 0 && X->used >= X->depth) {
        X->pruned = true;
        return MOST;
    }
    return search_choose(choices, goes_on(ready) ? X->current : lowest(awake != 0 ? awake : choices));
}

/* Any choice within the bounds. */
static unsigned next_bounded(const struct ready *ready)
{
    uint32_t choices = ready->threads | ready->buffers | ready->ends;
    bool blocked = !goes_on(ready);
    unsigned preferred = !blocked && !yields(&X->fiber[X->current]) ? X->current
                         : ready->threads != 0                      ? next_of(ready->threads)
                                                                    : lowest(ready->buffers);
    unsigned *spent = blocked ? &X->picked : &X->preemptions;
    if (ready->threads != 0 && *spent >= (blocked ? PICKS : X->scenario->preemptions))
        choices = 1u << preferred | ready->buffers | ready->ends;
    unsigned chosen = search_choose(choices, preferred);
    if (chosen < MOST && chosen != preferred)
        ++*spent;
    return chosen;
}

unsigned search_next(const struct ready *ready)
{
    if (X->quiet)
        return ready->buffers != 0 ? lowest(ready->buffers) : goes_on(ready) ? X->current : lowest(ready->threads);
    if (X->mode == RANDOM_C11 && ready->stuck)
        return next_of(ready->threads); /* each looks again: it may have read old values */
    if (X->mode >= RANDOM)
        return choose_randomly(ready->threads | ready->buffers | (search_die() % 8 == 0 ? ready->ends : 0));
    return X->mode == FULL ? next_full(ready) : next_bounded(ready);
}

bool search_backtrack(void)
{
    while (X->depth > 0) {
        struct node *node = &X->nodes[X->depth - 1];
        node->done |= 1u << node->chosen;
        uint32_t rest = node->choices & ~node->done & ~node->sleep;
        if (rest != 0) {
            node->chosen = lowest(rest);
            return true;
        }
        X->depth--;
    }
    return false;
}

void search_seed(uint64_t seed, enum mode mode)
{
    X->mode = mode;
    X->seed = seed;
    X->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < 8; i++)
        search_die();
    X->by_priority = seed % 2 == 0;
    X->real_time = seed % 4 == 0;
    for (unsigned i = 0; i < 3 * MOST; i++)
        X->priority[i] = 10 + (int)(search_die() % 1000000);
    X->lowest = 0;
    unsigned length = X->longest > 10 ? X->longest : 10;
    X->dropped = 0;
    for (unsigned i = 0; i < 3; i++)
        X->drops[i] = (unsigned)(search_die() % length);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = i + 1; j < 3; j++)
            if (X->drops[j] < X->drops[i]) {
                unsigned t = X->drops[i];
                X->drops[i] = X->drops[j];
                X->drops[j] = t;
            }
}
