/* Glossary and the structs that the whole machine shares.
 *
 *   thread      an OS thread the runtime knows: an *initial* thread (the program's own: main, a pthread, a Haskell
 *               caller) or a *worker* (made by pool.c). One `struct ghcomp_thread` each.
 *   team        the threads that execute one parallel region; the unit of state. Nothing that belongs to a region is
 *               global or thread-local in itself: it hangs off `struct ghcomp_team`.
 *   member      one thread's place in one team. A thread that is the master of nested regions is a member of several
 *               teams at once; ghcomp_self points to the innermost one. The *initial member* of an initial thread is
 *               the only member of that thread's implicit (level 0) team, so that no code asks "is there a team?".
 *   master      member 0, the thread that encountered the region (OpenMP's primary thread).
 *   hot team    a team kept with its workers between regions by the member that encountered the last one.
 *   mail        a worker's mailbox: the one place where an idle worker waits, whoever hands it work.
 *   work share  the shared state of one worksharing construct (workshare.c).
 *
 * Ownership words used in comments: "owner only" = the thread the struct belongs to; "region" = written by the master
 * before the mail is published and immutable until the join; atomic(order) = through atomic.h.
 */
#pragma once

#include <pthread.h>
#include <sched.h>

#include "core/atomic.h"
#include "core/icv.h"

struct ghcomp_cpus;
struct ghcomp_target_region;
struct ghcomp_team;
struct ghcomp_thread;
struct ghcomp_workshare;

/* A task region: implicit ones live in their member. */
struct ghcomp_task {
    const struct ghcomp_icvs *icv; /* owner only: the region's snapshot, or &own */
    struct ghcomp_task *parent;    /* the generating task; NULL for an initial task */
    uint32_t id;                   /* owner only: names the task in nest locks; 0 until ghcomp_task_id gives one */
    bool final;                    /* region: no deferred tasks below */
    struct ghcomp_icvs own;        /* owner only: valid when icv == &own */
};

/* One thread's place in one team. Written by its own thread only, except where said. */
struct ghcomp_member {
    struct ghcomp_team *team;
    struct ghcomp_task *task;          /* the task it executes now */
    struct ghcomp_thread *thread;
    uint32_t tid;                      /* omp_get_thread_num() */
    uint32_t place;                    /* 1 + index of its place in the place list; 0 = not bound */
    struct ghcomp_workshare *share;    /* the last work share it entered; the team's root at region start */
    uint32_t singles;                  /* single regions that it has met, see single.c */
    struct ghcomp_workshare *spare;    /* shares that it may use next (workshare.c) */
    /* The chunk of the worksharing loop (section) that it executes: positions in the loop's normalised order (loop.h);
       empty when it is in none, or in a loop that the compiler shares out by itself. */
    uint64_t chunk_begin, chunk_end;
    uint64_t chunk_count;              /* static schedules: chunks taken so far */
    _Atomic uint64_t *progress;        /* doacross loops: where the chunk's progress is posted (doacross.c) */
    uint32_t partition_first, partition_len; /* place-partition-var: 0-based places [first, first + len) */
    struct ghcomp_task implicit;       /* its implicit task */
    struct ghcomp_team *hot;           /* the team it keeps for its next region of more than one thread */
    struct ghcomp_team *hot_serial;    /* ... and for its next region of one thread */
};

/* What the master tells a worker: one cache line, one publication. The worker waits for `word` to change from the
   value it saw last. Bit 0 of the word is set by the worker (cas_acqrel) when it goes to sleep on it; the rest is a
   counter. The sender fills the other fields and then exchanges the word (xchg_acqrel, pairs with the worker's
   load_acquire); bit 0 of what it got back says that a wake-up is owed. The fields belong to the sender from the
   moment the worker is taken (free in the pool, or joined in a hot team) until the exchange. */
struct ghcomp_mail {
    _Atomic uint32_t word;
    uint32_t tid;                  /* member number in the team */
    struct ghcomp_team *team;      /* NULL: the worker ends */
    void (*fn)(void *);
    void *data;
    uint32_t mxcsr;                /* the master's SSE control and status word */
    uint16_t x87_control;          /* ... and x87 control word */
    uint16_t moved;                /* not 0: the worker has something to do in affinity.c */
    uint32_t place;                /* place of the member, as in struct ghcomp_member */
    uint32_t partition_first, partition_len;
} GHCOMP_ALIGNED;
_Static_assert(sizeof(struct ghcomp_mail) == GHCOMP_CACHE_LINE, "a hand-over is one cache line");

/* Counts the threads that work for one initial thread (thread-limit-var is a limit on this, not on the process). */
struct ghcomp_group {
    _Atomic uint32_t threads;      /* atomic(relaxed): a count, it orders nothing */
};

