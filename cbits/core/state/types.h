/* Glossary, and the structs that the whole runtime shares.
 *
 * Words that are not listed have OpenMP's meaning (region, implicit task, explicit task, taskgroup, contention group,
 * place, ICV) or GHC's (Capability, Task, in-call). "Nearest" names the standard term or a known equivalent.
 *
 *   thread          an OS thread that the runtime knows: an *initial* thread (the program's own: main, a pthread, a
 *                   Haskell caller) or a *worker* (made by worker.c). One `struct ghcomp_thread` each.
 *   team            the threads that execute one parallel region. All state of a region is in its `struct
 *                   ghcomp_team`; none is global or thread-local.
 *   member          one thread's place in one team. The master of nested regions is a member of several teams at once;
 *                   ghcomp_self points to the innermost one. The *initial member* of an initial thread is the only
 *                   member of that thread's implicit (level 0) team, so every thread has a team.
 *   master          member 0, the thread that encountered the region. OpenMP: primary thread.
 *   fork, join      the master starts the workers of a region, and waits until all have finished. The system call is
 *                   always written fork().
 *   pool            the process's free workers (pool.c). Nearest: a thread pool.
 *   kind            the threads that may share workers, because they agree in what threads inherit from their makers:
 *                   credentials, sandbox, namespaces, scheduling (kind.c).
 *   hot team        a team that a member keeps, with its workers, from one of its regions to the next. libomp: hot
 *                   team.
 *   mailbox         a worker's single-slot inbox, the only place where an idle worker waits for work. Its content is
 *                   the worker's *mail* (struct ghcomp_mail). Nearest: the `go` flag of each thread in libomp's fork
 *                   barrier.
 *   by flags        how a team of 2 to ghcomp_flags_to threads waits: each member sets an *arrival flag* of its own
 *                   and reads those of all others (barrier_flags.c).
 *   large team      a team that forks by a tree (fork_tree.c), and whose barriers and join count arrivals in a
 *                   combining tree; barrier_policy.c chooses. Nearest: libomp's tree barrier.
 *   work share      the shared state of one worksharing construct (workshare.c). libgomp: work share.
 *   park            to block on a futex. Java: LockSupport.park.
 *   eventcount      the word on which a team's members sleep while they wait for others of the team (eventcount.c); a
 *                   *notification* makes them check their conditions again. oneTBB: concurrent_monitor.
 *   sleep word      a futex word on which members sleep until a number that another member stores has reached theirs
 *                   (sleep_word.h). Nearest: the bucket of a wait queue.
 *   deque           a member's ready tasks, from which others steal: Chase and Lev's work-stealing deque (deque.h).
 *   unripe          of a task: thieves do not take it, because its maker soon runs it; it gets *ripe* with time. One
 *                   member, the *watch*, stays awake for unripe tasks (task_take.c, task_team.c).
 *   pending count   the tasks that a taskwait or the end of a taskgroup waits for: a counter split into the waiter's
 *                   own part, `due`, and that of all other threads, `reported` (task.h).
 *   door            lets workers that have finished their part of a region enter it again to run its tasks, until the
 *                   join closes it (task_team.c). Nearest: Linux's percpu_ref, a reference count that can be killed.
 *   free agent      a worker that runs a team's tasks with threadset(omp_pool) without being its member (agents.c). Its
 *                   *seat* is the place in the team from which it does so (seats.h).
 *   lend            an idle hot team of one master gives its workers to another master (lend.c). Nearest: leasing of
 *                   workers between masters; oneTBB's market does so between arenas.
 *   account         the process's counts of regions and their threads, to be compared with its CPUs (cpu_account.c). An
 *                   *epoch* is the time within which it counts a region as recent.
 *   admission       the queue in which outermost regions wait until they fit beside those that run (admission.c).
 *                   *Barging*: a region that fits enters before those that wait. Nearest: admission control.
 *   oversubscribed  there are more runnable threads than CPUs. *Contended*: the same, but only because of busy
 *                   Capabilities (wait_plan.h).
 *   neighbour       another process that computes on the CPUs of the team. A waiting thread is *away* while another
 *                   thread has its CPU; a *crowd* is several threads for each CPU (neighbours.c).
 *   late            of a yield: it returned long after the wait was over (wait.c).
 *   observer        the eventlog, ThreadSanitizer, or a tool. Its *hooks* lie on the runtime's paths; a hook is
 *                   *active* while its observer is there (core/observe/observers.h).
 *   fast, observed  the two states in which an entry finds its construct, and the suffixes of the functions for them:
 *                   no hook is active and nothing can be cancelled; or the observed path has to check for more
 *                   (core/observe/fast_self.h).
 *   filtered        the third state: the tool's filter rejects the construct, so it has no events
 *                   (core/tool/tool_filter.h). *Credit*: how many further constructs are filtered without a call.
 *   report          to call the tool's callback for an event; a task or region is *reported* when its begin was.
 *   generation      the number of fork() calls between the process that loaded the runtime and this one.
 *
 * Words for ownership in comments. "owner only": accessed only by the thread that the struct belongs to. "region":
 * written by the master before it posts the mail, immutable until the join. "lock X": guarded by lock X. atomic(order):
 * accessed through atomic.h, with that order.
 */
