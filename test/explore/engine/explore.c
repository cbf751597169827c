/* The explorer: runs a scenario's threads under every schedule within bounds, on the runtime's own code.
 *
 * Threads are stacks of this one OS thread (a switch is some nanoseconds), and one runs at a time. Before each
 * operation of shadow/base/atomic.h, futex call, mutex and yield, a thread asks the scheduler who goes on. An
 * address that only one thread uses, or nobody writes, needs no such point: the explorer learns which addresses
 * threads share, and begins again when it learns another one. Thread-local variables are in a section of their own
 * (-D__thread=...), which a switch exchanges. Between two schedules .data and .bss are restored, and the memory that
 * malloc gave is all free again.
 *
 * Schedules. A bounded search is depth first (stateless: each schedule runs from the start), with a bound on
 * preemptions, that is, switches away from a thread that could go on (Musuvathi and Qadeer, "Iterative Context
 * Bounding", 2007). Where a thread cannot go on, or yields, the others take turns; another choice is free where it
 * cannot, PICKS times, and costs a preemption where it yields. So no schedule is unfair for ever. A full search has
 * no such bound, and leaves out schedules that differ from another one in the order of independent steps alone:
 * sleep sets (Godefroid, 1996). Random schedules follow: every other one by random priorities that drop at a few
 * random steps (Burckhardt et al., "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs", 2010),
 * the others by a die at each step. Their seeds are fixed, so that a run explores the same schedules each time.
 *
 * Memory. Total store order, as on x86-64: a store waits in its thread's buffer, a queue, and becomes visible by a
 * step of its own, which the scheduler chooses. Its own thread's loads see it at once. Fenced read-modify-writes,
 * futex calls, mutexes and yields wait until the buffer is empty, a fence of all threads until all buffers are.
 * Relaxed read-modify-writes do not wait, which x86-64 never does. In a bounded search a store is visible at once,
 * except for a bounded number of delayed ones.
 *
 * As many random schedules again are under C11's orders (history.c): stores are visible at once, and a few loads, up to
 * OLD_LOADS of those that may, read an old value. Plain accesses always see the newest value; ThreadSanitizer checks
 * those in the unit tests.
 *
 * Futexes keep a queue of sleepers for each word, woken in order. Nobody can go on: a deadlock, unless only daemons
 * are left, or yielding threads, which then look once more, or sleeps with a limit. A thread that yields goes on
 * when another thread has written since its last look; STUCK looks at unchanged memory are a livelock.
 *
 * One file above the usual size, because scheduler, memory model and search share the state that is set back between
 * two schedules. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <pthread.h>

#include "base/atomic.h"
#include "../explore.h"
#include "engine.h"
#include "history.h"

enum { MOST = 8, BUFFER = 64, STACK = 1 << 18, STEPS = 20000, NODES = 20000, ARENA = 64 << 20, STUCK = 40,
       ADDRESSES = 1 << 14, MUTEXES = 32, RANGES = 16, PICKS = 16, OLD_LOADS = 6 };

enum op { OP_LOCAL, OP_LOAD, OP_STORE, OP_CHANGE, OP_SLEEP, OP_WAKE, OP_FENCE_ALL, OP_LOCK, OP_UNLOCK, OP_YIELD,
          OP_PAUSE, OP_FLUSH, OP_ASLEEP, OP_OLD };
static const char *const op_names[] = {
    "goes on", "load", "store", "change", "futex sleep", "futex wake", "fence of all", "lock", "unlock", "yield",
    "pause", "is visible:", "asleep", "load of an old value"};

struct pending {
    enum op op;
    uintptr_t address;
    const char *file;
    int line;
};

struct store {
    struct pending what;
    unsigned size;
    uint64_t value;
};

struct fiber {
    void *sp;
    char *stack, *tls;
    void (*function)(void *);
    void *argument;
    bool daemon, done, unfenced; /* unfenced: the pending change does not wait for the buffer */
    bool asleep, woken, limited;
    uint32_t classes;
    uint64_t limit, slept;       /* when its sleep ends; order of sleepers */
    uint64_t looked, own;        /* writes by all at its last yield, and its own since the beginning */
    uint64_t ticks;
    struct pending pending;
    struct store buffer[BUFFER];
    unsigned first, stores;      /* of the buffer */
};

struct node {
    uint32_t choices, done, sleep;
    unsigned chosen;
};

struct step {
    unsigned who;                /* MOST more: its buffer; 2 * MOST more: its sleep ends */
    struct pending what;
    uint64_t value;
};

struct address {
    uintptr_t address;
    uint32_t users, writers;     /* sets of threads, 1 bit each; by all schedules so far */
    bool shared;
};