struct ghcomp_thread {
    struct ghcomp_mail mail;       /* workers only */
    struct ghcomp_member self;     /* initial thread: its initial member; worker: its place in the team it serves */
    struct ghcomp_group group;     /* initial threads: their contention group */
    struct ghcomp_group *in_group; /* owner only; a worker's comes with its team */
    struct ghcomp_thread *next;    /* lock pool: the pool's list of free workers */
    struct ghcomp_team *initial_team; /* initial threads: their level 0 team */
    struct ghcomp_target_region *target;       /* owner only: target regions that it is in, the innermost first */
    struct ghcomp_target_region *target_spare; /* owner only: what it needs for the next ones, see target.c */
    pthread_t handle;              /* workers: immutable after creation */
    uint32_t number;               /* process-wide number of a worker, from 1; 0 for an initial thread */
    uint32_t polite_waits;         /* owner only: waits that yield early, see wait.c */
    uint32_t lock_name;            /* owner only: names it in OMP_1.0 nest locks; 0 until it takes one (lock.c) */
    uint32_t bound_place;          /* owner only: the place its affinity mask was last set to, as in member.place */
    struct ghcomp_cpus *affinity;  /* worker's mask when a master gave it its own; written by whoever took it */
} GHCOMP_ALIGNED_PAIR;

/* A barrier of a team, see barrier.c for the protocol. */
struct ghcomp_barrier {
    _Atomic uint32_t arrived GHCOMP_ALIGNED_PAIR; /* threads that have arrived in this episode */
    _Atomic uint32_t singles;                     /* single regions claimed (single.c): the line that comes next anyway */
    _Atomic uint32_t episode GHCOMP_ALIGNED_PAIR; /* counter << 1 | somebody sleeps */
};

/* Bits of team.cancelled. */
enum { GHCOMP_CANCELLED_PARALLEL = 1, GHCOMP_CANCELLED_SHARE = 2 };

struct ghcomp_team {
    /* region: read by all members, written between regions by the master only */
    uint32_t size;                     /* threads in this region */
    uint32_t level;                    /* omp_get_level(): 0 for an initial team */
    uint32_t active_level;             /* omp_get_active_level() */
    uint32_t capacity;                 /* slots in `members` */
    struct ghcomp_member **members;    /* [size]; [0] is &master; workers' own `self` else */
    struct ghcomp_member *parent;      /* the encountering member; NULL for an initial team */
    const struct ghcomp_icvs *icv;     /* what its implicit tasks start with */
    struct ghcomp_task *parent_task;   /* the encountering task */
    struct ghcomp_group *group;        /* contention group of the region */
    struct ghcomp_workshare *root;     /* the share its members start at (workshare.c) */
    uint8_t bind;                      /* enum ghcomp_bind in force for this team */
    uint32_t singles;                  /* single regions claimed before this region */
    bool counted;                      /* its workers are counted in group */
    uint32_t generation;               /* process generation it was made in: older than a fork() means no workers */
    uint32_t league_num, league_size;  /* omp_get_team_num(), omp_get_num_teams() */
    uint32_t shown;                    /* affinity.c: the size it had when its affinity was displayed; 0 = never */

    struct ghcomp_icvs icv_storage;    /* region: used when the region's ICVs are not the encountering task's */

    /* The join: workers that have not finished << 1 | the master sleeps. Workers subtract (sub_acqrel), the master
       reads (load_acquire): everything in the region happens before what follows it. */
    _Atomic uint32_t unfinished GHCOMP_ALIGNED_PAIR;

    /* Sleeping workers that the master handed to the woken ones to wake: see pool.c. */
    _Atomic uint32_t wake_next GHCOMP_ALIGNED_PAIR;
    _Atomic uint32_t wake_count;       /* atomic(relaxed): the store of wake_next orders it */
    struct ghcomp_thread **wake;       /* [wake_count]: written before wake_next says so */

    struct ghcomp_barrier barrier;
    _Atomic uint32_t cancelled GHCOMP_ALIGNED_PAIR; /* GHCOMP_CANCELLED_*: see cancel.c */

    /* Work shares (workshare.c). */
    struct ghcomp_workshare *oldest;   /* first share not recycled yet; written by its last entrant (workshare.c) */
    _Atomic uint64_t free_shares;      /* stack of shares: cas_release pushes, cas_acqrel pops (workshare.c) */
    _Atomic(struct ghcomp_workshare *) made; /* all shares of the team: pushed by cas_release; see share.made */
    _Atomic uint32_t share_count;      /* shares made and not freed; atomic(relaxed): bounds what is kept */

    struct ghcomp_member master;       /* member 0 */
} GHCOMP_ALIGNED_PAIR;

/* The innermost member of the calling thread; NULL until the thread's first call into the runtime. Initial-exec
   thread-local storage: 8 bytes of the static block. */
extern __thread struct ghcomp_member *ghcomp_self_member;

/* Makes the calling thread known (thread.c). */
struct ghcomp_member *ghcomp_thread_register(void) __attribute__((cold));

/* The calling thread's innermost member, never NULL. Any thread, any time after the library's constructor. */
static inline struct ghcomp_member *ghcomp_self(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return ghcomp_likely(self != NULL) ? self : ghcomp_thread_register();
}

/* The task's 32-bit name, unique among live tasks that were ever named (nest locks). */
uint32_t ghcomp_task_id(struct ghcomp_task *task);
