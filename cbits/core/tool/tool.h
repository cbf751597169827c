/* Events for a tool (OMPT; OpenMP 5.2, chapter 19): what the rest of the runtime calls. Protocol: tool.c.
 *
 * Every hook costs one load and a branch while there is no tool. All functions here are for a process with one, and run
 * on the thread whose event it is. Whether a task or a region is filtered: tool_filter.h.
 */
#pragma once

#include <omp-tools.h>

#include "core/observe/fast_self.h"
#include "core/observe/observers.h"
#include "core/state/types.h"

/* Where compiled code called the runtime. An entry stores it (GHCOMP_TOOL_SITE), the first hook that it reaches takes
   it. */
struct ghcomp_tool_site {
    const void *return_address;
    void *frame;                   /* the canonical frame address of the entry's call */
    int what;                      /* barriers: ompt_sync_region_t; regions: ompt_parallel_flag_t; 0: not given */
};

/* A worksharing construct that an implicit task is in. */
struct ghcomp_tool_work {
    ompt_work_t kind;              /* 0: none */
    uint64_t count;
    const void *return_address;
};

/* What a frame's flags say: whose frame its address belongs to, and of which kind that is, always the same one. It is
   libomp's word since LLVM 22, for addresses that libomp 19 calls ompt_frame_framepointer; LLVM's tests want flags
   where there is no frame, too. */
enum {
    GHCOMP_TOOL_FRAME = ompt_frame_runtime | ompt_frame_cfa,
    GHCOMP_TOOL_FRAME_OF_PROGRAM = ompt_frame_application | ompt_frame_cfa,
};
#define GHCOMP_TOOL_NO_FRAME \
    (ompt_frame_t){.exit_frame_flags = GHCOMP_TOOL_FRAME, .enter_frame_flags = GHCOMP_TOOL_FRAME}

/* A task's record for the tool; task->tool. The task's thread only. The fields that implicit tasks have, too, come
   first: two cache lines, which are no longer in the cache when a region's end needs them. */
struct ghcomp_tool_task {
    ompt_data_t data;
    ompt_frame_t frame;
    int flags;                     /* ompt_task_flag_t */
    uint32_t thread_num;
    struct ghcomp_tool_team *region; /* NULL: it has not started */
    struct ghcomp_tool_task *around; /* the task that its thread suspended for it, or that encountered its region */
    struct ghcomp_tool_work work;
    struct ghcomp_tool_work loop;  /* the taskloop that it carries out */
    void *called;                  /* the frame of its code's last call that made a task */
    const void *group_address;     /* of its innermost taskgroup */
    struct ghcomp_tool_task *kept; /* the records of dependent tasks that it made (tool_task.c) */
    bool created;                  /* explicit: task_create has been reported */
    bool cancelled;                /* ... and its code has not run */
    bool lends;                    /* explicit: `around` has its enter frame because of this task */
    bool started;                  /* explicit: its start has been reported, its end has not */
    bool late;                     /* implicit: of a filtered region (tool_filter_region.c) */
    ompt_state_t state_before;     /* ... and its thread's state then */
    size_t memory;                 /* explicit: bytes of its data */
    ompt_dispatch_chunk_t chunk;   /* explicit: its iterations of a taskloop */
    struct ghcomp_tool_task *next_kept; /* link of that list, or of a thread's spare records */
    _Atomic uint32_t keeping;      /* enum ghcomp_tool_keeping; xchg_acqrel */
};

/* A parallel region; team->tool. The master writes it before the region begins. */
struct ghcomp_tool_team {
    ompt_data_t data;
    const void *return_address;
    int flags;                     /* ompt_parallel_flag_t */
};

/* Credit for a construct: how many further tasks or regions at its address are filtered without a call of the tool's
   filter (tool_filter.h). */
struct ghcomp_tool_credit {
    const void *address;           /* NULL: none */
    ghcomp_filter_credit_t by;
};
enum { GHCOMP_TOOL_CREDITS = 16 };

