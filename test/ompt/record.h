/* A tool inside the test's program: it counts events and checks what holds for every program, whatever the threads do.
 *
 *   - A thread's begin is its first event. Words that belong to the tool are 0 at first and stay what the tool wrote.
 *   - Regions, implicit tasks, worksharing, synchronization and masked regions nest on each thread, and what ends is
 *     what began: the same task, kind and return address.
 *   - A region has as many implicit tasks as its team has threads; all of them have ended when it ends.
 *   - An explicit task is created before it is started, is started once, and is complete before its region ends.
 *   - A mutex is acquired after a wait for it began, and released by the thread that acquired it.
 *
 * The program compares the counts with what it has done (COUNT), when it is in no region. */
#pragma once

#include <omp-tools.h>
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum event {
    THREAD_INITIAL, THREAD_WORKER, THREAD_END, INITIAL_BEGIN, INITIAL_END, PARALLEL_BEGIN, PARALLEL_END,
    LEAGUE_BEGIN, LEAGUE_END, IMPLICIT_BEGIN, IMPLICIT_END, TASK_CREATE, TASK_START, TASK_COMPLETE, TASK_CANCEL,
    TASK_DETACH, TASK_EARLY, TASK_LATE, TASK_YIELD, TASKWAIT_DONE, DEPENDENCES, DEPENDENCE_PAIR, MASKED_BEGIN,
    MASKED_END, REDUCTION_BEGIN, REDUCTION_END, FLUSH, ERROR_EVENT, CONTROL, NEST_BEGIN, NEST_END, CANCEL, FINALIZED,
    TARGET_MAP, SUBMIT_BEGIN, SUBMIT_END,
    TARGET_BEGIN, TARGET_END = TARGET_BEGIN + 16, DATA_OP_BEGIN = TARGET_END + 16, DATA_OP_END = DATA_OP_BEGIN + 32,
    WORK_BEGIN = DATA_OP_END + 32, WORK_END = WORK_BEGIN + 16, SYNC_BEGIN = WORK_END + 16, SYNC_END = SYNC_BEGIN + 16,
    WAIT_BEGIN = SYNC_END + 16, WAIT_END = WAIT_BEGIN + 16, DISPATCH = WAIT_END + 16, MUTEX_WAIT = DISPATCH + 8,
    MUTEX_TAKEN = MUTEX_WAIT + 8, MUTEX_GIVEN = MUTEX_TAKEN + 8, LOCK_INIT = MUTEX_GIVEN + 8, LOCK_DESTROY,
    TASK_OF_TARGET, TASK_OF_WAIT,
    CREATED_WITH, CANCEL_OF = CREATED_WITH + 5, /* by bits of the flags, from ompt_task_undeferred and from the first */
    EVENTS = CANCEL_OF + 7
};

static _Atomic uint64_t counts[EVENTS];
static bool members_lost; /* a child of fork() inside a region */
#define COUNT(event) ((unsigned)counts[event])

/* What the words of threads, regions and tasks point to. */
struct mine {
    enum { THREAD = 0x7ead, REGION = 0x2e61, TASK = 0x7a5c, TARGET = 0x7a26 } what;
    _Atomic unsigned begun, ended, tasks; /* of a region: implicit tasks; tasks that are not complete */
    struct mine *region;                  /* of a task */
    unsigned threads;
    _Atomic unsigned state;               /* of a task: 0 made, 1 started, 2 over */
};

static struct mine *make(int what, ompt_data_t *data)
{
    CHECK(data->value == 0);
    struct mine *mine = calloc(1, sizeof *mine);
    mine->what = what;
    data->ptr = mine;
    return mine;
}

static struct mine *of(int what, const ompt_data_t *data)
{
    CHECK(data != NULL && data->ptr != NULL);
    struct mine *mine = data->ptr;
    CHECK((int)mine->what == what);
    return mine;
}

static ompt_get_thread_data_t get_thread_data;
static ompt_get_task_info_t get_task_info;
static ompt_get_parallel_info_t get_parallel_info;
static ompt_get_state_t get_state;
static ompt_get_unique_id_t get_unique_id;
static ompt_get_task_memory_t get_task_memory;
static ompt_enumerate_states_t enumerate_states;
static ompt_enumerate_mutex_impls_t enumerate_mutex_impls;
static ompt_get_callback_t get_callback;
static ompt_set_callback_t set_callback;
static ompt_finalize_tool_t finalize_tool;
static ompt_get_num_procs_t get_num_procs;
static ompt_get_target_info_t get_target_info;
static ompt_function_lookup_t lookup_function;