#pragma once

#include <pthread.h>
#include <sched.h>

#include "base/atomic.h"
#include "base/blocks.h"
#include "core/state/icv.h"
#include "core/state/self.h"
#include "core/state/stats.h"
#include "host/os_attributes.h"

struct ghcomp_cpus;
struct ghcomp_depend_heap;
struct ghcomp_depend_node;
struct ghcomp_depend_table;
struct ghcomp_deque;
struct ghcomp_graph;
struct ghcomp_initial_region;
struct ghcomp_kind;
struct ghcomp_kmp_threads;
struct ghcomp_member;
struct ghcomp_posts;
struct ghcomp_seats;
struct ghcomp_task_heap;
struct ghcomp_taskgroup;
struct ghcomp_team;
struct ghcomp_thread;
struct ghcomp_tool_task;
struct ghcomp_tool_team;
struct ghcomp_tool_thread;
struct ghcomp_combining_tree;
struct ghcomp_workshare;

/* A task region. Implicit tasks live in their member; explicit ones come from task_heap.c, with the data of their
   construct behind them. The *executor* is the member that runs the task: a task that has started never moves, so
   "executor only" means one thread. A field without a remark is written before the task starts, first by its maker,
   then by the thread that starts it (the deque or queue orders the two); after that it is immutable.

   Rarely used fields come first, so that most tasks touch two cache lines: the one that begins with `fn`, and the next,
   where the data begins. */
struct ghcomp_task {
    struct ghcomp_icvs own;        /* executor only: valid when icv == &own */
    struct ghcomp_depend_table *table; /* executor only: the dependences among its children (taskdep.c); NULL = none */
    struct ghcomp_depend_node *node; /* its own dependences (taskdep.c); NULL = none */
    _Atomic uint32_t reported;     /* pending count (task.h): children completed by other threads << 1 | the waiter may
                                      sleep, so reports notify the eventcount */
    _Atomic uint32_t refcount;     /* references by children that `living` does not count: task_life.h */
    _Atomic uint32_t event;        /* detach: bits of the completion protocol: task_run.c */
    uint32_t trace_log;            /* executor only: the trace's log that has its begin; valid if GHCOMP_TASK_TRACED */
    struct ghcomp_tool_task *tool; /* its record for a tool (tool.h); NULL: there is no tool */

    void (*fn)(void *) GHCOMP_ALIGNED;
    void *data;
    const struct ghcomp_icvs *icv; /* executor only: the region's snapshot, or &own */
    _Atomic(struct ghcomp_task *) parent; /* the generating task, or an ancestor if that had ended before this one
                                      started; NULL for an initial task. atomic(relaxed), as is depth: thieves may read
                                      both of a freed task (deque.h) */
    struct ghcomp_member *executor; /* implicit tasks: their member */
    struct ghcomp_taskgroup *group; /* executor only: the innermost taskgroup region that it is in */
    uint32_t due;                  /* executor only: pending count: children, less those that the executor completed */
    uint32_t living;               /* executor only: references by children, taken less given back by the executor, << 1
                                      | it has had children */
    union {
        struct ghcomp_block link;  /* links it into a list of free blocks (blocks.h) */
        struct ghcomp_task *below; /* executor only: the next older task of an overflow list (task_overflow.h) */
        struct ghcomp_task *next_aside; /* lock pool.lock: the next one that waits for a worker (aside.c) */
    };

    struct ghcomp_task_heap *home; /* where its memory comes from; NULL for implicit tasks */
    uint32_t id;                   /* executor only: names the struct's tasks in nest locks; 0 until ghcomp_task_id
                                      gives one */
    _Atomic uint32_t depth;        /* levels below the implicit task, which has 0; atomic(relaxed) */
    uint32_t mark;                 /* from the start on: the bottom of the executor's deque at the start (task_take.c).
                                      Before: with GHCOMP_TASK_THREADSET its enum (task.h); in libgomp's order
                                      the bottom of its maker's deque at the commit (taskdep_complete.c) */
    uint32_t overflow_mark;        /* from the start on: the executor's overflow_next at the start; of a task in an
                                      overflow list: its number there (task_overflow.h) */
    int32_t priority;              /* 0 .. max-task-priority-var */
    uint16_t traits;               /* GHCOMP_TASK_*: task.h */
    bool final;                    /* its children are included tasks */
    _Atomic bool ended;            /* its function has returned; store_release, load_acquire; may be read too early:
                                      task_life.h */
};
/* An explicit task's data follows its last field. */
#define GHCOMP_TASK_BYTES ((offsetof(struct ghcomp_task, ended) + 16) & ~(size_t)15)

/* Where a member offers its values in a reduction by the tree (reduction_tree.c). */
struct ghcomp_reduction_slot {
    _Atomic uint32_t word;             /* offered or not, and whether a thread sleeps: xchg_acqrel, load_acquire */
    void *values;                      /* written before the word is set */
};