enum mode { BOUNDED, FULL, RANDOM, RANDOM_C11 };

static struct explore {
    const struct explore_scenario *scenario;
    enum mode mode;
    bool running, starting, quiet, pruned, learned;
    unsigned fibers, current;
    struct fiber fiber[MOST];
    void *main_sp;
    uint64_t writes, now, sleeps, stuck_at;
    unsigned stuck, timeouts;
    unsigned preemptions, picked, delays, spurious, old; /* spent in this schedule */
    uint32_t sleep;                         /* sleep set */
    struct node nodes[NODES];
    unsigned depth, used;                   /* of nodes: in the stack, met in this schedule */
    struct step steps[STEPS];
    unsigned step, longest;
    struct { const void *mutex; unsigned owner, count; } mutexes[MUTEXES];
    unsigned mutex_count;
    struct { uintptr_t first, end; } ignored[RANGES];
    unsigned ignored_count;
    struct address addresses[ADDRESSES];
    unsigned shared_count;
    /* Random schedules. */
    uint64_t random, seed;
    int priority[3 * MOST], lowest;
    unsigned drops[8], dropped;
    bool by_priority;
    /* Memory. */
    char *arena, *arena_copy, *data_copy;
    size_t arena_used, arena_begin; /* arena_begin: what constructors allocated */
    unsigned long long runs, random_runs, pruned_runs;
} *X;

extern char __data_start[], _end[];
extern char __start_explore_tls[] __attribute__((weak)), __stop_explore_tls[] __attribute__((weak));

static size_t tls_size(void)
{
    return (size_t)(__stop_explore_tls - __start_explore_tls);
}

/* --- failures ----------------------------------------------------------------------------------------------------- */

static const char *short_name(const char *file)
{
    const char *slash = strrchr(file != NULL ? file : "?", '/');
    return slash != NULL ? slash + 1 : file != NULL ? file : "?";
}

static void print_schedule(void)
{
    unsigned from = X->step > 400 ? X->step - 400 : 0;
    if (from > 0)
        printf("  ... %u steps\n", from);
    for (unsigned i = from; i < X->step; i++) {
        const struct step *step = &X->steps[i];
        printf("  %4u  thread %u%s: %s", i, step->who % MOST, step->who >= 2 * MOST ? " wakes up by itself" : "",
               op_names[step->what.op]);
        if (step->what.address != 0)
            printf(" %#lx", (unsigned long)step->what.address);
        if ((step->what.op != OP_LOCAL && step->what.op <= OP_CHANGE) || step->what.op == OP_FLUSH ||
            step->what.op == OP_OLD)
            printf(" = %#llx", (unsigned long long)step->value);
        printf("  (%s:%d)\n", short_name(step->what.file), step->what.line);
    }
}

void explore_fail(const char *format, ...)
{
    va_list args;
    X->running = false;
    fflush(stdout);
    printf("%s: ", X->scenario->name);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    if (X->mode >= RANDOM)
        printf("\nafter %llu schedules, in the random one with seed %llu%s:\n", X->runs + X->random_runs,
               (unsigned long long)X->seed, X->mode == RANDOM_C11 ? " under C11's orders" : "");
    else
        printf("\nafter %llu schedules, in this one:\n", X->runs);
    print_schedule();
    for (unsigned i = 0; i < X->fibers; i++)
        if (!X->fiber[i].done)
            printf("  thread %u is at: %s (%s:%d)%s\n", i,
                   X->fiber[i].asleep ? "asleep" : op_names[X->fiber[i].pending.op],
                   short_name(X->fiber[i].pending.file), X->fiber[i].pending.line,
                   X->fiber[i].daemon ? ", a daemon" : "");
    fflush(stdout);
    _Exit(3);
}

/* --- switching ---------------------------------------------------------------------------------------------------- */

