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
 *   few         said of a team of up to GHCOMP_BARRIER_FLAGS threads, which waits by marks (barrier_flags.c).
 *   large team  one that has a tree for its beginning, its barriers and its end (barrier_policy.c).
 *   eventcount        the word on which members sleep that wait for the others of their team (barrier.c).
 *   task        an instance of executable code and its data; *implicit*: a member's part of a region, *explicit*: made
 *               by a task construct. Ready tasks lie in the deque of the member that made them ready, or in the team's
 *               queue.
 *   door        lets workers that have finished their part of a region back in to run its tasks (task_team.c).
 *
 * Ownership words used in comments: "owner only" = the thread the struct belongs to; "region" = written by the master
 * before the mail is published and immutable until the join; atomic(order) = through atomic.h.
 */
#pragma once

#include <pthread.h>
#include <sched.h>

#include "base/atomic.h"
#include "base/blocks.h"
#include "core/state/icv.h"
#include "core/state/stats.h"

struct ghcomp_cpus;
struct ghcomp_depend_heap;
struct ghcomp_depend_node;
struct ghcomp_depend_table;
struct ghcomp_deque;
struct ghcomp_member;
struct ghcomp_task_heap;
struct ghcomp_target_region;
struct ghcomp_taskgroup;
struct ghcomp_team;
struct ghcomp_thread;
struct ghcomp_combining_tree;
struct ghcomp_workshare;

/* A task region. Implicit tasks live in their member; explicit ones come from task_heap.c, with the data of the
   construct behind them. The *executor* is the member that runs the task: a task that has started never moves, so
   "executor only" means one thread. Fields without a remark are written before the task starts, by the thread that
   makes it and then by the one that starts it (the deque or queue between them orders the two), and immutable after
   that.

   The struct begins with what few tasks touch, so that most cost two cache lines: the hot one, and the next with the
   beginning of the data. */
struct ghcomp_task {
    struct ghcomp_icvs own;        /* executor only: valid when icv == &own */
    struct ghcomp_depend_table *table; /* executor only: the dependences among its children (taskdep.c); NULL = none */
    struct ghcomp_depend_node *node; /* its own dependences (taskdep.c); NULL = none */
    _Atomic uint32_t reported;     /* children completed by other threads << 1 | ring the eventcount: a pending count, see task.h */
    _Atomic uint32_t refcount;        /* references by children that other threads give back: see task.c */
    _Atomic uint32_t event;        /* detach: GHCOMP_EVENT_*, see task.c */
    uint32_t trace_log;            /* executor only: the log that its start is in; valid when GHCOMP_TASK_TRACED */

    void (*fn)(void *) GHCOMP_ALIGNED;
    void *data;
    const struct ghcomp_icvs *icv; /* executor only: the region's snapshot, or &own */
    _Atomic(struct ghcomp_task *) parent; /* the generating task, or a task further up when that had ended before this
                                      one's start; NULL for an initial task. atomic(relaxed), like depth: thieves may
                                      read both of a task that is gone (deque.h) */
    struct ghcomp_member *executor; /* implicit tasks: their member */
    struct ghcomp_taskgroup *group; /* executor only: the innermost taskgroup region that it is in */
    uint32_t due;                  /* executor only: children to complete, less those that the executor completed */
    uint32_t living;               /* executor only: children that hold it, less what the executor gave back */
    struct ghcomp_block link;      /* of the list of free blocks that it is on */

    struct ghcomp_task_heap *home; /* where its memory comes from; NULL for implicit tasks */
    uint32_t id;                   /* executor only: names the task in nest locks; 0 until ghcomp_task_id gives one */
    _Atomic uint32_t depth;        /* generations below the implicit task, which has 0; atomic(relaxed) */
    uint32_t mark;                 /* where the bottom of the executor's deque was when the task started */
    int32_t priority;              /* 0 .. max-task-priority-var */
    uint16_t traits;               /* GHCOMP_TASK_*: task.h */
    bool final;                    /* its children are included tasks */
    _Atomic bool ended;            /* atomic(relaxed): its function has returned (a hint, see task.c) */
};
/* An explicit task's data follows its last field. */
#define GHCOMP_TASK_BYTES ((offsetof(struct ghcomp_task, ended) + 16) & ~(size_t)15)

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
    struct ghcomp_deque *deque;        /* its ready tasks (deque.h); NULL until it defers one. store_release by its
                                          thread, load_acquire by thieves */
    uint32_t steal_cursor;                    /* where it stole last (task_take.c) */
    uint64_t stole;                    /* when it stole last, in ticks, until the next look (task_take.c); else 0 */
    uint32_t impatience;               /* tasks that it makes before it waits for others again (ghcomp_task_throttle) */
    /* Deferred tasks that it made, and those that it completed, in this region: see task_team.c. */
    _Atomic uint32_t created;          /* atomic(relaxed) */
    _Atomic uint32_t completed;        /* store_release by its thread, load_acquire by who looks for the end */
    struct ghcomp_task implicit;       /* its implicit task */
    struct ghcomp_team *hot;           /* the team it keeps for its next region of more than one thread */
    struct ghcomp_team *hot_serial;    /* ... and for its next region of one thread */
};

