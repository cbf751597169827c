/* The simulator's parts, and what they have for each other.
 *
 * The runtime's own files run on simulated CPUs. They are compiled as the explorer has them (test/explore/shadow): each
 * atomic operation, pause and call of the operating system is a call into the simulator, which says how long it takes
 * (lines.c, os.c) and lets other threads run meanwhile (cpus.c). Threads are fibers of one OS thread (fibers.c), so a
 * run is deterministic. All times are nanoseconds of simulated time.
 *
 *   events.c        what happens next
 *   fibers.c        the simulated threads: stacks and thread-local variables
 *   cpus.c          run queues, slices, preemption, yields, sleeps
 *   migrate.c       on which CPU a thread begins and wakes, and who takes it to another one
 *   lines.c         atomic operations: what a cache line costs, and polls that wait for one
 *   os.c            host/os.h
 *   mutexes.c       pthread_mutex_*
 *   others.c        other processes, Haskell threads and their collector
 *   programs.c      OpenMP programs, compiled by plain gcc -fopenmp
 *   costs.c         what operations cost, from a file that measure.c writes
 *   main.c          a run and its answers
 */
#pragma once

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST_CPUS = 192, MOST_FIBERS = 640, LINES_READ = 16 };
enum { OURS = 0 /* the process that has the runtime; others have other numbers */ };

#define NEVER UINT64_MAX
#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

/* --- costs.c: nanoseconds, from measure.c ------------------------------------------------------------------------- */

struct costs {
    uint64_t hit;          /* an atomic load or store of a line that the CPU has */
    uint64_t change;       /* an atomic read-modify-write of such a line */
    uint64_t transfer;     /* a line comes from another CPU */
    uint64_t pause;        /* one pause of a spin loop, with its look at the word */
    uint64_t clock;        /* reading the clock */
    uint64_t yield;        /* a yield where nobody else wants the CPU */
    uint64_t swap;         /* a switch to another thread */
    uint64_t wake;         /* the call that wakes a sleeper */
    uint64_t latency;      /* from then on, until one runs whose CPU was idle */
    uint64_t sleep;        /* the call that sleeps */
    uint64_t nap;          /* what a nap is longer than was asked for */
    uint64_t ask;          /* how many threads want CPUs */
    uint64_t move;         /* to another CPU, by affinity */
    uint64_t spawn;        /* making a thread */
    uint64_t fence;        /* a fence of all threads */
    uint64_t tick;         /* between two of the kernel's */
    uint64_t hot;          /* a thread that ran so lately is not taken to another CPU, ... */
    uint64_t hot_tries;    /* ... unless so many tries on end have found only such ones */
    uint64_t far_factor;   /* from another group of NEAR CPUs a line takes so many times as long */
};
enum { NEAR = 8 };
extern struct costs costs;
void costs_read(const char *path); /* "name": value pairs; exits where one is missing */

/* --- events.c ----------------------------------------------------------------------------------------------------- */

enum event_kind { EVENT_GO, EVENT_TICK, EVENT_TIMER, EVENT_SAMPLE, EVENT_END };
struct event {
    uint64_t at, order;
    enum event_kind kind;
    uint32_t who;          /* CPU, CPU, fiber */
    uint32_t generation;   /* of `who`: the event is void when it has another one */
};
void events_add(uint64_t at, enum event_kind kind, uint32_t who, uint32_t generation);
struct event events_next(void);
uint64_t events_first(void); /* when the next one is */

/* --- fibers.c ----------------------------------------------------------------------------------------------------- */