/* One thread's place in one team. Written by its own thread only, unless a field says otherwise. */
struct ghcomp_member {
    struct ghcomp_team *team;
    struct ghcomp_task *task;          /* the task that it executes now */
    struct ghcomp_thread *thread;
    uint32_t tid;                      /* omp_get_thread_num() */
    uint32_t place;                    /* 1 + index of its place in the place list; 0 = not bound */
    struct ghcomp_workshare *share;    /* the last work share that it entered; at the region's start the team's root */
    uint32_t singles;                  /* single regions that it has met (single.c) */
    struct ghcomp_workshare *spare;    /* work shares that it may use next (workshare.c) */
    /* The chunk that it executes of a worksharing loop, or its section: positions in the loop's normalised order
       (loop.h). Empty outside of these constructs, and in a loop that compiled code divides without the runtime. */
    uint64_t chunk_begin, chunk_end;
    uint64_t chunk_count;              /* static schedules: chunks taken so far; loops by runs: those of its last run */
    uint64_t run_past;                 /* loops by runs: where the run ends that it has taken (loop.c); else 0 ... */
    uint64_t run_next;                 /* ... the first iteration of it that it has not begun */
    uint64_t run_at;                   /* ... when it had the run, in ticks */
    uint64_t run_took;                 /* ... and how many the addition took */
    void *progress;                    /* doacross loops: the slot of its chunk's progress (doacross.c) */
    uint32_t partition_first, partition_len; /* place-partition-var: 0-based places [first, first + len) */
    struct ghcomp_deque *deque;        /* its ready tasks (deque.h); NULL until it defers one. store_release by its
                                          thread, load_acquire by thieves */
    struct ghcomp_task *overflow;      /* ready tasks that did not fit the deque, the youngest first ... */
    uint32_t overflow_next;            /* ... and the number of the next one (task_overflow.h) */
    uint32_t steal_cursor;             /* the member that it stole from last: its next victim (task_take.c) */
    uint64_t stole;                    /* ticks from which its last stolen task counts, until rest() has measured that
                                          task; then 0 (task_take.c) */
    uint64_t look_at;                  /* not 0: it does not steal before this time, in ticks ... */
    uint32_t look_pause;               /* ... after a pause of so many ticks (task_take.c) */
    bool unripe;                       /* its last search found tasks that it left to their makers (task_take.c) */
    bool searching;                    /* it has team.waking: it was woken for a task, or watches unripe ones
                                          (task_team.c) */
    bool napped;                       /* its last step as the watch was a nap (task_team.c) */
    uint32_t unthrottled;              /* number of tasks that it may still make without waiting for others
                                          (ghcomp_task_throttle) */
    uint32_t empty_yields;             /* taskyields that found no task */
    uint32_t race_barriers;            /* barriers that it has left in this region; counted for races.h alone */
    /* Numbers of deferred tasks of this region that it made, and that it completed (task_team.c). */
    _Atomic uint32_t created;          /* atomic(relaxed) */
    _Atomic uint32_t completed;        /* store_release by its thread, load_acquire by any thread that sums */
    uint32_t later;                    /* in a team of one: entries of its deque below this position run only at a task
                                          scheduling point (ghcomp_task_submit_later) */
    struct ghcomp_task implicit;       /* its implicit task */
    struct ghcomp_team *hot;           /* its hot team for regions of more than one thread */
    struct ghcomp_team *hot_serial;    /* ... and for regions of one thread */
    struct ghcomp_posts *posts;        /* the doacross loop of clang's code that it is in (posts.c) */
    struct ghcomp_interrupt *interrupt; /* the scope of calls that it has made to C; NULL: none. Written by its thread,
                                          read also by members of the regions that it encounters (interrupt.c) */
    struct ghcomp_tool_credit *credits; /* its thread's table of credit while its current task is known to be
                                           unreported; else
                                           ghcomp_tool_no_credits (tool_filter.h) */
    struct ghcomp_reduction_slot reduction;
    /* The task for which the member's last search of the team's queue found no descendant, and queue.sequence at that
       search. */
    const struct ghcomp_task *searched_for;
    uint32_t searched_at;
    uint64_t chunk_counted;            /* ordered loops of clang's code: 1 + its chunk's ended iterations; else 0 */
    uint32_t league_num, league_size;  /* while it runs the teams of a league of gcc's code inside its parallel region:
                                          the numbers of team.league_num and league_size; else 0, 0 (league.c) */
    _Atomic bool left;                 /* it has left the team's cancelled region (cancel.c); store_release,
                                          load_acquire; cleared by the master after the join */
};

/* The thread number of free agents, OpenMP's omp_unassigned_thread. */
#define GHCOMP_AGENT_TID ((uint32_t)-2)
/* Whether the member is a free agent's seat (seats.h). */
static inline bool ghcomp_agent(const struct ghcomp_member *member)
{
    return member->tid == GHCOMP_AGENT_TID;
}