/* What the master tells a worker: one cache line, one publication. The worker waits for `word` to change from the
   value it saw last. In teams of a few its answer at the region's end stands on the same line (barrier_flags.c). Bit 0 of the
   word is set by the worker (cas_acqrel) when it goes to sleep on it; the rest is a counter. The sender fills the
   other fields and then exchanges the word (xchg_acqrel, pairs with the worker's load_acquire); bit 0 of what it got
   back says that a wake-up is owed. The fields belong to the sender from the moment the worker is taken (free in the
   pool, or joined in a hot team) until the exchange. */
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
    int32_t cpu;                   /* where the master is, when the worker should be elsewhere (worker_placement.c); or -1 */
    uint32_t region;               /* number of the region */
    union {
        _Atomic uint32_t finished_region;     /* teams of a few: the worker's answer, the region when it has left it (barrier_flags.c) */
        uint32_t until;            /* large teams: members (tid, until) are for the worker to start (fork_tree.c) */
    };
} GHCOMP_ALIGNED;
_Static_assert(sizeof(struct ghcomp_mail) == GHCOMP_CACHE_LINE, "a hand-over is one cache line");

/* Counts the threads that work for one initial thread (thread-limit-var is a limit on this, not on the process). */
struct ghcomp_group {
    _Atomic uint32_t threads;      /* atomic(relaxed): a count, it orders nothing */
};

/* The parts of a thread's struct, each named after the module that owns it. Owner only, where nothing else is said. */

/* target.c */
struct ghcomp_thread_targets {
    struct ghcomp_target_region *innermost; /* target regions that it is in, the innermost first */
    struct ghcomp_target_region *spare;     /* what it needs for the next ones */
};

/* wait.c: how many of the thread's next waits ... */
struct ghcomp_thread_waits {
    uint32_t polite;               /* ... yield from the start */
    uint32_t slow_yields;          /* ... for a TURN or a POST do not yield */
};

/* affinity.c */
struct ghcomp_thread_affinity {
    uint32_t bound_place;          /* the place its affinity mask was last set to, as in member.place */
};

/* Free memory for what it makes; NULL = none yet. */
struct ghcomp_thread_memory {
    struct ghcomp_task_heap *tasks;           /* task_heap.c */
    struct ghcomp_depend_heap *dependences;   /* taskdep_heap.c */
    struct ghcomp_taskgroup *taskgroup;       /* taskgroup.c: for its next one */
};

/* task_team.c: the region that a worker served last, to which it may come back to help. */
struct ghcomp_thread_served {
    struct ghcomp_team *team;      /* never freed memory */
    uint32_t region;               /* the region's number */
};

/* worker_placement.c */
struct ghcomp_thread_placement {
    struct ghcomp_cpus *mask;      /* a worker's mask when a master gave it its own; written by whoever took it */
    int32_t master_cpu;            /* the master's CPU, and the worker's number in the team, for ... */
    uint32_t tid;                  /* ... which it sits on one CPU */
    uint32_t pinned;               /* that CPU plus 1; 0: none */
    bool restricted;               /* a CPU is out of its mask */
};

/* yield_to_haskell.c */
struct ghcomp_thread_yielding {
    uint64_t rested;               /* ticks when it last rested, or had no need to ... */
    uint32_t regions;              /* ... how many regions of several threads it has begun since ... */
    uint32_t lacking;              /* ... and the latest of these that Haskell had too few CPUs at */
};

/* admission.c */
struct ghcomp_thread_admission {
    uint64_t skip_until;           /* ms of the clock until which it waits for no turn ... */
    uint32_t skip_ms;              /* ... and how long that was */
    uint64_t left, away;           /* ticks when its last region ended, and until the one after began */
    uint32_t vain_waits;           /* how often in a row it waited for nothing */
};

/* stats.c; lock stats.lock */
struct ghcomp_thread_stats {
    struct ghcomp_thread *next, *prev;
};