/* thread->tool. Owner only. */
struct ghcomp_tool_thread {
    ompt_data_t data;
    ompt_state_t state;
    ompt_wait_id_t wait_id;
    struct ghcomp_tool_site site;
    struct ghcomp_tool_sync *wait; /* that it is in; NULL: it runs code */
    bool begun;                    /* thread_begin has been reported, thread_end has not */
    bool yields;                   /* it starts its next task in a taskyield */
    ompt_dispatch_chunk_t chunk;   /* of the taskloop's task that it makes next */
    struct ghcomp_tool_target *target; /* the innermost target region that it runs */
    struct ghcomp_tool_task *spare;    /* records of tasks that are gone (tool_task.c); how many: */
    uint32_t spares;
    _Atomic uint64_t last_unique;      /* 0: none yet; atomic(relaxed), also in the thread's signal handlers */
    struct ghcomp_tool_credit credits[GHCOMP_TOOL_CREDITS]; /* by bits of their addresses */
};

/* Whether a tool is registered, or may be found when the first thread becomes known. */
static inline bool ghcomp_tool_on(void)
{
    return ghcomp_unlikely((ghcomp_observers_now() & GHCOMP_OBSERVE_TOOL) != 0);
}

/* --- call sites --------------------------------------------------------------------------------------------------- */

void ghcomp_tool_note(const void *return_address, void *frame, int what) __attribute__((cold));
struct ghcomp_tool_site ghcomp_tool_take(struct ghcomp_thread *thread);
/* The return address that is stored; it stays. */
const void *ghcomp_tool_thread_site(struct ghcomp_member *self);

/* At the beginning of an entry of the ABI. */
#define GHCOMP_TOOL_SITE_OF(what)                                                               \
    do {                                                                                        \
        if (ghcomp_tool_on())                                                                   \
            ghcomp_tool_note(__builtin_return_address(0), __builtin_dwarf_cfa(), what);         \
    } while (0)
#define GHCOMP_TOOL_SITE() GHCOMP_TOOL_SITE_OF(0)

/* --- the tool itself (tool_load.c) -------------------------------------------------------------------------------- */

/* When the object is loaded, after ghcomp_env_init: whether there may be a tool. */
void ghcomp_tool_prepare(void);
/* Starts the tool, once; true: it has just been started. Before the first thread becomes known. */
bool ghcomp_tool_start(void);
/* No more events; calls the tool's finalizer, once. Any thread. */
void ghcomp_tool_stop(void);
/* Whether a tool has been started. */
bool ghcomp_tool_active(void);
/* A library that reports events of its own (ompt_libomp_connect) has taken the callbacks. Its finalizer is called
 * before
   the tool's. */
void ghcomp_tool_connect(ompt_start_tool_result_t *library);
/* Set by abi/omp/omp_tool.c when the object is loaded. */
struct ghcomp_tool_own {
    ompt_function_lookup_t lookup; /* the functions that a tool finds by name; NULL: there are no tools */
    ompt_start_tool_result_t *(*start)(unsigned version, const char *runtime); /* ompt_start_tool, as linked */
    ompt_start_tool_result_t *(*none)(unsigned version, const char *runtime);  /* ... when it is the runtime's own */
    const char *name;              /* the runtime's, for the tool */
    int device;                    /* the host's number */
};
extern struct ghcomp_tool_own ghcomp_tool_own;
/* Sets or gets a callback; false: there is no such event. */
bool ghcomp_tool_set_callback(int event, ompt_callback_t callback);
ompt_callback_t ghcomp_tool_callback(int event);

/* --- threads and regions ------------------------------------------------------------------------------------------ */

void ghcomp_tool_thread_begin(struct ghcomp_thread *thread, ompt_thread_t kind);
void ghcomp_tool_thread_end(struct ghcomp_thread *thread);
void ghcomp_tool_initial_begin(struct ghcomp_member *self);
void ghcomp_tool_initial_end(struct ghcomp_member *self);
void ghcomp_tool_free(struct ghcomp_thread *thread);