/* --- what nests on a thread --------------------------------------------------------------------------------------- */

struct scope {
    int event;
    const void *task, *address;
};
static __thread struct scope scopes[256];
static __thread int depth;

static void note(int event)
{
    CHECK(event < EVENTS);
    counts[event]++;
}

static void note_bits(int first, unsigned bits, int count)
{
    for (int bit = 0; bit < count; bit++)
        if (bits >> bit & 1)
            note(first + bit);
}

static void open_scope(int event, const void *task, const void *address)
{
    of(THREAD, get_thread_data());
    CHECK(depth < 256);
    scopes[depth++] = (struct scope){event, task, address};
    note(event);
}

static void close_scope(int begin, int end, const void *task, const void *address)
{
    CHECK(depth > 0);
    struct scope *scope = &scopes[--depth];
    if (scope->event != begin || scope->task != task || scope->address != address) {
        fprintf(stderr, "event %d of task %p at %p ends event %d of task %p at %p\n", begin, task, address,
                scope->event, scope->task, scope->address);
        _Exit(1);
    }
    note(end);
}

/* --- callbacks ---------------------------------------------------------------------------------------------------- */

static void thread_begin(ompt_thread_t kind, ompt_data_t *thread)
{
    make(THREAD, thread);
    CHECK(get_thread_data() == thread);
    note(kind == ompt_thread_initial ? THREAD_INITIAL : THREAD_WORKER);
}

static void thread_end(ompt_data_t *thread)
{
    of(THREAD, thread);
    CHECK(get_thread_data() == thread);
    note(THREAD_END);
}

/* Whether the flags are libomp's since LLVM 22, which it gives where there is no frame, too. */
static bool says_frames(const ompt_frame_t *frame)
{
    return (frame->enter_frame_flags & ~ompt_frame_application) == ompt_frame_cfa &&
           (frame->exit_frame_flags & ~ompt_frame_application) == ompt_frame_cfa;
}

static void parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                           int flags, const void *address)
{
    of(TASK, task);
    CHECK(frame != NULL && frame->enter_frame.ptr != NULL && address != NULL && requested > 0);
    CHECK(says_frames(frame));
    CHECK(flags & (ompt_parallel_invoker_program | ompt_parallel_invoker_runtime));
    make(REGION, parallel);
    open_scope(flags & ompt_parallel_league ? LEAGUE_BEGIN : PARALLEL_BEGIN, task, address);
}

static void parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *address)
{
    struct mine *region = of(REGION, parallel);
    bool league = flags & ompt_parallel_league;
    if (members_lost)
        members_lost = false;
    else
        CHECK(region->begun == region->ended && region->begun == region->threads && region->tasks == 0);
    close_scope(league ? LEAGUE_BEGIN : PARALLEL_BEGIN, league ? LEAGUE_END : PARALLEL_END, task, address);
}

static void implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned threads,
                          unsigned index, int flags)
{
    bool initial = flags & ompt_task_initial;
    if (endpoint == ompt_scope_begin) {
        struct mine *mine = make(TASK, task);
        if (parallel->ptr == NULL)
            make(REGION, parallel); /* the region of an initial thread has no begin */
        mine->region = of(REGION, parallel);
        mine->region->threads = threads;
        mine->region->begun++;
        CHECK(index < threads || initial);
        open_scope(initial ? INITIAL_BEGIN : IMPLICIT_BEGIN, task, NULL);
        return;
    }
    of(TASK, task)->region->ended++;
    CHECK(parallel == NULL);
    close_scope(initial ? INITIAL_BEGIN : IMPLICIT_BEGIN, initial ? INITIAL_END : IMPLICIT_END, task, NULL);
}

static void work(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                 uint64_t count, const void *address)
{
    (void)count;
    of(REGION, parallel);
    of(TASK, task);
    if (endpoint == ompt_scope_begin)
        open_scope(WORK_BEGIN + (int)kind, task, address);
    else
        close_scope(WORK_BEGIN + (int)kind, WORK_END + (int)kind, task, address);
}

static void dispatch(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
    of(REGION, parallel);
    of(TASK, task);
    CHECK(instance.ptr != NULL);
    note(DISPATCH + (int)kind);
}

static void masked(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, const void *address)
{
    of(REGION, parallel);
    CHECK(address != NULL);
    if (endpoint == ompt_scope_begin)
        open_scope(MASKED_BEGIN, task, NULL);
    else
        close_scope(MASKED_BEGIN, MASKED_END, task, NULL);
}