struct ghcomp_thread {
    struct ghcomp_mail mail;       /* workers only */
    struct ghcomp_member self GHCOMP_ALIGNED_PAIR; /* initial thread: its initial member; worker: its place in the team
                                      it serves */
    struct ghcomp_group group;     /* initial threads: their contention group */
    struct ghcomp_group *in_group; /* owner only; a worker's comes with its team */
    struct ghcomp_thread *next;    /* lock pool: the pool's list of free workers; initial threads: thread.c */
    struct ghcomp_team *initial_team; /* initial threads: their level 0 team */
    struct ghcomp_thread_targets target;
    pthread_t handle;              /* workers: immutable after creation */
    uint32_t number;               /* process-wide number of a worker, from 1; 0 for an initial thread */
    struct ghcomp_thread_waits wait;
    uint32_t lock_name;            /* owner only: names it in OMP_1.0 nest locks; 0 until it takes one (lock.c) */
    struct ghcomp_thread_affinity affinity;
    struct ghcomp_thread_memory memory;
    struct ghcomp_thread_served served;
    struct ghcomp_thread_placement placement;
    struct ghcomp_thread_yielding yielding;
    struct ghcomp_thread_admission admission;
    struct ghcomp_thread_stats stats;
    struct ghcomp_counts counts;   /* what it has done (stats.h) */
    struct ghcomp_trace_buffer *trace; /* owner only: its events (trace.c); NULL = none yet */
} GHCOMP_ALIGNED_PAIR;

/* What the region of a team is entered as in the account of the process's cores (cpu_account.h). */
struct ghcomp_account {
    uint32_t threads;              /* threads that it is counted for; 0: it is not */
    uint16_t epoch;                  /* when it was entered, see cpu_account.c */
    bool master;                   /* counted as a master, too */
};

/* The most members of a team that waits by marks (barrier_flags.c). */
enum { GHCOMP_BARRIER_FLAGS = 8 };

/* A barrier of a team, see barrier.c for the protocol. What members change on their way shares a line: who takes it for
   one of these has it for the next. */
struct ghcomp_barrier {
    _Atomic uint32_t arrived GHCOMP_ALIGNED_PAIR; /* threads that have arrived in this episode */
    _Atomic uint32_t singles;                     /* single regions claimed (single.c) */
    _Atomic uint32_t flags[GHCOMP_BARRIER_FLAGS];           /* teams of a few: each member's last barrier (barrier_flags.c) */
    /* The eventcount: episode in the top 8 bits, rings below, bit 0 somebody sleeps (barrier.c). */
    _Atomic uint32_t eventcount GHCOMP_ALIGNED_PAIR;
    _Atomic uint32_t ended;                       /* teams of a few: the last barrier with tasks that is over */
    _Atomic uint32_t tasks_from;                  /* ... and this region's first; atomic(relaxed), `tasked` orders it */
};

/* Ready tasks of a team that are in no deque: a heap by priority, then age (task_queue.c). */
struct ghcomp_task_queue {
    _Atomic uint32_t count;        /* written under the lock; atomic(relaxed): a hint to those that do not hold it */
    _Atomic uint32_t lock;         /* lock.h */
    uint32_t capacity;             /* lock */
    uint32_t sequence;             /* lock: ages */
    struct ghcomp_task_entry *entries; /* lock: [capacity] */
};

/* Bits of team.cancelled; from the last one on, which construct is meant (cancel.c). */
enum { GHCOMP_CANCELLED_PARALLEL = 1, GHCOMP_CANCELLED_SHARE = 2, GHCOMP_CANCELLED_CONSTRUCT = 8 };

struct ghcomp_team {
    /* region: read by all members, written between regions by the master only, and only what has changed: so the
       lines stay with those who read them */
    uint32_t size;                     /* threads in this region */
    uint32_t level;                    /* omp_get_level(): 0 for an initial team */
    uint32_t active_level;             /* omp_get_active_level() */
    bool by_tree;                        /* it has a tree (barrier_policy.c) */
    bool by_flags;                          /* it waits by marks (barrier_flags.c) */
    struct ghcomp_member **members;    /* [size]; [0] is &master; workers' own `self` else */
    struct ghcomp_member *parent;      /* the encountering member; NULL for an initial team */
    const struct ghcomp_icvs *icv;     /* what its implicit tasks start with */
    struct ghcomp_task *parent_task;   /* the encountering task */
    struct ghcomp_group *group;        /* contention group of the region */
    struct ghcomp_workshare *root;     /* the share its members start at (workshare.c) */
    uint8_t bind;                      /* enum ghcomp_bind in force for this team */
    uint32_t singles;                  /* single regions claimed before this region */
    bool counted;                      /* its workers are counted in group */
    uint32_t trace_log;                /* when trace_region is set: the log that its begin is in (trace.c) */
    uint64_t trace_region;             /* number of the region in the trace; 0: it is not traced */
    uint32_t generation;               /* process generation it was made in: older than a fork() means no workers */
    uint32_t league_num, league_size;  /* omp_get_team_num(), omp_get_num_teams() */
    uint32_t shown;                    /* affinity.c: the size it had when its affinity was displayed; 0 = never */