enum state { RUNNING, QUEUED, ASLEEP, OVER };
struct line;
struct fiber {
    uint32_t number, process;
    enum state state;
    uint32_t cpu;          /* where it runs or waits; where it ran */
    cpu_set_t mask;
    /* The fair scheduler's, in CPU time. */
    int64_t vruntime, deadline, lag;
    uint64_t used;         /* CPU time since the beginning */
    uint64_t ran;          /* clock: when it left a CPU the last time */
    uint64_t slept;        /* clock */
    uint64_t need;         /* CPU time until its present operation is over */
    bool pausing;          /* ... which a change of a line that it has read ends */
    /* Asleep. */
    const volatile void *word; /* NULL: a nap */
    uint32_t classes, sleeps; /* sleeps: the generation of its timer */
    bool timed_out;
    /* The lines that it has read since its last pause, and whether it has changed any. */
    struct { struct line *line; uint32_t version; } read[LINES_READ];
    unsigned reads;
    bool changed;
    /* fibers.c alone */
    void *sp;
    char *stack, *tls;
    void (*function)(void *);
    void *argument;
};
extern struct fiber fibers[MOST_FIBERS];
extern uint32_t fiber_count;
extern struct fiber *me; /* the fiber whose code runs; NULL: the simulation does not run, operations are plain ones */

struct fiber *fiber_new(uint32_t process, void (*function)(void *), void *argument);
void fiber_go_to(struct fiber *next);
void fibers_run(void);     /* the simulation, until fibers_stop */
void fibers_stop(void);

/* --- cpus.c ------------------------------------------------------------------------------------------------------- */

struct cpu {
    struct fiber *current; /* NULL: idle */
    struct fiber *queue[MOST_FIBERS]; /* in the order of their coming */
    uint32_t queued;
    uint32_t generation;   /* of its EVENT_GO */
    uint64_t since;        /* clock: up to when `current` has been charged */
    uint64_t go;           /* clock: when its operation is over */
    bool must_switch;      /* `current`, whose code runs just now, is to leave */
    uint64_t idle_since, idle_for; /* idle_for: before that */
    uint64_t mean_idle;    /* of its last idle times */
    uint64_t vain;         /* tries on end that found hot threads only */
    uint64_t balanced;     /* clock: the last look at other CPUs while busy */
};
extern struct cpu cpus[MOST_CPUS];
extern uint32_t cpu_count;
extern uint64_t now;

void cpus_start(uint32_t count, uint64_t until);
void cpus_run(void);       /* until the simulation ends */
/* For `me`: so much CPU time passes. */
void cpu_use(uint64_t ns);
/* The same, but over as soon as somebody ends it (cpu_end_pause); returns the CPU time. */
uint64_t cpu_pause(uint64_t ns);
void cpu_end_pause(struct fiber *fiber);
void cpu_yield(void);
/* Sleeps until woken or so long; true: woken. */
bool cpu_sleep(const volatile void *word, uint32_t classes, uint64_t ns);
void cpu_wake(struct fiber *fiber);
/* The fiber whose code runs just now; NULL while something happens to others. */
struct fiber *cpu_acting(void);
void cpu_end(void);        /* the fiber is over */
/* `fiber` may run on these CPUs alone from now on. */
void cpu_bind(struct fiber *fiber, const cpu_set_t *mask);
/* A fiber that is not on a CPU goes to that one's queue; `woken`: it may preempt. */
void cpu_enqueue(struct fiber *fiber, uint32_t cpu, bool woken);
void cpu_dequeue(struct fiber *fiber);
uint32_t cpu_wanting(const struct cpu *cpu);
uint32_t cpus_wanting(void); /* fibers that run or wait for a CPU */
uint64_t cpus_idle(void);  /* the idle time of all */
uint64_t process_used(uint32_t process);
/* main.c: looks at the CPUs. */
void run_sample(void);

/* --- migrate.c ---------------------------------------------------------------------------------------------------- */

uint32_t migrate_new(const struct fiber *fiber, uint32_t from);
uint32_t migrate_woken(const struct fiber *fiber);
void migrate_idle(uint32_t cpu);  /* the CPU has nothing to do, as of now */
void migrate_tick(uint32_t cpu);

/* --- others.c, main.c ----------------------------------------------------------------------------------------------
 * */

struct noise {
    uint32_t process;
    uint64_t on, off;      /* off 0: always on */
    uint64_t begin, end;   /* clock, from the run's beginning */
};
void noise_start(struct noise *noise, uint32_t cpu);
void haskell_start(uint32_t threads, uint64_t every, uint64_t lasts);

uint64_t sim_random(void);