/* Events of the region that `self` encounters; `requested` threads. */
void ghcomp_tool_parallel_begin(struct ghcomp_member *self, struct ghcomp_team *team, uint32_t requested);
void ghcomp_tool_parallel_end(struct ghcomp_member *self, struct ghcomp_team *team);
void ghcomp_tool_implicit_begin(struct ghcomp_member *self);
void ghcomp_tool_implicit_end(struct ghcomp_member *self);
/* A free agent comes to a team, and leaves it (core/team/agents.c). No event. */
void ghcomp_tool_agent_begin(struct ghcomp_member *self);
void ghcomp_tool_agent_end(struct ghcomp_member *self);
/* The member's part of the region is over: what it left open ends. */
void ghcomp_tool_part_end(struct ghcomp_member *self);
/* Calls fn(data) as the code of the thread's current task, and sets that task's exit frame. */
void ghcomp_tool_call(void (*fn)(void *), void *data) __attribute__((noinline));
/* The runtime has called compiled code that is the current task's: makes the frame of that call the task's exit
   frame. */
void ghcomp_tool_runs_in(struct ghcomp_member *self, void *frame);
/* The record of the calling thread's current task. */
struct ghcomp_tool_task *ghcomp_tool_current(struct ghcomp_member *self);

/* --- synchronization ---------------------------------------------------------------------------------------------- */

/* A wait of the current task. */
struct ghcomp_tool_sync {
    struct ghcomp_tool_task *task; /* NULL: a filtered task's, and nothing of the wait has been reported */
    ompt_sync_region_t kind;
    const void *return_address;
    void *frame;                   /* while `task` is NULL */
    ompt_state_t state_before;
    bool open;                     /* wait_begin sent, wait_end not */
    struct ghcomp_tool_sync *outer; /* of thread->wait */
};
/* A whole synchronization region with its wait: barriers. `kind` 0: the site has it. */
void ghcomp_tool_sync_begin(struct ghcomp_member *self, struct ghcomp_tool_sync *sync, int kind);
void ghcomp_tool_sync_end(struct ghcomp_member *self, struct ghcomp_tool_sync *sync);
/* A taskwait or the end of a taskgroup of a filtered task: it begins for the tool when its thread finds nothing to run,
   and if it has begun, it ends with ghcomp_tool_sync_end. */
struct ghcomp_tool_filtered_wait {
    bool began;
    struct ghcomp_tool_sync sync;  /* until it has begun: only its kind and its call */
};
static inline void ghcomp_tool_filtered_wait_prepare(struct ghcomp_tool_filtered_wait *wait, ompt_sync_region_t kind,
                                                     const void *return_address, void *frame)
{
    wait->began = false;
    wait->sync.kind = kind;
    wait->sync.return_address = return_address;
    wait->sync.frame = frame;
}
void ghcomp_tool_filtered_wait_begin(struct ghcomp_member *self, struct ghcomp_tool_filtered_wait *wait);
/* The barrier at the region's end. Its end has no parallel region any more. */
void ghcomp_tool_join_begin(struct ghcomp_member *self, struct ghcomp_tool_sync *sync);
void ghcomp_tool_join_end(struct ghcomp_member *self, struct ghcomp_tool_sync *sync);
void ghcomp_tool_group_begin(struct ghcomp_member *self);
void ghcomp_tool_group_wait(struct ghcomp_member *self, struct ghcomp_tool_sync *sync);
void ghcomp_tool_group_end(struct ghcomp_member *self, struct ghcomp_tool_sync *sync);
/* Ends the wait, but not its region: another wait follows when the thread has run a task. */
void ghcomp_tool_sync_pause(struct ghcomp_member *self, struct ghcomp_tool_sync *sync);

/* Mutual exclusion: before the wait, when it is over, and after the release. */
void ghcomp_tool_mutex_wait(ompt_mutex_t kind, unsigned hint, const void *lock);
void ghcomp_tool_mutex_taken(ompt_mutex_t kind, const void *lock);
void ghcomp_tool_mutex_given(ompt_mutex_t kind, const void *lock);
/* A nest lock that its owner takes or gives once more. */
void ghcomp_tool_nest(ompt_scope_endpoint_t endpoint, const void *lock);
void ghcomp_tool_lock_init(ompt_mutex_t kind, unsigned hint, const void *lock);
void ghcomp_tool_lock_destroy(ompt_mutex_t kind, const void *lock);
/* A test of a lock that did not take it, or a wait that ended at once: restores the thread's state. */
void ghcomp_tool_mutex_missed(void);

