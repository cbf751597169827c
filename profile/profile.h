/* libghcomp_profile.so: the tool of `ghcomp profile`. It measures a program by OpenMP's interface for tools (OMPT), on
 * this runtime or on any other that has it, and reports at the program's end where the time went.
 *
 * Times. A thread is always in one state of `enum activity`. Each event that changes the state reads the clock once and
 * charges the time since the last such event to the state until then (events.c). So times add up: what a member of a
 * region spent on all activities is never more than the region's own time, and the rest is the wait at its end.
 *
 * Ownership. Each thread has a struct thread with a struct counts for each site, a place in the program where a
 * construct began, and writes only there. Those numbers are atomic and relaxed, because the report reads them while
 * threads of the program may still run; they order nothing. The one exception is struct slot, a cache line of each
 * member of a region, which the thread that opened the region reads when the region has ended; the runtime's barrier
 * orders that.
 *
 * Memory. A struct thread for each thread at a time, 4,091 sites, and spans up to a bound (spans.c).
 *
 * Files: events.c the runtime's events; sample.c which tasks and regions; threads.c threads, sites, their numbers;
 * spans.c the spans of --trace; start.c the beginning and the end; clock.c; report.c sums over the threads; where.c and
 * outlined.c source lines; table.c, json.c and trace.c write; text.c builds texts. Covered by test/profile. */
#pragma once

#include <omp-tools.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/atomic.h"

/* A number that one thread writes. */
typedef _Atomic uint64_t counter;

static inline void profile_add(counter *n, uint64_t amount)
{
    ghcomp_store_relaxed(n, ghcomp_load_relaxed(n) + amount);
}

static inline void profile_raise(counter *n, uint64_t value)
{
    if (value > ghcomp_load_relaxed(n))
        ghcomp_store_relaxed(n, value);
}

/* --- sites -------------------------------------------------------------------------------------------------------- */

enum site_kind { SITE_REGION, SITE_LOOP, SITE_TASK, SITE_LOCK, SITE_KINDS };

/* A place in the program where regions, loops, tasks or waits for a lock begin: the return address of the call of the
   runtime. Sites 1 to SITE_KINDS stand for those of each kind for which the table had no more space. */
struct site {
    const void *address;           /* NULL: unknown, or no more space */
    uint8_t kind;                  /* enum site_kind */
    uint8_t detail;                /* ompt_work_t, ompt_mutex_t; of regions: whether it is a league */
};

enum { SITES = 4096, SITE_NONE = 0 };

/* A thread's numbers at a site, by kind. The first three are for all, the next two for regions and tasks (sample.c):
   those that were filtered, and the sum of the measured ones' weights. */
enum column {
    TIMES,                         /* regions ended; loops entered; tasks completed; locks taken */
    TIME,                          /* in regions; in loops; of the tasks' own code; until the lock was taken */
    LONGEST,
    FILTERED, WEIGHT,
    MEMBERS, LARGEST, BUSY, BUSIEST, BARRIER_WAIT, TASK_WAIT, LOCK_WAIT, END_WAIT,  /* regions */
    CHUNKS = MEMBERS, ITERATIONS,  /* loops; the most iterations of one */
    CREATED = MEMBERS, CANCELLED,  /* tasks: of those that are reported */
    COLUMNS = END_WAIT + 1
};

/* Durations in ticks: four buckets for each power of two. */
enum { BUCKETS = 4 * 48 };

struct counts {
    counter n[COLUMNS];
    counter *histogram;             /* tasks and locks: BUCKETS numbers; immutable */
    counter credit;                 /* the part of FILTERED that is still to come: given by store_release, for
                                       load_acquire */
};

/* --- what threads do ---------------------------------------------------------------------------------------------- */

/* JOIN and OUTSIDE are not charged: a member's wait at a region's end is the part of the region's time that it has not
   spent otherwise, which the thread that opened the region computes. (On libomp the event of that end reaches a worker
   with its next region.) */
enum activity { CODE, IN_BARRIER, IN_TASKWAIT, IN_LOCK, CHARGED, JOIN = CHARGED, OUTSIDE };

/* A member's times in a region. The member writes, and the thread that opened the region reads after its end. */
struct slot {
    counter begin;
    counter end;                    /* of a member that meets no barrier at the region's end; else 0 */
    counter spent[CHARGED];
} GHCOMP_ALIGNED;