/* A worker's mail from the master: one cache line, published at once. The worker waits for `word` to differ from the
   value that it saw last. The worker sets bit 0 of the word (cas_seqcst) before it sleeps on the word; the other bits
   count posts. The sender fills the other fields, then exchanges the word (xchg_acqrel, pairs with the worker's
   load_acquire); if the old value has bit 0, the sender owes a wake-up. The fields belong to the sender from the moment
   the worker is taken (free in the pool, or joined in a hot team) until the exchange. In a team that waits by flags the
   worker answers on the same line at the region's end (barrier_flags.c). */
struct ghcomp_mail {
    _Atomic uint32_t word;
    uint32_t tid;                  /* member number in the team */
    struct ghcomp_team *team;      /* NULL: the worker runs an errand (worker.c), or ends if `fn` is NULL, too */
    void (*fn)(void *);
    void *data;
    struct ghcomp_float_control float_control; /* the master's: rounding, masks, denormals (machine.h) */
    uint16_t moved;                /* not 0: ghcomp_affinity_apply has work for the worker */
    uint32_t place;                /* as in struct ghcomp_member */
    uint32_t partition_first, partition_len;
    int32_t cpu;                   /* the master's, where workers are spread over CPUs (worker_placement.c); else -1 */
    uint32_t region;               /* number of the region */
    union {
        _Atomic uint32_t finished_region; /* the worker's answer: equal to `region` when it has finished
                                      (barrier_flags.c) */
        uint32_t until;            /* large teams: the worker is to start members tid + 1 .. until - 1 (fork_tree.c) */
    };
} GHCOMP_ALIGNED;
_Static_assert(sizeof(struct ghcomp_mail) == GHCOMP_CACHE_LINE, "a hand-over is one cache line");

/* A contention group: counts the threads that work for one initial thread. thread-limit-var limits this count, not the
   process's. */
struct ghcomp_group {
    _Atomic uint32_t threads;      /* without free agents; atomic(relaxed): a count, it orders nothing */
    _Atomic uint32_t agents;       /* free agents (agents.c); atomic(relaxed) */
};

/* The parts of a thread's struct, each named after its module. Owner only, unless a field says otherwise. */

/* initial_region.c */
struct ghcomp_thread_initial {
    struct ghcomp_initial_region *innermost; /* stack of those that it is in: target regions, teams of leagues */
    struct ghcomp_initial_region *spare;     /* structs for its next ones */
};

/* wait.c, neighbours.c */
struct ghcomp_thread_waits {
    uint32_t polite;               /* number of its next waits that yield between polls from the start */
    uint32_t slow_yields;          /* number of its next waits that hand over, or are at barriers, and do not yield: one
                                      was slow */
    uint32_t late_yields;          /* number of its next waits that park at once, because a yield returned late: of kind
                                      TEAM and BARRIER, and MAIL beside several masters (may_be_late in wait.c) */
    uint32_t shared_looks;         /* number of its last waits in a row that found another thread on its CPU */
    uint32_t looked;               /* number of waits in which it has read the clock, up to a few (wait.c) */
    bool large_team;               /* its last team is larger than the machine */
    uint8_t everywhere;            /* number of its last waits of kind TURN, SINK or POST that found Haskell on all
                                      CPUs */
    uint64_t shares_until;         /* clock: until then it is assumed to share its CPU with another thread of the
                                      runtime */
    uint64_t neighbours_until;     /* clock: until then another process is assumed to compete for its CPU ... */
    uint64_t neighbours_for;       /* ... counted from the last observation, in ns; 0: none */
    uint64_t moved;                /* clock: when the worker left a CPU that it shared, 0 = never ... */
    uint64_t stays;                /* ... and how long it then stays, in ns */
    uint64_t asks_again;           /* clock: it found no idle CPU, and does not check again before then ... */
    uint64_t asks_in;              /* ... which was so many ns later */
    uint32_t counted_in;           /* the span in which the master was counted last (masters.c) */
    uint64_t handed_over;          /* clock: the last time that a wait of kind TURN, SINK or POST first read the
                                      clock */
};

/* wait.c, neighbours.c, by the clock. */
struct ghcomp_thread_clocks {
    uint64_t began;                /* when a wait first read the clock, the last time */
    uint64_t met;                  /* when another process was last seen to have its CPU */
};

/* The last plan of its waits (wait.c). */
struct ghcomp_thread_plan {
    uint64_t made_for;             /* kind of wait, facts and version of the settings */
    uint64_t from, until;          /* for waits that have lasted so long, and not yet so long, in ns */
    uint8_t action, yields;        /* what to do (struct ghcomp_wait_step) */
};

/* affinity.c */
struct ghcomp_thread_affinity {
    uint32_t bound_place;          /* the place that its affinity mask was set to last; numbered as in member.place */
    uint32_t loose;                /* the size of the team in which the program set its mask by kmp_set_affinity, or
                                      LOOSE_FROM_START; 0: it is where the runtime has put it */
    struct ghcomp_cpus *own;       /* with KMP_AFFINITY=reset: an initial thread's mask before it was bound */
    uint32_t shown_level, shown_size; /* of the last team in clang's code that OMP_DISPLAY_AFFINITY has checked */
};