/* --- worksharing -------------------------------------------------------------------------------------------------- */

void ghcomp_tool_work_begin(struct ghcomp_member *self, ompt_work_t kind, uint64_t count);
void ghcomp_tool_work_end(struct ghcomp_member *self);
/* A construct without an end of its own: both events. */
void ghcomp_tool_work_passed(struct ghcomp_member *self, ompt_work_t kind, uint64_t count);
void ghcomp_tool_chunk(struct ghcomp_tool_task *task, ompt_dispatch_t kind, uint64_t start, uint64_t iterations);
void ghcomp_tool_section(struct ghcomp_member *self, const void *where);
void ghcomp_tool_masked(struct ghcomp_member *self, ompt_scope_endpoint_t endpoint);
void ghcomp_tool_reduction(struct ghcomp_member *self, ompt_scope_endpoint_t endpoint);

/* --- tasks -------------------------------------------------------------------------------------------------------- */

/* A task has been allocated, with `bytes` of data; `flags` are those of the construct, as ompt_task_flag_t. */
void ghcomp_tool_task_new(struct ghcomp_member *self, struct ghcomp_task *task, size_t bytes, int flags);
/* Reports the creation; once for each task. */
void ghcomp_tool_task_create(struct ghcomp_member *self, struct ghcomp_task *task, int flags, bool dependent);
/* The task, not reported yet, is transparent. */
void ghcomp_tool_task_opens(struct ghcomp_task *task, bool imports, bool exports);
void ghcomp_tool_task_dependences(struct ghcomp_task *task, const ompt_dependence_t *list, int count);
void ghcomp_tool_task_pair(struct ghcomp_tool_task *before, struct ghcomp_task *after);
/* The task, which the current one makes, has dependences: its record stays until the current task has none on it. */
void ghcomp_tool_task_keep(struct ghcomp_member *self, struct ghcomp_task *task);
/* The task has forgotten the dependences among its children. */
void ghcomp_tool_task_forget(struct ghcomp_task *parent);
/* taskloop: its begin and end; and the iterations of the task that is made next. `group_address`: of the taskgroup
   around it, if that was filtered, or NULL. */
void ghcomp_tool_taskloop_begin(struct ghcomp_member *self, uint64_t count, const void *group_address);
void ghcomp_tool_taskloop_end(struct ghcomp_member *self);
void ghcomp_tool_taskloop_chunk(struct ghcomp_member *self, uint64_t start, uint64_t iterations);
/* The thread starts its next task in a taskyield. Its start is reported. */
void ghcomp_tool_yields(struct ghcomp_member *self);
/* An iteration of a doacross loop waits for others (sink), or releases others (source). */
void ghcomp_tool_doacross(struct ghcomp_member *self, ompt_dependence_type_t type, uint32_t dims,
                          const uint64_t *iteration);
/* A league. Its encountering thread writes it before the teams begin. */
struct ghcomp_tool_league {
    struct ghcomp_tool_task *task;       /* the encountering task's record */
    struct ghcomp_tool_team region;
    uint32_t teams;
};
/* A team of a league; of the thread that runs it. */
struct ghcomp_tool_league_team {
    struct ghcomp_tool_league *league;
    uint32_t number;
    struct ghcomp_tool_task *task;       /* the records of the thread's task and team outside the league's team, ... */
    struct ghcomp_tool_team *team;
    ompt_state_t state;                  /* ... and its state there */
    struct ghcomp_tool_task initial, implicit; /* the records in their places inside */
    struct ghcomp_tool_team inner;
};
/* The league begins and ends, on the encountering thread. */
void ghcomp_tool_league_begin(struct ghcomp_member *self, struct ghcomp_tool_league *league, uint32_t teams);
void ghcomp_tool_league_end(struct ghcomp_member *self, struct ghcomp_tool_league *league);
/* A team of it begins and ends. `frame`: the runtime's frame that runs it on a thread that has not encountered the
   league; NULL: the encountering thread runs it. */
void ghcomp_tool_league_team(struct ghcomp_member *self, struct ghcomp_tool_league_team *team,
                             struct ghcomp_tool_league *league, uint32_t number, void *frame);
