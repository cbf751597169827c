/* Threads, and the regions that they are members of.
 *
 * Times. A thread is always in one state of `enum activity`. Each event that changes the state reads the clock once and
 * charges the time since the last such event to the state until then (events.c). So times add up: what a member of a
 * region spent on all activities is never more than the region's own time, and the rest is the wait at its end.
 *
 * Ownership. Each thread has a struct thread with a struct counts for each site, a place in the program where a
 * construct began, and writes only there. Those numbers are atomic and relaxed, because the report reads them while
 * threads of the program may still run; they order nothing. The one exception is struct slot, a cache line of each
 * member of a region, which the thread that opened the region reads when the region has ended; the runtime's barrier
 * orders that. */
#pragma once

#include <omp-tools.h>
#include <stdbool.h>

#include "sites.h"

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