/* Free memory of the thread; NULL = none yet. */
struct ghcomp_thread_memory {
    struct ghcomp_task_heap *tasks;           /* task_heap.c: small blocks, ... */
    struct ghcomp_task_heap *large_tasks;     /* ... large ones, ... */
    struct ghcomp_task_heap *other_tasks;     /* ... and an array, by size, of those for more data */
    struct ghcomp_depend_heap *dependences;   /* taskdep_heap.c */
    struct ghcomp_taskgroup *taskgroups;      /* taskgroup.c: free ones */
};

/* task.h: the stack that waits of nested tasks have used, and their depth; 0: none has been deep yet. */
struct ghcomp_thread_nesting {
    uintptr_t lowest, extent;      /* the lowest address, and the number of bytes from there up */
    uint32_t depth;
};

/* task_team.c: the worker's last region, which it may enter again to run tasks. */
struct ghcomp_thread_served {
    struct ghcomp_team *team;      /* safe to read: structs of teams are never freed */
    uint32_t region;               /* the region's number */
};

/* worker_placement.c */
struct ghcomp_thread_placement {
    struct ghcomp_cpus *mask;      /* the affinity mask that a master gave the worker (affinity.c); NULL: the process's
                                      at load. Written by the master that takes the worker */
    int32_t master_cpu;            /* the master's CPU, and the worker's number in the team, for ... */
    uint32_t tid;                  /* ... which `pinned` was chosen */
    uint32_t pinned;               /* the one CPU that the worker is bound to, plus 1; 0: none */
};

/* admission.c */
struct ghcomp_thread_admission {
    uint64_t skip_until;           /* ms of the clock: until then it does not wait in the queue; 0: it does */
    uint32_t skip_ms;              /* ... and how long that period was */
    uint64_t left, away;           /* ticks when its last outermost region ended, and from then to its next one */
    uint32_t timeouts;             /* number of its waits in a row that timed out; capped, see admission.c */
};

/* abi/kmp: clauses of the thread's next region, which clang's code passes in calls of their own. 0: no such clause. */
struct ghcomp_thread_clauses {
    uint32_t num_threads;
    uint32_t bind;                 /* enum ghcomp_bind */
    uint32_t num_teams, thread_limit; /* of its next league */
    uint8_t reduction;             /* how the reduction that it is in combines (kmp_reduce.c) */
    struct ghcomp_kmp_threads *threads; /* num_threads with a list or `strict` (kmp_num_threads.c); NULL: without */
};

/* kind.c, pool.c: its kind, and the master that it serves. */
struct ghcomp_thread_kinship {
    _Atomic(struct ghcomp_kind *) kind; /* the kind of the workers that it takes; NULL: it has taken none. Owner only;
                                      atomic(relaxed) because workers get it from their makers */
    struct ghcomp_kind *made_for;  /* workers: the kind that lists it when it is free; immutable */
    uint64_t name;                 /* its number among the threads that have taken workers, which never repeats, or 0 */
    uint64_t served;               /* workers: the name of the master that took it last, written by that master; 0 once
                                      the worker has visited another team (pool.c); lock pool.lock while it is free */
    _Atomic int thread;            /* workers: its number for the kernel, 0 before it runs; store_release after `born`,
                                      load_acquire */
    struct ghcomp_os_scheduling born; /* workers: its scheduling when it began */
    bool changed;                  /* workers: it is of another kind now; written by itself, read after the join */
};

/* team_struct.c: the last team that could not be made, of GHCOMP_TEAM_MAY_FAIL. */
struct ghcomp_thread_shortage {
    uint32_t possible;             /* the largest possible number of threads, the thread itself included */
    int error;                     /* the reason: an errno value */
};

/* stats.c; lock stats.lock */
struct ghcomp_thread_stats {
    struct ghcomp_thread *next, *prev;
};