static void sync_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                        ompt_data_t *task, const void *address)
{
    of(TASK, task);
    (void)address;
    if (endpoint == ompt_scope_begin) {
        of(REGION, parallel);
        open_scope(SYNC_BEGIN + (int)kind, task, NULL);
    } else {
        close_scope(SYNC_BEGIN + (int)kind, SYNC_END + (int)kind, task, NULL);
    }
}

static void sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                             ompt_data_t *task, const void *address)
{
    (void)parallel, (void)address;
    if (endpoint == ompt_scope_begin) {
        ompt_wait_id_t wait_id;
        CHECK(get_state(&wait_id) >= ompt_state_wait_barrier && get_state(NULL) <= ompt_state_wait_taskgroup);
        open_scope(WAIT_BEGIN + (int)kind, task, NULL);
    } else {
        close_scope(WAIT_BEGIN + (int)kind, WAIT_END + (int)kind, task, NULL);
    }
}

static void reduction(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
                      ompt_data_t *task, const void *address)
{
    CHECK(kind == ompt_sync_region_reduction);
    of(REGION, parallel);
    if (endpoint == ompt_scope_begin)
        open_scope(REDUCTION_BEGIN, task, NULL);
    else
        close_scope(REDUCTION_BEGIN, REDUCTION_END, task, NULL);
    CHECK(address != NULL);
}

static void task_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *created, int flags,
                        int has_dependences, const void *address)
{
    struct mine *parent = of(TASK, task), *mine = make(TASK, created);
    CHECK(frame != NULL && says_frames(frame) && address != NULL);
    CHECK(flags & (ompt_task_explicit | ompt_task_taskwait));
    CHECK(parent->state != 1 || frame->exit_frame.ptr != NULL); /* an explicit task that runs */
    (void)has_dependences;
    mine->region = parent->region;
    if (flags & ompt_task_explicit)
        mine->region->tasks++;
    else
        mine->state = 1;
    note(TASK_CREATE);
    if (flags & ompt_task_target)
        note(TASK_OF_TARGET);
    if (flags & ompt_task_taskwait)
        note(TASK_OF_WAIT);
    note_bits(CREATED_WITH, (unsigned)flags / (unsigned)ompt_task_undeferred, 5);
}

static void task_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    struct mine *from = of(TASK, prior);
    switch (status) {
    case ompt_task_complete:
    case ompt_task_cancel:
    case ompt_task_late_fulfill:
        CHECK(atomic_exchange(&from->state, 2) == 1);
        from->region->tasks--;
        note(status == ompt_task_cancel ? TASK_CANCEL : status == ompt_task_complete ? TASK_COMPLETE : TASK_LATE);
        return;
    case ompt_taskwait_complete:
        note(TASKWAIT_DONE);
        return;
    case ompt_task_detach:
        note(TASK_DETACH);
        return;
    case ompt_task_early_fulfill:
        note(TASK_EARLY);
        return;
    case ompt_task_yield:
        note(TASK_YIELD); /* fall through */
    default:
        CHECK(status == ompt_task_switch || status == ompt_task_yield);
        CHECK(atomic_exchange(&of(TASK, next)->state, 1) == 0);
        note(TASK_START);
    }
}

static void dependences(ompt_data_t *task, const ompt_dependence_t *list, int count)
{
    of(TASK, task);
    CHECK(list != NULL && count >= 0);
    note(DEPENDENCES);
}

static void task_dependence(ompt_data_t *before, ompt_data_t *after)
{
    of(TASK, before);
    of(TASK, after);
    note(DEPENDENCE_PAIR);
}

static __thread ompt_wait_id_t wanted, held[64];
static __thread int held_count;

static void mutex_acquire(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id, const void *address)
{
    (void)hint;
    CHECK(impl != ompt_mutex_impl_none && id != 0 && address != NULL);
    ompt_wait_id_t waits_for;
    CHECK(get_state(&waits_for) >= ompt_state_wait_mutex && waits_for == id);
    wanted = id;
    note(MUTEX_WAIT + (int)kind);
}

static void mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *address)
{
    CHECK(wanted == id && address != NULL && held_count < 64);
    held[held_count++] = id;
    note(MUTEX_TAKEN + (int)kind);
}

static void mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *address)
{
    CHECK(address != NULL);
    int at = held_count;
    while (at > 0 && held[at - 1] != id)
        at--;
    CHECK(at > 0);
    held[at - 1] = held[--held_count];
    note(MUTEX_GIVEN + (int)kind);
}