/* A region that has begun and not ended. Only the thread that opened it uses the first line. Members read the second
   one, which is written only when a value changes: it stays in their caches from region to region. */
struct region {
    struct region *next;           /* link of the thread's spare ones */
    struct counts *stat;           /* the thread's, of its site */
    uint64_t begin;
    uint32_t generation;           /* of fork() */
    uint32_t exponent;             /* it stands for 2^exponent regions (sample.c) */
    _Atomic uint32_t size;         /* member 0 */
    uint32_t site GHCOMP_ALIGNED;
    uint32_t slots;
    uint32_t weight;               /* how often the time of its members counts as their threads' */
    struct slot slot[];
};

/* The weight of a frame whose region has not been read yet. */
enum { WEIGHT_UNKNOWN = UINT32_MAX };

/* A thread's state as a member of a region, or outside of any. Owner only. */
struct frame {
    struct slot *slot;             /* its times are charged there */
    struct counts *loop;           /* the loop that it is in */
    uint64_t loop_begin;
    uint64_t own;                  /* what the current task's own code has taken until it was charged */
    uint64_t segment;              /* since when it runs the current explicit task */
    uint64_t part;                 /* since when it is a member; `filtered`: when its thread was charged before */
    enum activity activity;
    uint32_t weight;               /* the region's; 0: of a filtered one */
    uint32_t region_site;
    uint32_t others;               /* how many other members' slots follow its own, if it opened the region */
    bool opened;
    bool filtered;                 /* of the member that opened a filtered region */
};

/* A thread's cached site. */
struct known {
    const void *address;
    uint32_t kind;                 /* enum site_kind, plus 1; 0: nothing */
    uint32_t site;
    struct counts *stat;
};

enum { KNOWN = 256 };

struct spans;

/* Owner only, except the numbers and fields with another rule. They are never freed: a thread that ends gives its
   struct to the next one, numbers included. */
struct thread {
    uint64_t last;                 /* when it was charged */
    struct frame *at;              /* of the innermost region that it is a member of: &frames[depth] */
    uint32_t depth;                /* of how many regions it is a member */
    uint32_t frames_there;
    struct slot mine;              /* its slot in the outermost region that it is a member of, until it is published */
    ompt_data_t *parallel;         /* that region, or NULL: its slot there is written at once; and its number there */
    uint32_t index;
    bool dirty;                    /* `mine` has changed since it was published */
    struct slot *published;        /* there, the last time */
    struct frame *frames;
    struct region *spare;
    uint32_t exponent;             /* the task that it makes next stands for 2^exponent of them (sample.c), ... */
    uint32_t region_exponent;      /* ... and so does the region that it opens next */
    uint64_t drawn;                /* the last number that sample.c has drawn */
    struct slot outside;           /* in no region */
    struct slot surplus;           /* members for whom a region has no slot; never read */
    counter spent[CHARGED];
    counter outermost;              /* time in regions that it opened outside of any, */
    counter twice;                  /* and that of filtered ones, which spent[CODE] has a second time */
    counter life, begun;            /* of its threads that have ended; of the one that runs, 0: none */
    counter starts;                 /* number of threads that have had it */
    struct known known[KNOWN];
    _Atomic(struct counts *) stats[SITES]; /* owner: store_release; the report: load_acquire */
    struct spans *_Atomic spans;   /* newest first; store_release, load_acquire */
    counter dropped;                /* spans */
    uint32_t number;               /* immutable, and so are: */
    bool worker;
    struct thread *next;
    struct thread *next_unused;    /* threads.c: its lock */
};

/* The calling thread's struct, created if there is none. */
extern __thread struct thread *profile_own_thread __attribute__((tls_model("initial-exec"))) GHCOMP_OWN;
struct thread *profile_thread_make(void);
static inline struct thread *profile_thread(void)
{
    struct thread *own = profile_own_thread;
    return ghcomp_likely(own != NULL) ? own : profile_thread_make();
}
void profile_thread_begin(ompt_thread_t kind);
void profile_thread_end(void);
/* All that there have been, newest first. */
struct thread *profile_threads(void);

static inline uint32_t profile_hash(const void *address, uint32_t kind)
{
    uint64_t bits = (uint64_t)(uintptr_t)address * 4 + kind;
    return (uint32_t)((bits * 0x9e3779b97f4a7c15u) >> 32);
}

/* The site of that address and the calling thread's numbers of it. */
void profile_site_find(struct thread *thread, struct known *known, enum site_kind kind, const void *address,
                       int detail);