struct ghcomp_thread {
    struct ghcomp_mail mail;       /* workers only */
    struct ghcomp_member self GHCOMP_ALIGNED_PAIR; /* initial thread: its initial member; worker: its place in the team
                                      that it serves */
    struct ghcomp_member idle;     /* workers: its member while it serves no team: in no region, as a new initial
                                      thread's member; immutable, but for its hot teams while it runs an errand, which
                                      only its thread touches */
    struct ghcomp_group group;     /* initial threads: their contention group */
    struct ghcomp_group *in_group; /* owner only: the contention group that it is in; a worker's is its team's */
    struct ghcomp_thread *next;    /* lock pool.lock: the pool's list of free workers; initial threads: thread.c */
    _Atomic bool free;             /* workers: it is in that list; atomic(relaxed): a hint for its wait */
    struct ghcomp_team *initial_team; /* initial threads: their level 0 team */
    struct ghcomp_thread_initial initial;
    pthread_t handle;              /* workers: immutable after creation */
    uint32_t number;               /* process-wide number of a worker, from 1; 0 for an initial thread */
    uint32_t dense_number;         /* owner only: 1 + its number in thread_number.c; 0: none yet */
    struct ghcomp_thread_clauses clauses;
    struct ghcomp_thread_waits wait;
    uint32_t lock_name;            /* owner only: names it in nest locks; 0 until it takes one (lock.c) */
    struct ghcomp_thread_affinity affinity;
    struct ghcomp_thread_memory memory;
    struct ghcomp_thread_nesting nesting;
    struct ghcomp_thread_served served;
    struct ghcomp_thread_placement placement;
    struct ghcomp_thread_admission admission;
    struct ghcomp_thread_kinship kin;
    struct ghcomp_thread_shortage shortage;
    struct ghcomp_thread_stats stats;
    struct ghcomp_counts counts;   /* its statistics (stats.h) */
    struct ghcomp_trace_buffer *trace; /* owner only: its events (trace.c); NULL = none yet */
    struct ghcomp_tool_thread *tool; /* owner only: its record for a tool (tool.h); NULL: there is no tool */
    struct ghcomp_thread_plan plan; /* owner only */
    struct ghcomp_graph *recording; /* owner only: the graph that its innermost recording task records (task_graph.h);
                                       NULL: none */
    struct ghcomp_thread_clocks clocks; /* owner only */
} GHCOMP_ALIGNED_PAIR;

/* A region as the account counts it (cpu_account.h). */
struct ghcomp_account {
    uint32_t threads;              /* its number of threads in the account; 0: it is not in the account */
    uint16_t epoch;                /* the epoch that it was entered in (cpu_account.c) */
    bool master;                   /* it is counted as a master, too */
    bool in_haskell;               /* its master is in Haskell around it */
};

/* The most members of a team that waits by flags (barrier_flags.c). */
enum { GHCOMP_BARRIER_FLAGS = 8 };

/* A team's barrier; protocol in barrier.c. The fields that arriving members change share a line, so that one transfer
   brings all of them. */
struct ghcomp_barrier {
    _Atomic uint32_t arrived GHCOMP_ALIGNED_PAIR; /* members that have arrived in this episode */
    _Atomic uint32_t singles;                     /* single regions claimed (single.c) */
    _Atomic uint32_t flags[GHCOMP_BARRIER_FLAGS]; /* by flags: each member's arrival flag, the number of the
                                                     last barrier that it arrived at (barrier_flags.c) */
    /* The eventcount: barrier episode in the top 8 bits, number of events below, bit 0: a member sleeps
       (eventcount.h). */
    _Atomic uint32_t eventcount GHCOMP_ALIGNED_PAIR;
    _Atomic uint32_t ended;                       /* by flags, while the door is open: the number of the last barrier
                                                     that need not wait for tasks any more (barrier_flags.c) */
};

/* A queue's entries, by priority and then by age: a ring for priority 0, a heap for the other priorities
   (task_entries.h). */
struct ghcomp_task_entries {
    struct ghcomp_task_entry *ring;    /* [ring_capacity], a power of two or 0 */
    struct ghcomp_task_entry *heap;    /* [heap_capacity] */
    uint32_t head;                     /* the ring's first one is at head % ring_capacity */
    uint32_t ringed, heaped;           /* how many each has */
    uint32_t ring_capacity, heap_capacity;
};

/* Ready tasks of a team that are in no deque (task_queue.c). */
struct ghcomp_task_queue {
    _Atomic uint32_t count;        /* written under the lock, whose holder may add GHCOMP_QUEUE_RELEASING;
                                      atomic(relaxed): a hint to threads that do not hold it */
    _Atomic uint32_t lock;         /* lock.h */
    _Atomic uint32_t pool;         /* the number of entries that free agents may run; accessed as `count` is */
    _Atomic uint32_t deep;         /* the number of entries whose parent is an explicit task; accessed as `count` is */
    _Atomic uint32_t sequence;     /* the next entry's age: as `count` */
    struct ghcomp_task_entries entries; /* lock */
};

/* Addresses that stand for a team's events in ThreadSanitizer (races.h); never written. */
struct ghcomp_race_points {
    uint64_t fork, join, barrier[2];
};

/* team.cancelled: two bits, and the position from which on it has the number of the cancelled construct (cancel.c). */
enum { GHCOMP_CANCELLED_PARALLEL = 1, GHCOMP_CANCELLED_SHARE = 2, GHCOMP_CANCELLED_CONSTRUCT = 8 };

/* Whether a team waits by flags (barrier_flags.c), and which side executes the fence between setting a flag and
   checking for sleepers. */
enum ghcomp_by_flags {
    GHCOMP_FLAGS_NONE,                 /* it waits by the counter or the tree */
    GHCOMP_FLAGS_UNFENCED,             /* a member that is about to sleep has all threads execute one */
    GHCOMP_FLAGS_FENCED                /* each member that sets a flag executes one */
};