void explore_switch(void **from, void *to);
__asm__(".text\n.globl explore_switch\nexplore_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

static void go_to(unsigned next)
{
    unsigned before = X->current;
    if (before == next)
        return;
    memcpy(X->fiber[before].tls, __start_explore_tls, tls_size());
    memcpy(__start_explore_tls, X->fiber[next].tls, tls_size());
    X->current = next;
    explore_switch(&X->fiber[before].sp, X->fiber[next].sp);
}

static void to_main(void)
{
    explore_switch(&X->fiber[X->current].sp, X->main_sp);
}

static unsigned decide(void);

static void fiber_main(void)
{
    struct fiber *me = &X->fiber[X->current];
    me->function(me->argument);
    me->done = true;
    me->pending = (struct pending){.op = OP_LOCAL};
    if (X->starting)
        to_main();
    unsigned next = decide();
    if (next == MOST)
        to_main();
    go_to(next);
    abort();
}

static void new_fiber(void (*function)(void *), void *argument, bool daemon)
{
    if (X->fibers == MOST) {
        fprintf(stderr, "too many threads\n");
        exit(1);
    }
    struct fiber *fiber = &X->fiber[X->fibers++];
    char *stack = fiber->stack, *tls = fiber->tls;
    *fiber = (struct fiber){.stack = stack, .tls = tls, .function = function, .argument = argument, .daemon = daemon};
    if (stack == NULL) {
        fiber->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fiber->tls = mmap(NULL, tls_size() + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    memset(fiber->tls, 0, tls_size());
    void **sp = (void **)(fiber->stack + STACK) - 1; /* fiber_main finds its stack aligned as after a call */
    *sp = NULL;
    *--sp = (void *)fiber_main;
    sp -= 6;
    fiber->sp = sp;
}

void explore_thread(void (*function)(void *), void *argument)
{
    new_fiber(function, argument, false);
}

unsigned explore_self(void)
{
    return X->current;
}

void explore_quiet(bool quiet)
{
    X->quiet = quiet;
}

unsigned explore_timeouts(void)
{
    return X->timeouts;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static struct address *address_of(uintptr_t address)
{
    unsigned slot = (unsigned)((address >> 2) * 0x9e3779b1u >> 16) % ADDRESSES;
    while (X->addresses[slot].address != address && X->addresses[slot].address != 0)
        slot = (slot + 1) % ADDRESSES;
    if (X->addresses[slot].address == 0) {
        if (++X->shared_count > ADDRESSES / 2) {
            fprintf(stderr, "too many addresses\n");
            exit(1);
        }
        X->addresses[slot].address = address;
    }
    return &X->addresses[slot];
}

static bool is_ignored(uintptr_t address)
{
    for (unsigned i = 0; i < X->ignored_count; i++)
        if (address >= X->ignored[i].first && address < X->ignored[i].end)
            return true;
    return false;
}

void explore_ignore(const volatile void *memory, size_t size)
{
    if (X->ignored_count == RANGES || X->running)
        return;
    for (unsigned i = 0; i < X->ignored_count; i++)
        if (X->ignored[i].first == (uintptr_t)memory)
            return;
    X->ignored[X->ignored_count].first = (uintptr_t)memory;
    X->ignored[X->ignored_count++].end = (uintptr_t)memory + size;
}

/* Notes the use; true: other threads use the word, too, and it is written. */
static bool shared(uintptr_t address, bool writes)
{
    struct address *a = address_of(address);
    uint32_t me = 1u << X->current;
    if (!(a->users & me) || (writes && !(a->writers & me))) {
        a->users |= me;
        if (writes)
            a->writers |= me;
        if (!a->shared && a->writers != 0 && (a->users & (a->users - 1)) != 0 && !is_ignored(address)) {
            a->shared = true;
            X->learned = true;
        }
    }
    return a->shared;
}

static uint64_t read_memory(uintptr_t address, unsigned size)
{
    uint64_t value = 0;
    memcpy(&value, (void *)address, size);
    return value;
}

static void write_memory(uintptr_t address, unsigned size, uint64_t value, struct fiber *by)
{
    if (read_memory(address, size) == value)
        return;
    memcpy((void *)address, &value, size);
    X->writes++;
    by->own++;
}

static struct store *newest(struct fiber *me, uintptr_t address)
{
    for (unsigned i = me->stores; i-- > 0;) {
        struct store *store = &me->buffer[(me->first + i) % BUFFER];
        if (store->what.address == address)
            return store;
    }
    return NULL;
}

static void note(unsigned who, struct pending what, uint64_t value)
{
    if (X->step == STEPS)
        explore_fail("more than %d steps: a livelock?", STEPS);
    X->steps[X->step++] = (struct step){who, what, value};
}

static void flush_one(unsigned who)
{
    struct fiber *fiber = &X->fiber[who];
    struct store *store = &fiber->buffer[fiber->first];
    fiber->first = (fiber->first + 1) % BUFFER;
    fiber->stores--;
    write_memory(store->what.address, store->size, store->value, fiber);
    struct pending what = store->what;
    what.op = OP_FLUSH;
    note(who, what, store->value);
}

static void flush_all(unsigned who)
{
    while (X->fiber[who].stores > 0)
        flush_one(who);
}

/* --- the scheduler ------------------------------------------------------------------------------------------------ */

static uint64_t die(void)
{
    X->random ^= X->random << 13;
    X->random ^= X->random >> 7;
    X->random ^= X->random << 17;
    return X->random * UINT64_C(0x2545f4914f6cdd1d) >> 20;
}

static bool mutex_free(uintptr_t mutex, unsigned who)
{
    for (unsigned i = 0; i < X->mutex_count; i++)
        if ((uintptr_t)X->mutexes[i].mutex == mutex)
            return X->mutexes[i].count == 0 || X->mutexes[i].owner == who;
    return true;
}

static bool all_flushed(void)
{
    for (unsigned i = 0; i < X->fibers; i++)
        if (X->fiber[i].stores > 0)
            return false;
    return true;
}

/* Whether the thread can go on. `stuck`: nobody else can, so yielding threads look once more. */
static bool can_go_on(unsigned who, bool stuck)
{
    struct fiber *fiber = &X->fiber[who];
    if (fiber->done)
        return false;
    if (fiber->asleep)
        return fiber->woken;
    switch (fiber->pending.op) {
    case OP_CHANGE:
        return fiber->unfenced ? newest(fiber, fiber->pending.address) == NULL : fiber->stores == 0;
    case OP_LOCK:
        return fiber->stores == 0 && mutex_free(fiber->pending.address, who);
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
        return stuck || X->writes - fiber->own > fiber->looked;
    default:
        return true;
    }
}

/* Entities: thread i, the buffer of thread i - MOST, the end of a sleep of thread i - 2 * MOST. */
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

static bool yields(const struct fiber *fiber)
{
    return fiber->pending.op == OP_YIELD || fiber->pending.op == OP_PAUSE;
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

static unsigned lowest(uint32_t set)
{
    return (unsigned)__builtin_ctz(set);
}

/* One of the choices: what the search says. */
static unsigned choose(uint32_t choices, unsigned preferred)
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
        if (best < MOST && yields(&X->fiber[best]))
            X->priority[best] = --X->lowest;
        return best;
    }
    /* Mostly the same thread goes on: a die for each step rarely lets one run ahead. */
    if ((choices & 1u << X->current) && die() % 4 != 0)
        return X->current;
    unsigned nth = (unsigned)(die() % (unsigned)__builtin_popcount(choices));
    while (nth-- > 0)
        choices &= choices - 1;
    return lowest(choices);
}

static bool may_time_out(void)
{
    X->running = false; /* the scenario's answer takes no steps */
    bool may = X->scenario->timeouts && (X->scenario->may_time_out == NULL || X->scenario->may_time_out());
    X->running = true;
    return may;
}

/* Nobody can go on. True: somebody can now. */
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

/* Threads take turns. */
static unsigned next_of(uint32_t threads)
{
    uint32_t later = threads & ~((2u << X->current) - 1);
    return lowest(later != 0 ? later : threads);
}

/* The thread that goes on; MOST: the schedule is at its end. */
static unsigned decide(void)
{
    for (;;) {
        uint32_t threads = 0, buffers = 0, ends = 0;
        bool left = false, stuck = false;
        for (unsigned i = 0; i < X->fibers; i++) {
            struct fiber *fiber = &X->fiber[i];
            left |= !fiber->done && !fiber->daemon;
            threads |= (uint32_t)can_go_on(i, false) << i;
            buffers |= (uint32_t)(fiber->stores > 0) << (MOST + i);
            if (fiber->asleep && !fiber->woken && !fiber->done && X->spurious < X->scenario->spurious && !X->quiet &&
                (!fiber->limited || may_time_out()))
                ends |= 1u << (2 * MOST + i);
        }
        if (!left || X->pruned)
            return MOST;
        if (threads == 0 && buffers == 0) {
            for (unsigned i = 0; i < X->fibers; i++)
                threads |= (uint32_t)can_go_on(i, true) << i;
            X->stuck = X->stuck_at == X->writes ? X->stuck + 1 : 1;
            X->stuck_at = X->writes;
            if ((threads == 0 || X->stuck > 3) && time_passes())
                continue;
            if (threads == 0)
                explore_fail("deadlock: no thread can go on");
            if (X->stuck > STUCK)
                explore_fail("livelock: threads wait for each other in loops");
            X->now += 100000;
            ends = 0;
            stuck = true;
        }
        unsigned chosen, current = X->current;
        bool goes_on = threads & 1u << current;
        if (X->quiet) {
            chosen = buffers != 0 ? lowest(buffers) : goes_on ? current : lowest(threads);
        } else if (X->mode == RANDOM_C11 && stuck) {
            chosen = next_of(threads); /* each looks again: it may have read old values */
        } else if (X->mode >= RANDOM) {
            chosen = choose_randomly(threads | buffers | (die() % 8 == 0 ? ends : 0));
        } else if (X->mode == FULL) {
            uint32_t choices = threads | buffers | ends;
            if ((choices & ~X->sleep) == 0 && X->used >= X->depth) {
                X->pruned = true;
                return MOST;
            }
            chosen = choose(choices, goes_on ? current : lowest(choices & ~X->sleep ? choices & ~X->sleep : choices));
        } else {
            uint32_t choices = threads | buffers | ends;
            unsigned preferred = goes_on && !yields(&X->fiber[current]) ? current
                                 : threads != 0                           ? next_of(threads)
                                                                          : lowest(buffers);
            unsigned *spent = goes_on ? &X->preemptions : &X->picked;
            if (threads != 0 && *spent >= (goes_on ? X->scenario->preemptions : PICKS))
                choices = 1u << preferred | buffers | ends;
            chosen = choose(choices, preferred);
            if (chosen < MOST && chosen != preferred)
                ++*spent;
        }
        if (chosen >= 2 * MOST) {
            X->spurious++;
            X->fiber[chosen % MOST].woken = true;
            if (X->fiber[chosen % MOST].limited) {
                X->timeouts++;
                X->now = X->fiber[chosen % MOST].limit > X->now ? X->fiber[chosen % MOST].limit : X->now;
            }
            note(chosen, X->fiber[chosen % MOST].pending, 0);
        } else if (chosen >= MOST) {
            flush_one(chosen % MOST);
        } else {
            return chosen;
        }
    }
}

/* The thread is about to do that; returns when it may. */
static void point(enum op op, const volatile void *address, const char *file, int line)
{
    struct fiber *me = &X->fiber[X->current];
    me->pending = (struct pending){op, (uintptr_t)address, file, line};
    if (X->starting) {
        X->starting = false; /* the main context goes on with the next thread */
        to_main();
    } else {
        unsigned next = decide();
        if (next == MOST) {
            to_main();
            abort();
        }
        go_to(next);
    }
    if (op == OP_YIELD || op == OP_PAUSE)
        X->fiber[X->current].looked = X->writes - X->fiber[X->current].own;
}

/* --- operations --------------------------------------------------------------------------------------------------- */

/* Which of `count` stores a load reads; 0 is the newest. */
static unsigned choose_old(unsigned count)
{
    if (X->old == OLD_LOADS || die() % 3 != 0)
        return 0;
    X->old++;
    return 1 + (unsigned)(die() % (count - 1));
}

/* What a load reads, under the orders of the schedule. */
static uint64_t read_word(uintptr_t address, unsigned size, enum explore_order order)
{
    uint64_t value = read_memory(address, size);
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
        return read_memory((uintptr_t)word, size);
    struct fiber *me = &X->fiber[X->current];
    struct store *own = me->stores > 0 ? newest(me, (uintptr_t)word) : NULL;
    if (own != NULL)
        return own->value;
    if (!shared((uintptr_t)word, false))
        return read_memory((uintptr_t)word, size);
    point(OP_LOAD, word, file, line);
    uint64_t value = read_word((uintptr_t)word, size, order);
    note(X->current, X->fiber[X->current].pending, value);
    return value;
}

/* Whether the store stays in the buffer for now. */
static bool delayed(struct fiber *me)
{
    if (X->quiet)
        return false;
    if (me->stores > 0 || X->mode != BOUNDED)
        return true;
    if (X->delays == X->scenario->delays || choose(3, 0) == 0)
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
    if (!shared((uintptr_t)word, true) && (me->stores == 0 || newest(me, (uintptr_t)word) == NULL)) {
        write_memory((uintptr_t)word, size, value, me);
        return;
    }
    if (X->mode != FULL && me->stores == 0)
        point(OP_STORE, word, file, line);
    if (X->mode == RANDOM_C11) {
        history_store(X->current, (uintptr_t)word, read_memory((uintptr_t)word, size), value, order);
        write_memory((uintptr_t)word, size, value, me);
        note(X->current, me->pending, value);
        return;
    }
    if (me->stores == BUFFER)
        flush_one(X->current);
    me->buffer[(me->first + me->stores) % BUFFER] =
        (struct store){{OP_STORE, (uintptr_t)word, file, line}, size, value};
    bool stays = delayed(me);
    me->stores++;
    if (stays)
        note(X->current, (struct pending){OP_STORE, (uintptr_t)word, file, line}, value);
    else
        flush_all(X->current);
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
    bool points = shared((uintptr_t)word, true);
    if (points || (order != EXPLORE_RELAXED && me->stores > 0))
        point(OP_CHANGE, word, file, line);
}

uint64_t explore_change(volatile void *word, unsigned size, enum explore_change change, uint64_t value,
                        enum explore_order order, const char *file, int line)
{
    if (X->running)
        before_change(word, order, file, line);
    uint64_t before = read_memory((uintptr_t)word, size), after = value;
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
    write_memory((uintptr_t)word, size, after, &X->fiber[X->current]);
    if (X->running)
        note(X->current, (struct pending){OP_CHANGE, (uintptr_t)word, file, line}, after);
    return before;
}

bool explore_cas(volatile void *word, unsigned size, uint64_t *expected, uint64_t value, enum explore_order order,
                 const char *file, int line)
{
    if (X->running)
        before_change(word, order, file, line);
    uint64_t before = read_memory((uintptr_t)word, size);
    bool same = before == *expected;
    /* Where a change releases, its failure is a load that does not. */
    static const enum explore_order failure[] = {EXPLORE_RELAXED, EXPLORE_ACQUIRE, EXPLORE_RELAXED, EXPLORE_ACQUIRE,
                                                 EXPLORE_SEQCST};
    if (X->running && X->mode == RANDOM_C11 && same)
        history_change(X->current, (uintptr_t)word, before, truncated(value, size), order);
    else if (X->running && X->mode == RANDOM_C11)
        history_load(X->current, (uintptr_t)word, before, failure[order], NULL);
    if (same)
        write_memory((uintptr_t)word, size, value, &X->fiber[X->current]);
    if (X->running)
        note(X->current, (struct pending){OP_CHANGE, (uintptr_t)word, file, line}, same ? value : before);
    *expected = before;
    return same;
}

void explore_point(void)
{
    if (X->running)
        point(OP_LOCAL, NULL, "a step", 0);
}

void explore_pause(void)
{
    if (X->running)
        point(OP_PAUSE, NULL, "pause", 0);
}

void explore_yield(uint64_t nanoseconds)
{
    (void)nanoseconds;
    if (X->running)
        point(OP_YIELD, NULL, "yield", 0);
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
        point(OP_FENCE_ALL, NULL, "fence", 0);
        note(X->current, X->fiber[X->current].pending, 0);
        if (X->mode == RANDOM_C11)
            history_fence_all();
    }
    return true;
}

bool explore_futex_sleep(const volatile void *word, uint32_t value, uint32_t classes, bool limited, uint64_t limit)
{
    if (!X->running)
        return false;
    shared((uintptr_t)word, true);
    point(OP_SLEEP, word, "sleep", 0);
    struct fiber *me = &X->fiber[X->current];
    uint32_t found = (uint32_t)read_memory((uintptr_t)word, 4);
    if (X->mode == RANDOM_C11)
        history_load(X->current, (uintptr_t)word, found, EXPLORE_RELAXED, NULL);
    note(X->current, (struct pending){found == value ? OP_SLEEP : OP_LOAD, (uintptr_t)word, "sleep", 0}, found);
    if (found != value)
        return false;
    me->asleep = true;
    me->woken = false;
    me->limited = limited;
    me->limit = X->now + limit;
    me->classes = classes;
    me->slept = ++X->sleeps;
    point(OP_ASLEEP, word, "sleep", 0);
    me->asleep = false;
    me->pending.op = OP_LOCAL;
    return true;
}

int explore_futex_wake(const volatile void *word, int count, uint32_t classes)
{
    if (!X->running)
        return 0;
    shared((uintptr_t)word, true);
    point(OP_WAKE, word, "wake", 0);
    int woken = 0;
    while (woken < count) {
        struct fiber *next = NULL;
        for (unsigned i = 0; i < X->fibers; i++) {
            struct fiber *fiber = &X->fiber[i];
            if (fiber->asleep && !fiber->woken && !fiber->done && fiber->pending.address == (uintptr_t)word &&
                (fiber->classes & classes) && (next == NULL || fiber->slept < next->slept))
                next = fiber;
        }
        if (next == NULL)
            break;
        next->woken = true;
        woken++;
    }
    note(X->current, (struct pending){OP_WAKE, (uintptr_t)word, "wake", woken}, 0);
    return woken;
}

struct spawned {
    void *(*entry)(void *);
    void *argument;
};

static void run_spawned(void *argument)
{
    struct spawned spawned = *(struct spawned *)argument;
    spawned.entry(spawned.argument);
}

void explore_spawn(void *(*entry)(void *), void *argument)
{
    if (!X->running) {
        fprintf(stderr, "a thread outside of a schedule\n");
        exit(1);
    }
    struct spawned *spawned = malloc(sizeof *spawned);
    *spawned = (struct spawned){entry, argument};
    flush_all(X->current);
    new_fiber(run_spawned, spawned, true);
    if (X->mode == RANDOM_C11)
        history_thread(X->fibers - 1, X->current);
}

/* --- mutexes and malloc (-Wl,--wrap) ------------------------------------------------------------------------------ */

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __wrap_posix_memalign(void **memory, size_t align, size_t size);
void __wrap_free(void *memory);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (!X->running)
        return 0;
    point(OP_LOCK, mutex, "mutex", 0);
    unsigned i = 0;
    while (i < X->mutex_count && X->mutexes[i].mutex != mutex)
        i++;
    if (i == MUTEXES)
        explore_fail("too many mutexes");
    if (i == X->mutex_count) {
        X->mutexes[i].mutex = mutex;
        X->mutexes[X->mutex_count++].count = 0;
    }
    X->mutexes[i].owner = X->current;
    if (X->mode == RANDOM_C11)
        history_change(X->current, (uintptr_t)mutex, 0, 0, EXPLORE_ACQUIRE);
    if (X->mutexes[i].count++ > 0 && mutex->__data.__kind != PTHREAD_MUTEX_RECURSIVE_NP)
        explore_fail("a thread locks a mutex that it holds");
    note(X->current, X->fiber[X->current].pending, 0);
    return 0;
}

/* It waits as long as it takes: that the caller gives up is not explored. */
int __wrap_pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    return __wrap_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    if (!X->running)
        return 0;
    if (X->fiber[X->current].stores > 0)
        point(OP_UNLOCK, mutex, "mutex", 0);
    for (unsigned i = 0; i < X->mutex_count; i++)
        if (X->mutexes[i].mutex == mutex) {
            if (X->mutexes[i].count == 0 || X->mutexes[i].owner != X->current)
                explore_fail("a thread unlocks a mutex that it does not hold");
            X->mutexes[i].count--;
            if (X->mode == RANDOM_C11)
                history_change(X->current, (uintptr_t)mutex, 0, 0, EXPLORE_RELEASE);
            X->writes++;
            X->fiber[X->current].own++;
        }
    note(X->current, (struct pending){OP_UNLOCK, (uintptr_t)mutex, "mutex", 0}, 0);
    return 0;
}

