/* Internal control variables (OpenMP 5.2, section 2): the structs that hold them, which ones a new task inherits, and
 * when they may be read.
 *
 * Data-environment ICVs belong to a task. A `struct ghcomp_icvs` is an immutable snapshot while more than one task can
 * see it: a task's `icv` points to its region's snapshot until the task's first omp_set_*, which copies that to the
 * task's own storage (ghcomp_icv_own). An explicit task inherits its parent's ICVs: the snapshot, or a copy of the
 * parent's own (ghcomp_task_start_in, core/task/task_now.h). Implicit tasks start with the region's (region_icvs,
 * core/team/team.c). A task's own storage is part of its struct: what the task has set is dropped with it.
 *
 * Process-wide ICVs are in `ghcomp_global`. The environment's parser writes them before the first thread of the runtime
 * exists; after that only fields that are marked so change.
 *
 * Covered by test/unit/icv.c, test/conformance/task/icvs.c and test/conformance/icv.
 */
#pragma once

#include "base/atomic.h"

/* omp_sched_t. The last kind is libomp's own: its loops are guided ones. */
enum ghcomp_sched {
    GHCOMP_SCHED_STATIC = 1,
    GHCOMP_SCHED_DYNAMIC = 2,
    GHCOMP_SCHED_GUIDED = 3,
    GHCOMP_SCHED_AUTO = 4,
    GHCOMP_SCHED_TRAPEZOIDAL = 101,
    GHCOMP_SCHED_MONOTONIC = (int)0x80000000u
};

/* Whether it is a kind of schedule, with or without MONOTONIC. */
static inline bool ghcomp_sched_known(int kind)
{
    int plain = kind & ~GHCOMP_SCHED_MONOTONIC;
    return (plain >= GHCOMP_SCHED_STATIC && plain <= GHCOMP_SCHED_AUTO) || plain == GHCOMP_SCHED_TRAPEZOIDAL;
}

/* The origin of run-sched-var. When unset, gcc's code and clang's each get the default of their runtime; when
   OMP_SCHEDULE has no modifier, only gcc's code sees that static is monotonic. */
enum ghcomp_sched_by { GHCOMP_SCHED_BY_DEFAULT, GHCOMP_SCHED_BY_USER_PLAINLY, GHCOMP_SCHED_IN_FULL };

/* omp_proc_bind_t. */
enum ghcomp_bind {
    GHCOMP_BIND_FALSE = 0,
    GHCOMP_BIND_TRUE = 1,
    GHCOMP_BIND_PRIMARY = 2,
    GHCOMP_BIND_CLOSE = 3,
    GHCOMP_BIND_SPREAD = 4
};

enum ghcomp_wait_policy { GHCOMP_POLICY_UNSET, GHCOMP_POLICY_ACTIVE, GHCOMP_POLICY_PASSIVE };
enum ghcomp_offload { GHCOMP_OFFLOAD_DEFAULT, GHCOMP_OFFLOAD_MANDATORY, GHCOMP_OFFLOAD_DISABLED };

#define GHCOMP_NO_LIMIT UINT32_MAX
#define GHCOMP_MAX_LEVELS 255u /* what gcc's code can ask for and is told; any number, in clang's code */
#define GHCOMP_ANY_LEVELS ((uint32_t)INT32_MAX)

/* Data-environment ICVs: one snapshot. */
struct ghcomp_icvs {
    uint32_t nthreads;            /* nthreads-var of this level: the size of the next team */
    uint32_t nthreads_whole;      /* nthreads-var if `nthreads` is less, in a team of a league (league.c); else 0 */
    uint32_t nthreads_rest_len;   /* ... and of the levels below it, process-lifetime storage */
    const uint32_t *nthreads_rest;
    const uint8_t *bind_rest;     /* bind-var of the levels below, enum ghcomp_bind, process-lifetime storage */
    uint32_t bind_rest_len;
    uint8_t bind;                 /* bind-var of this level, enum ghcomp_bind */
    bool dynamic;                 /* dyn-var */
    uint8_t sched_by;             /* enum ghcomp_sched_by */
    uint32_t max_active_levels;   /* max-active-levels-var */
    uint32_t thread_limit;        /* thread-limit-var; GHCOMP_NO_LIMIT when unset */
    int sched;                    /* run-sched-var: enum ghcomp_sched, may carry GHCOMP_SCHED_MONOTONIC */
    int sched_chunk;              /* its chunk; 0 = the schedule's default */
    int default_device;           /* default-device-var */
    uintptr_t default_allocator;  /* def-allocator-var: an omp_allocator_handle_t */
};

