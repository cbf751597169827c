/* The engine's state, and what its files have for each other.
 *
 * All state that changes is in *X, which is mapped memory: between two schedules arena.c sets .data and .bss back, and
 * a variable there would be set back, too. X itself has its value before the copy of .bss is made. history.c has its
 * state in the same way. test/scripts/explore_test.py finds other variables. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/atomic.h"
#include "../explore.h"

enum { MOST = 8, BUFFER = 64, STEPS = 20000, NODES = 20000, ADDRESSES = 1 << 14, MUTEXES = 32, RANGES = 16,
       DATA_PAGES = 1024 };

enum op { OP_LOCAL, OP_LOAD, OP_STORE, OP_CHANGE, OP_SLEEP, OP_WAKE, OP_FENCE_ALL, OP_LOCK, OP_UNLOCK, OP_YIELD,
          OP_PAUSE, OP_FLUSH, OP_ASLEEP, OP_OLD };

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
    bool keeps;                  /* its yield lets no thread of lower priority run (search_real_time) */
    unsigned in_vain;            /* such yields in a row without another thread's write */
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

/* Entities that can go next, as sets: thread i, the buffer of thread i - MOST, the end of a sleep of thread
   i - 2 * MOST. */
struct ready {
    uint32_t threads, buffers, ends;
    bool stuck;                  /* only threads that have looked and found nothing */
};

enum mode { BOUNDED, FULL, RANDOM, RANDOM_C11 };

extern struct explore {
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
    bool by_priority, real_time;
    /* Memory. */
    char *arena, *arena_copy, *data_copy;
    size_t arena_used, arena_begin; /* arena_begin: what constructors allocated */
    unsigned watched;               /* schedules that have shown which pages of data change */
    bool changes[DATA_PAGES];
    unsigned long long runs, random_runs, pruned_runs;
} *X;

static inline unsigned lowest(uint32_t set)
{
    return (unsigned)__builtin_ctz(set);
}

static inline bool yields(const struct fiber *fiber)
{
    return fiber->pending.op == OP_YIELD || fiber->pending.op == OP_PAUSE;
}

/* trace.c: this entity has done that. */
void trace_step(unsigned who, struct pending what, uint64_t value);

/* fiber.c. To another thread; to the main context; a new thread. */
void fiber_go_to(unsigned next);
void fiber_to_main(void);
void fiber_new(void (*function)(void *), void *argument, bool daemon);
/* For the main context: there are no threads; each runs up to its first step; they run up to the schedule's end. */
void fibers_clear(void);
void fibers_start(void);
void fibers_run(void);

/* scheduler.c. The thread that takes the next step; MOST: the schedule is at its end. */
unsigned scheduler_decide(void);
/* The thread is about to do that; returns when it may. */
void scheduler_point(enum op op, const volatile void *address, const char *file, int line);

/* search.c. The entity that goes next; X->pruned: none, the schedule need not be explored to its end. */
unsigned search_next(const struct ready *ready);
/* One of the choices, a set of numbers. */
unsigned search_choose(uint32_t choices, unsigned preferred);
/* The next schedule of a depth-first search: the deepest choice that has another one left. False: there is none. */
bool search_backtrack(void);
/* The next schedule is this random one. */
void search_seed(uint64_t seed, enum mode mode);
/* Whether threads are real-time ones in this schedule: a yield, unlike a nap, lets only threads of higher priority go
   on. */
static inline bool search_real_time(void)
{
    return X->real_time && X->mode >= RANDOM && !X->quiet;
}
/* The next random number. */
uint64_t search_die(void);

/* memory.c. Notes the use; true: other threads use the word, too, and it is written. */
bool memory_shared(uintptr_t address, bool writes);
/* Each operation reads or writes a word: the sizes are constants, so that no copy is a call. */
static inline uint64_t memory_read(uintptr_t address, unsigned size)
{
    uint64_t value = 0;
    switch (size) {
    case 1: memcpy(&value, (void *)address, 1); break;
    case 2: memcpy(&value, (void *)address, 2); break;
    case 4: memcpy(&value, (void *)address, 4); break;
    default: memcpy(&value, (void *)address, 8); break;
    }
    return value;
}
static inline void memory_write(uintptr_t address, unsigned size, uint64_t value, struct fiber *by)
{
    if (memory_read(address, size) == value)
        return;
    switch (size) {
    case 1: memcpy((void *)address, &value, 1); break;
    case 2: memcpy((void *)address, &value, 2); break;
    case 4: memcpy((void *)address, &value, 4); break;
    default: memcpy((void *)address, &value, 8); break;
    }
    X->writes++;
    by->own++;
}
/* The last store to the word in this thread's buffer, or NULL. Thread `who`'s oldest store becomes visible; all do. */
struct store *buffer_newest(struct fiber *me, uintptr_t address);
void buffer_flush_one(unsigned who);
void buffer_flush_all(unsigned who);

/* blocking.c: whether thread `who` can lock it. */
bool mutex_is_free(uintptr_t mutex, unsigned who);

/* arena.c. Before all constructors; after them: this is what schedules start with; before each schedule. */
void arena_begin(void);
void arena_keep(void);
void arena_restore(void);