static inline const struct known *profile_site(struct thread *thread, enum site_kind kind, const void *address,
                                               int detail)
{
    struct known *known = &thread->known[profile_hash(address, kind) % KNOWN];
    if (ghcomp_unlikely(known->address != address || known->kind != kind + 1u))
        profile_site_find(thread, known, kind, address, detail);
    return known;
}
struct counts *profile_counts(struct thread *thread, uint32_t site);
const struct site *profile_sites(uint32_t *count);
/* Counts one more at the site, which took that long and stands for `weight` of them. */
void profile_count(struct counts *stat, uint64_t ticks, uint64_t weight);
/* The shortest and the longest of a bucket's durations. */
uint64_t profile_bucket_from(int bucket);

/* Makes room for one more frame. */
void profile_frames_grow(struct thread *thread);
struct region *profile_region_take(struct thread *thread, uint32_t members);
static inline void profile_region_give(struct thread *thread, struct region *region)
{
    region->next = thread->spare;
    thread->spare = region;
}

/* Take the locks around fork(), and reset the child's numbers. */
void profile_threads_fork(bool prepare);
void profile_threads_child(void);
extern uint32_t profile_generation GHCOMP_OWN;

/* --- tasks and regions of which a sample is measured (sample.c) --------------------------------------------------- */

enum { SAMPLE_EXPONENTS = 16 };

/* Whether the calling thread's next task or region is reported. */
int profile_task_filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *given);
int profile_region_filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *given);
/* A task or region of that site has ended, which took that long. It stands for 2^exponent of them, or only for itself;
   returns its weight. */
uint64_t profile_measured(struct counts *stat, uint32_t site, enum site_kind kind, uint64_t ticks, uint32_t exponent);
/* Whether one that took that long stands for itself alone. Only if its exponent is not 0. */
bool profile_is_large(enum site_kind kind, uint64_t ticks);

/* --- time --------------------------------------------------------------------------------------------------------- */

/* Ticks of the processor's counter where the kernel itself keeps time by it, else nanoseconds. */
extern bool profile_counter GHCOMP_OWN; /* immutable after profile_clock_start */
uint64_t profile_nanoseconds_now(void);
void profile_clock_start(void);
/* Measures the length of a tick, for profile_ns. */
void profile_clock_measure(void);
uint64_t profile_ns(uint64_t ticks);
/* The number of ticks, by an estimate while the program runs. */
uint64_t profile_ticks(uint64_t ns);

static inline uint64_t profile_now(void)
{
    return profile_counter ? ghcomp_cpu_ticks() : profile_nanoseconds_now();
}

/* --- events and spans --------------------------------------------------------------------------------------------- */

void profile_set_callbacks(ompt_function_lookup_t lookup);

enum span_kind { SPAN_REGION, SPAN_PART, SPAN_TASK, SPAN_BARRIER, SPAN_TASKWAIT, SPAN_LOCK, SPAN_KINDS };

struct span {
    uint64_t begin, end;
    uint32_t kind;                 /* enum span_kind */
    uint32_t site;                 /* or SITE_NONE */
};

enum { SPANS = 2048, SPANS_MOST = 1 << 20 };

struct spans {
    struct spans *next;
    counter count;                  /* store_release after the span, load_acquire */
    struct span span[SPANS];
};

extern bool profile_tracing GHCOMP_OWN; /* immutable after the start */
void profile_span_keep(struct thread *thread, enum span_kind kind, uint32_t site, uint64_t begin, uint64_t end);
void profile_spans_child(void);

static inline void profile_span(struct thread *thread, enum span_kind kind, uint32_t site, uint64_t begin, uint64_t end)
{
    if (ghcomp_unlikely(profile_tracing))
        profile_span_keep(thread, kind, site, begin, end);
}

/* --- settings, and lines on stderr -------------------------------------------------------------------------------- */

struct settings {
    const char *json, *trace;      /* files, or NULL; %p is the process's number */
    unsigned top;                  /* rows of each table */
    bool late_joins;               /* the runtime reports a region's end to a worker with the next region */
    char runtime[80];
    pid_t process;                 /* the one in which the tool was started */
};
extern struct settings profile_settings GHCOMP_OWN;

/* One line on stderr. */
void profile_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *profile_alloc(size_t bytes); /* zeroed; ends the process when there is no memory */