/* Memory from an arena that each schedule uses from its beginning. What is freed is filled, so that a use of it
   shows. */
struct header {
    size_t size, pad;
};

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    align = align < 16 ? 16 : align;
    size_t at = (X->arena_used + sizeof(struct header) + align - 1) / align * align;
    if (at + size > ARENA) {
        fprintf(stderr, "the arena is full\n");
        exit(1);
    }
    X->arena_used = at + size;
    struct header *header = (struct header *)(X->arena + at) - 1;
    header->size = size;
    return header + 1;
}

void *__wrap_malloc(size_t size)
{
    return __wrap_aligned_alloc(16, size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return memset(__wrap_malloc(count * size), 0, count * size);
}

int __wrap_posix_memalign(void **memory, size_t align, size_t size)
{
    *memory = __wrap_aligned_alloc(align, size);
    return 0;
}

void __wrap_free(void *memory)
{
    if ((char *)memory > X->arena && (char *)memory < X->arena + ARENA)
        memset(memory, 0xdd, ((struct header *)memory - 1)->size);
}

void *__wrap_realloc(void *old, size_t size)
{
    void *memory = __wrap_malloc(size);
    if (old != NULL) {
        size_t had = ((struct header *)old - 1)->size;
        memcpy(memory, old, had < size ? had : size);
        __wrap_free(old);
    }
    return memory;
}

/* --- schedules ---------------------------------------------------------------------------------------------------- */

static void run_once(void)
{
    memcpy(__data_start, X->data_copy, (size_t)(_end - __data_start));
    memset(__start_explore_tls, 0, tls_size());
    memcpy(X->arena, X->arena_copy, X->arena_begin);
    X->arena_used = X->arena_begin;
    X->fibers = X->current = X->used = X->step = X->mutex_count = X->timeouts = X->stuck = 0;
    X->preemptions = X->picked = X->delays = X->spurious = X->sleep = X->old = 0;
    X->writes = X->sleeps = X->stuck_at = 0;
    X->now = 1000000000;
    X->quiet = X->pruned = false;
    history_start();
    X->scenario->setup();
    unsigned made = X->fibers;
    X->running = true;
    /* Each runs up to its first step. */
    for (unsigned i = 0; i < made; i++) {
        X->starting = true;
        X->current = i;
        memcpy(__start_explore_tls, X->fiber[i].tls, tls_size());
        explore_switch(&X->main_sp, X->fiber[i].sp);
        memcpy(X->fiber[i].tls, __start_explore_tls, tls_size());
    }
    X->starting = false;
    X->current = 0;
    memcpy(__start_explore_tls, X->fiber[0].tls, tls_size());
    unsigned next = decide();
    if (next != MOST) {
        memcpy(__start_explore_tls, X->fiber[next].tls, tls_size());
        X->current = next;
        explore_switch(&X->main_sp, X->fiber[next].sp);
    }
    if (!X->pruned)
        for (unsigned i = 0; i < X->fibers; i++)
            flush_all(i);
    X->running = false;
    if (X->step > X->longest)
        X->longest = X->step;
    if (X->pruned)
        X->pruned_runs++;
    else if (X->scenario->finish != NULL)
        X->scenario->finish();
}

/* The next schedule of a depth-first search: the deepest choice that has another one left. */
static bool backtrack(void)
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

static void run_randomly(uint64_t seed, enum mode mode)
{
    X->mode = mode;
    X->seed = seed;
    X->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < 8; i++)
        die();
    X->by_priority = seed % 2 == 0;
    for (unsigned i = 0; i < 3 * MOST; i++)
        X->priority[i] = 10 + (int)(die() % 1000000);
    X->lowest = 0;
    unsigned length = X->longest > 10 ? X->longest : 10;
    X->dropped = 0;
    for (unsigned i = 0; i < 3; i++)
        X->drops[i] = (unsigned)(die() % length);
    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = i + 1; j < 3; j++)
            if (X->drops[j] < X->drops[i]) {
                unsigned t = X->drops[i];
                X->drops[i] = X->drops[j];
                X->drops[j] = t;
            }
    run_once();
    X->random_runs++;
}