/* How many ready tasks of one member may wait: any; tiny ones; and tiny ones that are deep in a tree (task_defer.h). */
struct ghcomp_task_room {
    uint32_t any, tiny, deep;
};

struct ghcomp_team {
    /* region: read by all members. The master writes them between regions, and only if they change, so that the lines
       stay in the readers' caches. */
    uint32_t size;                     /* threads in this region */
    struct ghcomp_task_room task_room; /* ghcomp_task_room_of(size) */
    uint32_t level;                    /* omp_get_level(): 0 for an initial team */
    uint32_t active_level;             /* omp_get_active_level() */
    bool by_tree;                      /* a large team (barrier_policy.c) */
    uint8_t by_flags;                  /* enum ghcomp_by_flags */
    uint8_t flags_next;                /* ... in the next region; its master only */
    struct ghcomp_member **members;    /* [size]; [0] is &master, the others are their workers' `self` */
    struct ghcomp_member *parent;      /* the encountering member; NULL for an initial team */
    const struct ghcomp_icvs *icv;     /* what its implicit tasks start with */
    struct ghcomp_task *parent_task;   /* the encountering task */
    struct ghcomp_group *group;        /* contention group of the region */
    struct ghcomp_workshare *root;     /* the work share that its members start at (workshare.c) */
    uint8_t bind;                      /* enum ghcomp_bind in force for this team */
    uint32_t singles;                  /* single regions claimed before this region */
    bool counted;                      /* its workers are counted in `group` */
    uint32_t trace_log;                /* when trace_region is not 0: the trace's log that has its begin (trace.c) */
    uint64_t trace_region;             /* number of the region in the trace; 0: it is not traced */
    uint32_t generation;               /* of the process, when the team was made: a team older than a fork() has no
                                          workers */
    uint32_t league_num, league_size;  /* omp_get_team_num(), omp_get_num_teams() */
    bool inside_region;                /* an initial team inside a parallel region (initial_region.c) */
    bool of_league;                    /* its members run the teams of a league; set on observed paths */
    bool filtered;                     /* by a tool's filter (tool_filter_region.c); set on observed paths */
    uint32_t shown;                    /* affinity.c: its size when its affinity was displayed; 0 = never */

    _Atomic bool tasked;               /* the region has deferred tasks, or will at once: xchg_seqcst before the door
                                          is opened, load_seqcst (eventcount.c); cleared at the join, when no other
                                          thread reads it */

    /* Its master only, unless a field says otherwise. */
    uint32_t capacity GHCOMP_ALIGNED_PAIR; /* slots in `members` */
    uint32_t region;                   /* number of the region, which never repeats in one struct. Workers know it from
                                          their mail */
    struct ghcomp_account account;     /* the region's part in the account */
    uint32_t slept_in;                 /* the last region with a hasty sleep of the master in its join
                                          (barrier_flags.c) */
    uint32_t hasty_sleeps;             /* number of hasty sleeps in regions close to each other */
    uint64_t begun;                    /* region: ticks at its beginning, if workers are shared (yield_to_haskell.c) */
    bool listed;                       /* on the list of teams that lend their workers: for its master, or the thread
                                          that has TAKEN the team; written under lend.lock (lend.c) */
    struct ghcomp_team *lend_next, *lend_prev; /* lock lend.lock */
    _Atomic(struct ghcomp_kind *) lends; /* its master's kind when it was offered; atomic(relaxed): a hint, compared
                                      and not followed (lend.c) */

    struct ghcomp_combining_tree *tree; /* region: for a large team (combining_tree.c); kept when the team shrinks */
    struct ghcomp_icvs icv_storage;    /* region: used when the region's ICVs are not the encountering task's */

    /* Sleeping workers; those already woken help the master to wake them (worker.c). */
    _Atomic uint32_t wake_next GHCOMP_ALIGNED_PAIR;
    _Atomic uint32_t wake_count;       /* atomic(relaxed): the store of wake_next orders it */
    struct ghcomp_thread **wake;       /* [wake_count]: written before wake_next is set */

    _Atomic uint32_t cancelled GHCOMP_ALIGNED_PAIR; /* GHCOMP_CANCELLED_*: see cancel.c */

    /* Work shares (workshare.c). */
    struct ghcomp_workshare *oldest;   /* the first that is not recycled yet; written by the last member to enter */
    _Atomic uint64_t free_shares;      /* stack of free ones: cas_release pushes, cas_acqrel pops */
    _Atomic(struct ghcomp_workshare *) made; /* list of all: cas_release pushes; see share.made */
    _Atomic uint32_t share_count;      /* the number of shares; atomic(relaxed): bounds how many are kept */

    _Atomic uint32_t lent GHCOMP_ALIGNED; /* enum ghcomp_lent: see lend.c */