    _Atomic bool tasked;               /* the region has, or is about to have, deferred tasks: store_release before the
                                          door is opened, load_acquire; cleared at the join, when nobody looks */

    /* Its master only, where nothing else is said. */
    uint32_t capacity GHCOMP_ALIGNED_PAIR;                /* slots in `members` */
    uint32_t region;                   /* number of the region; a team struct never has the same again. Members know it
                                          from their mail */
    struct ghcomp_account account;     /* what the region is counted as */
    uint64_t begun;                    /* region: ticks at its beginning, where workers are shared (yield_to_haskell.c) */
    bool listed;                       /* on the list of teams that lend their workers: its master's, or of who has
                                          TAKEN the team; written under lend.lock (lend.c) */
    struct ghcomp_team *lend_next, *lend_prev; /* lock lend.lock */

    struct ghcomp_combining_tree *tree;          /* region: large teams: see combining_tree.c; stays when the team is small again */
    struct ghcomp_icvs icv_storage;    /* region: used when the region's ICVs are not the encountering task's */

    /* Sleeping workers that the master handed to the woken ones to wake: see pool.c. */
    _Atomic uint32_t wake_next GHCOMP_ALIGNED_PAIR;
    _Atomic uint32_t wake_count;       /* atomic(relaxed): the store of wake_next orders it */
    struct ghcomp_thread **wake;       /* [wake_count]: written before wake_next says so */

    _Atomic uint32_t cancelled GHCOMP_ALIGNED_PAIR; /* GHCOMP_CANCELLED_*: see cancel.c */

    /* Work shares (workshare.c). */
    struct ghcomp_workshare *oldest;   /* first share not recycled yet; written by its last entrant (workshare.c) */
    _Atomic uint64_t free_shares;      /* stack of shares: cas_release pushes, cas_acqrel pops (workshare.c) */
    _Atomic(struct ghcomp_workshare *) made; /* all shares of the team: pushed by cas_release; see share.made */
    _Atomic uint32_t share_count;      /* shares made and not freed; atomic(relaxed): bounds what is kept */

    _Atomic uint32_t lent GHCOMP_ALIGNED; /* enum ghcomp_lent: see lend.c */

    struct ghcomp_team *unused;        /* lock pool.lock: the pool's list of unused structs */
    /* Tasks (task_team.c). */
    _Atomic uint32_t waking GHCOMP_ALIGNED_PAIR; /* a sleeper is being woken for a task; xchg_acqrel takes it */
    _Atomic uint32_t outside;          /* tasks completed by threads outside the team: add_acqrel, load_acquire */
    struct ghcomp_task_queue queue;    /* tasks with a priority, and those that found no place in a deque */

    struct ghcomp_member master;       /* member 0 */

    /* From here on a struct keeps its state from one life to the next, because late workers may look at it. */
    _Atomic uint64_t door GHCOMP_ALIGNED_PAIR; /* region << 32 | open << 31 | helpers inside: see task_team.c */
    struct ghcomp_barrier barrier;
    /* The join: workers that have not finished << 1 | the master sleeps. Workers subtract (sub_acqrel), the master
       reads (load_acquire): everything in the region happens before what follows it. */
    _Atomic uint32_t unfinished GHCOMP_ALIGNED_PAIR;
} GHCOMP_ALIGNED_PAIR;

/* The worker that is a team's member number 1 or more. It writes its member when a region begins: a look at
   member.thread would have to fetch that. */
static inline struct ghcomp_thread *ghcomp_worker_of(struct ghcomp_member *member)
{
    return (struct ghcomp_thread *)((char *)member - offsetof(struct ghcomp_thread, self));
}

/* The innermost member of the calling thread; NULL until the thread's first call into the runtime. Initial-exec
   thread-local storage: 8 bytes of the static block. */
extern __thread struct ghcomp_member *ghcomp_self_member;

/* Counts the forks between the process that loaded us and this one: teams of an older generation have no workers
   (pool.c). */
extern uint32_t ghcomp_process_generation;

/* Makes the calling thread known (thread.c). */
struct ghcomp_member *ghcomp_thread_register(void) __attribute__((cold));

/* The calling thread's innermost member, never NULL. Any thread, any time. */
static inline struct ghcomp_member *ghcomp_self(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return ghcomp_likely(self != NULL) ? self : ghcomp_thread_register();
}

/* The task's 32-bit name, unique among live tasks that were ever named (nest locks). */
uint32_t ghcomp_task_id(struct ghcomp_task *task);