static void explore(const struct explore_scenario *scenario, bool deep)
{
    struct explore_scenario use = *scenario;
    if (deep) {
        use.preemptions += use.full ? 0 : 1;
        use.schedules *= 40;
        use.random *= 40;
    }
    X->scenario = &use;
    X->runs = X->random_runs = X->pruned_runs = 0;
    X->longest = X->ignored_count = X->shared_count = 0;
    memset(X->addresses, 0, sizeof X->addresses);
    /* Some random schedules first: they find most of the shared addresses, and shallow defects. */
    X->depth = 0;
    for (uint64_t seed = 1; seed <= 200; seed++)
        run_randomly(seed, RANDOM);
    bool complete;
    unsigned long long begun = 0;
    do {
        X->mode = use.full ? FULL : BOUNDED;
        X->depth = 0;
        X->learned = complete = false;
        X->pruned_runs = 0;
        begun = X->runs;
        do {
            run_once();
            X->runs++;
        } while (!X->learned && !(complete = !backtrack()) && (use.schedules == 0 || X->runs < use.schedules));
    } while (X->learned);
    for (uint64_t seed = 201; seed <= use.random; seed++)
        run_randomly(seed, RANDOM);
    unsigned long long random_runs = X->random_runs;
    for (uint64_t seed = 1; seed <= random_runs; seed++)
        run_randomly(seed, RANDOM_C11);
    char bounds[200];
    if (use.full)
        snprintf(bounds, sizeof bounds, "any preemptions and delays (sleep sets left out %llu)", X->pruned_runs);
    else
        snprintf(bounds, sizeof bounds, "%u preemptions, %u delayed stores", use.preemptions, use.delays);
    printf("%s: %llu schedules, %s: %s, %u early wake-ups; %llu random ones, and as many under C11's orders; "
           "at most %u steps\n", use.name,
           X->runs - begun, complete ? "all" : "not all", bounds, use.spurious, random_runs, X->longest);
    fflush(stdout);
}

int explore_main(int argc, char **argv, const struct explore_scenario *scenarios, size_t count)
{
    const char *deep = getenv("GHCOMP_DEEP");
    for (size_t i = 0; i < count; i++) {
        bool named = argc <= 1;
        for (int j = 1; j < argc; j++)
            named |= strcmp(argv[j], scenarios[i].name) == 0;
        if (named)
            explore(&scenarios[i], deep != NULL && strcmp(deep, "1") == 0);
    }
    return 0;
}

/* Before the runtime's constructors: they use atomic operations, too. */
__attribute__((constructor(101))) static void begin(void)
{
    X = mmap(NULL, sizeof *X, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    history_begin();
    X->arena = mmap(NULL, ARENA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* After them: what they have set up is what every schedule starts with. */
__attribute__((constructor)) static void keep(void)
{
    size_t size = (size_t)(_end - __data_start);
    X->data_copy = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(X->data_copy, __data_start, size);
    X->arena_begin = X->arena_used;
    X->arena_copy = mmap(NULL, X->arena_begin + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(X->arena_copy, X->arena, X->arena_begin);
}