    struct ghcomp_race_points race;
    struct ghcomp_team *unused;        /* lock pool.lock: the pool's list of unused structs */
    struct ghcomp_tool_team *tool;     /* region: its record for a tool (tool.h); NULL: there is no tool */
    /* Tasks (task_team.c). */
    _Atomic uint32_t waking GHCOMP_ALIGNED_PAIR; /* 1: a sleeper is being woken for a task; xchg_acqrel takes it */
    _Atomic uint32_t outside;          /* tasks completed by threads outside the team: add_acqrel, load_acquire */
    struct ghcomp_task_queue queue;    /* ready tasks that are in no deque */
    struct ghcomp_seats *_Atomic seats; /* of free agents (seats.h); NULL: none yet; cas_release, load_acquire */

    struct ghcomp_member master;       /* member 0 */

    /* The fields from here on keep their values when the pool gives the struct to another team, because workers of the
       old one may still read them. */
    _Atomic uint64_t door GHCOMP_ALIGNED_PAIR; /* region << 32 | open << 31 | helpers inside: see task_team.c */
    struct ghcomp_barrier barrier;
    /* The join: workers that have not finished << 1 | the master sleeps. Workers subtract (sub_acqrel), the master
       reads (load_acquire), so all that they did in the region happens before what follows the join. In a team that
       waits by flags: the name of the worker that a sleeping master waits for (barrier_flags.c), else 0. */
    _Atomic uint32_t unfinished GHCOMP_ALIGNED_PAIR;
} GHCOMP_ALIGNED_PAIR;

/* The worker whose `self` is the given member, number 1 or more of its team. Reading member->thread instead would fetch
   a line that the worker writes when a region begins. */
static inline struct ghcomp_thread *ghcomp_worker_of(struct ghcomp_member *member)
{
    return (struct ghcomp_thread *)((char *)member - offsetof(struct ghcomp_thread, self));
}

/* The process's generation: teams of an older one have no workers (pool.c). */
extern uint32_t ghcomp_process_generation GHCOMP_OWN;

/* Registers the calling thread as an initial thread, unless it is known (thread.c). `caller` is as for
   ghcomp_env_decide. */
struct ghcomp_member *ghcomp_thread_register_for(const void *caller) __attribute__((cold));
struct ghcomp_member *ghcomp_thread_register(void) __attribute__((cold));           /* caller: NULL */
struct ghcomp_member *ghcomp_thread_register_for_libomp(void) __attribute__((cold)); /* ghcomp_env_code_of_libomp */

/* The team of threads without a team of their own: idle workers, and threads that the runtime does not know. For
   queries only; immutable (outside.c). */
extern struct ghcomp_team ghcomp_outside_team GHCOMP_OWN;
/* The member of threads that the runtime does not know (outside.c). */
extern struct ghcomp_member ghcomp_outsider GHCOMP_OWN;
/* Makes the member one of the given thread, outside all regions. */
void ghcomp_outside_init(struct ghcomp_member *member, struct ghcomp_thread *thread);

/* Stores the calling thread's innermost member; false: this fast way has none, and the caller must call one of the
   functions above. */
static inline bool ghcomp_self_at_hand(struct ghcomp_member **self)
{
#ifdef GHCOMP_TLS_LATE
    return ghcomp_likely(ghcomp_self_unpack(ghcomp_self_words_here()->member, self));
#else
    *self = ghcomp_self_member;
    return ghcomp_likely(*self != NULL);
#endif
}

/* The calling thread's innermost member, never NULL. Any thread, any time. The other two forms tell the runtime of the
   calling code: for libomp's entries, and for routines that both runtimes have. */
static inline struct ghcomp_member *ghcomp_self(void)
{
    struct ghcomp_member *self;
    return ghcomp_self_at_hand(&self) ? self : ghcomp_thread_register();
}

static inline struct ghcomp_member *ghcomp_self_of_libomp(void)
{
    struct ghcomp_member *self;
    return ghcomp_self_at_hand(&self) ? self : ghcomp_thread_register_for_libomp();
}

static inline __attribute__((always_inline)) struct ghcomp_member *ghcomp_self_of_caller(void)
{
    struct ghcomp_member *self;
    return ghcomp_self_at_hand(&self) ? self : ghcomp_thread_register_for(__builtin_return_address(0));
}

/* The same for a query: it registers an unknown thread only if there is a tool (outside.c). `caller` is as for
   ghcomp_env_decide. */
const struct ghcomp_member *ghcomp_stranger(const void *caller) __attribute__((cold));
static inline __attribute__((always_inline)) const struct ghcomp_member *ghcomp_asker(void)
{
    struct ghcomp_member *self;
    return ghcomp_self_at_hand(&self) ? self : ghcomp_stranger(__builtin_return_address(0));
}

/* The ICVs of the asker's task. The second form is for libomp's entries. */
static inline __attribute__((always_inline)) const struct ghcomp_icvs *ghcomp_askers_icvs(void)
{
    return ghcomp_asker()->task->icv;
}

static inline const struct ghcomp_icvs *ghcomp_askers_icvs_of_libomp(void)
{
    struct ghcomp_member *self;
    return (ghcomp_self_at_hand(&self) ? self : ghcomp_stranger(ghcomp_env_code_of_libomp))->task->icv;
}