/* Process-wide ICVs and settings. Immutable after ghcomp_env_init unless a field says otherwise. */
struct ghcomp_globals {
    struct ghcomp_icvs initial;    /* what a new initial thread starts with */
    bool nthreads_set;             /* OMP_NUM_THREADS gave nthreads-var (else: number of CPUs) */
    bool dynamic_set;              /* OMP_DYNAMIC was given */
    bool bind_set;                 /* OMP_PROC_BIND was given */
    bool cancel;                   /* cancel-var */
    bool display_affinity;         /* display-affinity-var */
    enum ghcomp_wait_policy wait_policy;
    bool spincount_set;            /* GOMP_SPINCOUNT was given ... */
    uint64_t spincount;            /* ... pauses before a waiting thread parks; UINT64_MAX = never parks */
    bool blocktime_set;            /* KMP_BLOCKTIME was given ... */
    uint64_t blocktime;            /* ... ns of spinning before a waiting thread parks; UINT64_MAX = never parks */
    size_t stacksize;              /* bytes of a worker's stack; 0 = the system's default, which is RLIMIT_STACK */
    int max_task_priority;
    enum ghcomp_offload target_offload;
    _Atomic int num_teams;              /* nteams-var; 0 = unset; atomic(relaxed), omp_set_num_teams writes */
    _Atomic uint32_t league_threads;     /* KMP_TEAMS_THREAD_LIMIT: threads of all teams of a league of clang's code;
                                            0 = unset; atomic(relaxed) */
    _Atomic uint32_t teams_thread_limit; /* teams-thread-limit-var; 0 = unset; atomic(relaxed) */
    uint32_t cpu_quota;            /* CPUs that the control groups allowed at load; UINT32_MAX = no quota */
    uint32_t num_cpus;             /* usable CPUs at load: those of the affinity mask, at most cpu_quota */
    _Atomic bool serial;           /* regions of clang's code have one thread; atomic(relaxed): kmp_set_library */
};
extern struct ghcomp_globals ghcomp_global GHCOMP_OWN;

struct ghcomp_task;

/* env_set.c: sets NAME=VALUE as if it had been in the environment, for the calling thread's next regions and for new
   initial threads. False: it is invalid, and a line on stderr has the reason. No other thread may be in the runtime. */
bool ghcomp_env_set(const char *entry);

/* The task's ICVs for writing. The first call copies the shared snapshot to the task's own storage. */
struct ghcomp_icvs *ghcomp_icv_own(struct ghcomp_task *task);

/* The most that libomp gives a thread of its own accord. */
#define GHCOMP_LIBOMP_STACK ((size_t)64 << 20)

/* Reads the environment once, before anything else of the runtime runs. Idempotent, any thread. Code that reads the
   fields above without ghcomp_self() calls this first: where the runtime is linked into a program, constructors of
   shared libraries run before the runtime's. */
void ghcomp_env_init(void);

/* env_first.c: the process's first call decides which environment variables count. `caller` is an address in the
   calling code, ghcomp_env_code_of_libomp, or NULL if neither is known. */
extern const char ghcomp_env_code_of_libomp[] GHCOMP_OWN;
void ghcomp_env_decide(const void *caller) __attribute__((cold));
extern _Atomic bool ghcomp_env_decided GHCOMP_OWN; /* load_acquire, with decide()'s store_release */
/* Code for libomp asks for nothing but its thread's number. True: from now on the environment counts as it was at load,
   and nothing else is decided. False: the caller must go on to ghcomp_env_decide. */
bool ghcomp_env_settle(void) __attribute__((cold));

/* Whether all objects of the process that were linked against libgomp or libomp need libomp, and there is such an
   object. */
bool ghcomp_env_is_for_libomp(void) __attribute__((cold));

/* Before an answer from the fields above, or a change of them, in an entry that does not call ghcomp_self(). The
   second form is for libomp's entries. */
static inline __attribute__((always_inline)) void ghcomp_env_asked(void)
{
    if (ghcomp_unlikely(!ghcomp_load_acquire(&ghcomp_env_decided)))
        ghcomp_env_decide(__builtin_return_address(0));
}

static inline void ghcomp_env_asked_of_libomp(void)
{
    if (ghcomp_unlikely(!ghcomp_load_acquire(&ghcomp_env_decided)))
        ghcomp_env_decide(ghcomp_env_code_of_libomp);
}

/* omp_display_env and OMP_DISPLAY_ENV: prints all ICVs on stderr. */
void ghcomp_env_display(bool verbose);