static void nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void *address)
{
    CHECK(id != 0 && address != NULL);
    note(endpoint == ompt_scope_begin ? NEST_BEGIN : NEST_END);
}

static void lock_init(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t id, const void *address)
{
    (void)kind, (void)hint, (void)impl;
    CHECK(id != 0 && address != NULL);
    note(LOCK_INIT);
}

static void lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *address)
{
    (void)kind;
    CHECK(id != 0 && address != NULL);
    note(LOCK_DESTROY);
}

static void flush(ompt_data_t *thread, const void *address)
{
    of(THREAD, thread);
    CHECK(address != NULL);
    note(FLUSH);
}

static void cancelled(ompt_data_t *task, int flags, const void *address)
{
    (void)address;
    of(TASK, task);
    CHECK(flags != 0);
    note(CANCEL);
    note_bits(CANCEL_OF, (unsigned)flags, 7);
}

static void error_event(ompt_severity_t severity, const char *message, size_t length, const void *address)
{
    CHECK(severity == ompt_warning && strlen(message) == length && address != NULL);
    note(ERROR_EVENT);
}

#include "record_target.h"

static int control_tool(uint64_t command, uint64_t modifier, void *arg, const void *address)
{
    CHECK(address != NULL);
    note(CONTROL);
    return (int)(command + modifier) + (arg != NULL);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static void at_finalize(void);

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool)
{
    CHECK(device == 0 && tool->value == 42);
    lookup_function = lookup;
    get_thread_data = (ompt_get_thread_data_t)lookup("ompt_get_thread_data");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    get_parallel_info = (ompt_get_parallel_info_t)lookup("ompt_get_parallel_info");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_unique_id = (ompt_get_unique_id_t)lookup("ompt_get_unique_id");
    get_task_memory = (ompt_get_task_memory_t)lookup("ompt_get_task_memory");
    enumerate_states = (ompt_enumerate_states_t)lookup("ompt_enumerate_states");
    enumerate_mutex_impls = (ompt_enumerate_mutex_impls_t)lookup("ompt_enumerate_mutex_impls");
    get_callback = (ompt_get_callback_t)lookup("ompt_get_callback");
    set_callback = (ompt_set_callback_t)lookup("ompt_set_callback");
    finalize_tool = (ompt_finalize_tool_t)lookup("ompt_finalize_tool");
    get_num_procs = (ompt_get_num_procs_t)lookup("ompt_get_num_procs");
    get_target_info = (ompt_get_target_info_t)lookup("ompt_get_target_info");
    CHECK(lookup("ompt_no_such_function") == NULL);
    static const struct {
        ompt_callbacks_t event;
        ompt_callback_t callback;
    } all[] = {
#define SET(name, function) {ompt_callback_##name, (ompt_callback_t)function}
        SET(thread_begin, thread_begin), SET(thread_end, thread_end), SET(parallel_begin, parallel_begin),
        SET(parallel_end, parallel_end), SET(implicit_task, implicit_task), SET(work, work), SET(dispatch, dispatch),
        SET(masked, masked), SET(sync_region, sync_region), SET(sync_region_wait, sync_region_wait),
        SET(reduction, reduction), SET(task_create, task_create), SET(task_schedule, task_schedule),
        SET(dependences, dependences), SET(task_dependence, task_dependence), SET(mutex_acquire, mutex_acquire),
        SET(mutex_acquired, mutex_acquired), SET(mutex_released, mutex_released), SET(nest_lock, nest_lock),
        SET(lock_init, lock_init), SET(lock_destroy, lock_destroy), SET(flush, flush), SET(cancel, cancelled),
        SET(error, error_event), SET(control_tool, control_tool),
        SET(target_emi, target), SET(target_map_emi, target_map), SET(target_submit_emi, target_submit),
        SET(target_data_op_emi, target_data_op)
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        CHECK(set_callback(all[i].event, all[i].callback) == ompt_set_always);
    CHECK(set_callback((ompt_callbacks_t)1000, NULL) == ompt_set_error);
    CHECK(set_callback(ompt_callback_device_load, NULL) == ompt_set_never);
    return 1;
}

static void finalize(ompt_data_t *tool)
{
    CHECK(tool->value == 42);
    note(FINALIZED);
    CHECK(COUNT(FINALIZED) == 1);
    at_finalize();
}

ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {initialize, finalize, {42}};
    CHECK(version >= 201811 && runtime != NULL && runtime[0] != '\0');
    return &result;
}