void ghcomp_tool_league_team_end(struct ghcomp_member *self, struct ghcomp_tool_league_team *team);
/* The calling thread leaves `prior` for `next`. */
void ghcomp_tool_task_start(struct ghcomp_member *self, struct ghcomp_task *prior, struct ghcomp_task *next);
void ghcomp_tool_task_finish(struct ghcomp_member *self, struct ghcomp_task *task, struct ghcomp_task *next,
                             ompt_task_status_t status);
void ghcomp_tool_task_fulfilled(struct ghcomp_task *task, ompt_task_status_t status);
/* The task's construct is cancelled, and its code does not run. */
void ghcomp_tool_task_discarded(struct ghcomp_member *self, struct ghcomp_task *task);
void ghcomp_tool_task_free(struct ghcomp_task *task);

/* --- waits with a filter (tool_sync.c) --------------------------------------------------------------------------- */

/* In a wait: there is no task to run, so the wait continues (idles); a task is about to run (works, which returns the
   wait, or NULL if the thread is in no wait that may be reported), and has run (waits_on). */
void ghcomp_tool_idles(struct ghcomp_member *self);
void ghcomp_tool_wait_stops(struct ghcomp_member *self, struct ghcomp_tool_sync *wait);
static inline struct ghcomp_tool_sync *ghcomp_tool_works(struct ghcomp_member *self)
{
    const struct ghcomp_tool_thread *thread = self->thread->tool;
    struct ghcomp_tool_sync *wait = ghcomp_likely(thread != NULL) ? thread->wait : NULL;
    if (ghcomp_unlikely(wait != NULL))
        ghcomp_tool_wait_stops(self, wait);
    return wait;
}
void ghcomp_tool_waits_on(struct ghcomp_member *self, struct ghcomp_tool_sync *wait);

/* --- the rest ----------------------------------------------------------------------------------------------------- */

void ghcomp_tool_flush(struct ghcomp_member *self);
void ghcomp_tool_cancel(struct ghcomp_member *self, int flags);
void ghcomp_tool_error(ompt_severity_t severity, const char *message, size_t length);
/* A number that no other call returns. Any thread. */
uint64_t ghcomp_tool_unique(void);

/* --- target constructs (tool_target.c) ---------------------------------------------------------------------------- */

/* A construct for a device, which is the host; on the stack of the thread that carries it out. */
struct ghcomp_tool_target {
    ompt_data_t data;
    ompt_id_t id, operation;
    ompt_target_t kind;
    const void *return_address;
    struct ghcomp_tool_task *task;      /* that encountered it */
    struct ghcomp_tool_task *own;       /* its target task, if it is deferred */
    struct ghcomp_tool_target *outer;   /* that its thread runs around it */
};
/* An item that it maps: each array has an element for each. */
struct ghcomp_tool_items {
    unsigned count;
    void **address;
    size_t *bytes;
    unsigned *flags;                    /* ompt_target_map_flag_t */
};
/* `task` is the encountering one; the current one is another if the construct has a target task. */
void ghcomp_tool_target_begin(struct ghcomp_member *self, struct ghcomp_tool_target *target, ompt_target_t kind,
                              struct ghcomp_task *task);
void ghcomp_tool_target_map(struct ghcomp_tool_target *target, const struct ghcomp_tool_items *items);
void ghcomp_tool_submit_begin(struct ghcomp_member *self, struct ghcomp_tool_target *target, unsigned teams);
void ghcomp_tool_submit_end(struct ghcomp_member *self, struct ghcomp_tool_target *target, unsigned teams);
void ghcomp_tool_target_end(struct ghcomp_member *self, struct ghcomp_tool_target *target);

/* An operation on a device's memory, by a routine. */
struct ghcomp_tool_data_op {
    ompt_target_data_op_t kind;
    const void *from;                   /* or NULL ... */
    void *to;
    size_t bytes;
    const void *return_address;
    ompt_id_t id;
    ompt_data_t data;                   /* of no construct */
};
void ghcomp_tool_data_op_begin(struct ghcomp_member *self, struct ghcomp_tool_data_op *op);
void ghcomp_tool_data_op_end(struct ghcomp_member *self, struct ghcomp_tool_data_op *op);
