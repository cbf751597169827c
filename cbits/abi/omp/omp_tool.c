/* The interface for a tool: ompt_start_tool, the functions that a tool looks up by name, omp_control_tool (OpenMP 5.2,
 * sections 19.6 and 3.14). The events, and the records and frames that these functions hand out: core/tool/tool.c and
 * tool_task.c. Covered by test/ompt. */
#include <omp-tools.h>
#include <sched.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/observed/control_tool.h"
#include "core/team/offload.h"
#include "core/tool/tool_filter.h"
#include "ghcomp.h"

/* --- threads, regions and tasks ----------------------------------------------------------------------------------- */

/* The calling thread's record; NULL for a thread that has not been reported. */
static struct ghcomp_tool_thread *thread_record(void)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL && ghcomp_tool_active() ? self->thread->tool : NULL;
}

/* The calling thread's member, if it is in a region; NULL otherwise, because the team of a worker that has left its
   region may not exist any more. A tool may call this in a signal handler at any moment, so it makes no record for a
   member that has none. */
static const struct ghcomp_member *member_in_region(void)
{
    const struct ghcomp_tool_thread *thread = thread_record();
    return thread != NULL && thread->state != ompt_state_idle ? ghcomp_self_member : NULL;
}

static ompt_data_t *get_thread_data(void)
{
    struct ghcomp_tool_thread *thread = thread_record();
    return thread != NULL ? &thread->data : NULL;
}

static int get_state(ompt_wait_id_t *wait_id)
{
    const struct ghcomp_tool_thread *thread = thread_record();
    if (wait_id != NULL)
        *wait_id = thread != NULL ? thread->wait_id : 0;
    return thread != NULL ? (int)thread->state : 0;
}

static int get_parallel_info(int ancestor_level, ompt_data_t **parallel_data, int *team_size)
{
    const struct ghcomp_member *self = member_in_region();
    if (self == NULL || ancestor_level < 0)
        return 0;
    const struct ghcomp_team *team = self->team;
    for (; ancestor_level > 0 && team != NULL; ancestor_level--)
        team = team->parent != NULL ? team->parent->team : NULL;
    if (team == NULL || team->tool == NULL)
        return 0;
    if (parallel_data != NULL)
        *parallel_data = &team->tool->data;
    if (team_size != NULL)
        *team_size = (int)team->size;
    return 2;
}

static int get_task_info(int ancestor_level, int *flags, ompt_data_t **task_data, ompt_frame_t **task_frame,
                         ompt_data_t **parallel_data, int *thread_num)
{
    const struct ghcomp_member *self = member_in_region();
    if (self == NULL || ancestor_level < 0)
        return 0;
    struct ghcomp_tool_task *task = self->task->tool;
    if (task == NULL)
        return ancestor_level == 0; /* a task without a record */
    for (; ancestor_level > 0 && task != NULL; ancestor_level--)
        task = task->around;
    if (task == NULL)
        return 0;
    if (flags != NULL)
        *flags = task->flags;
    if (task_data != NULL)
        *task_data = &task->data;
    if (task_frame != NULL)
        *task_frame = &task->frame;
    if (parallel_data != NULL)
        *parallel_data = task->region != NULL ? &task->region->data : NULL;
    if (thread_num != NULL)
        *thread_num = (int)task->thread_num;
    return 2;
}

/* Returns the memory of the current task's data, which is one block. */
static int get_task_memory(void **addr, size_t *size, int block)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    *addr = NULL;
    *size = 0;
    if (member_in_region() == NULL || block != 0 || self->task == &self->implicit || self->task->tool == NULL)
        return 0;
    *addr = self->task->data;
    *size = self->task->tool->memory;
    return 0;
}

static int get_target_info(uint64_t *device_num, ompt_id_t *target_id, ompt_id_t *host_op_id)
{
    const struct ghcomp_tool_thread *thread = thread_record();
    if (thread == NULL || thread->target == NULL)
        return 0;
    *device_num = (uint64_t)ghcomp_tool_own.device;
    *target_id = thread->target->id;
    *host_op_id = thread->target->operation;
    return 1;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

static int get_num_places(void)
{
    return ghcomp_tool_active() ? ghcomp_omp_get_num_places_45() : 0;
}

static int get_place_proc_ids(int place_num, int ids_size, int *ids)
{
    if (!ghcomp_tool_active() || place_num < 0 || place_num >= ghcomp_omp_get_num_places_45())
        return 0;
    int count = ghcomp_omp_get_place_num_procs_45(place_num);
    if (ids_size >= count && ids != NULL)
        ghcomp_omp_get_place_proc_ids_45(place_num, ids);
    return count;
}

static int get_place_num(void)
{
    return thread_record() != NULL ? ghcomp_omp_get_place_num_45() : -1;
}

static int get_partition_place_nums(int place_nums_size, int *place_nums)
{
    if (thread_record() == NULL)
        return 0;
    int count = ghcomp_omp_get_partition_num_places_45();
    if (place_nums_size >= count && place_nums != NULL)
        ghcomp_omp_get_partition_place_nums_45(place_nums);
    return count;
}

static int get_proc_id(void)
{
    return thread_record() != NULL ? sched_getcpu() : -1;
}

static int get_num_devices(void)
{
    return 1; /* the host */
}

/* --- names and ids ------------------------------------------------------------------------------------------------ */

struct name {
    int value;
    const char *name;
};

static int next_name(const struct name *names, size_t count, int current, int *next, const char **name)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (names[i].value == current) {
            *next = names[i + 1].value;
            *name = names[i + 1].name;
            return 1;
        }
    return 0;
}

#define STATE(state) {ompt_state_##state, "ompt_state_" #state}
static const struct name states[] = {
    STATE(undefined), STATE(work_serial), STATE(work_parallel), STATE(work_reduction), STATE(wait_barrier),
    STATE(wait_barrier_implicit_parallel), STATE(wait_barrier_implicit_workshare), STATE(wait_barrier_implicit),
    STATE(wait_barrier_explicit), STATE(wait_barrier_implementation), STATE(wait_barrier_teams), STATE(wait_taskwait),
    STATE(wait_taskgroup), STATE(wait_mutex), STATE(wait_lock), STATE(wait_critical), STATE(wait_atomic),
    STATE(wait_ordered), STATE(wait_target), STATE(wait_target_map), STATE(wait_target_update), STATE(idle),
    STATE(overhead)};

static int enumerate_states(int current_state, int *next_state, const char **next_state_name)
{
    return next_name(states, sizeof states / sizeof states[0], current_state, next_state, next_state_name);
}

static const struct name impls[] = {{ompt_mutex_impl_none, "none"}, {1, "futex"}};

static int enumerate_mutex_impls(int current_impl, int *next_impl, const char **next_impl_name)
{
    return next_name(impls, sizeof impls / sizeof impls[0], current_impl, next_impl, next_impl_name);
}

static uint64_t get_unique_id(void)
{
    return ghcomp_tool_unique();
}

/* --- callbacks ---------------------------------------------------------------------------------------------------- */

/* Whether the event can never occur: events of devices without libomptarget, since then the host is the only device,
   and always present. */
static bool never(int event)
{
    if (ghcomp_offload_find("ompt_libomptarget_connect") != NULL)
        return false;
    switch (event) {
    case ompt_callback_device_initialize:
    case ompt_callback_device_finalize:
    case ompt_callback_device_load:
    case ompt_callback_device_unload:
        return true;
    default:
        return false;
    }
}

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
    if (!ghcomp_tool_set_callback((int)event, callback))
        return ompt_set_error;
    return never((int)event) ? ompt_set_never : ompt_set_always;
}

static int get_callback(ompt_callbacks_t event, ompt_callback_t *callback)
{
    ompt_callback_t is = ghcomp_tool_active() ? ghcomp_tool_callback((int)event) : NULL;
    if (is == NULL)
        return 0;
    *callback = is;
    return 1;
}

static void finalize_tool(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    if (!ghcomp_tool_active())
        return;
    if (self != NULL && self->team->parent == NULL && self != &self->thread->idle)
        ghcomp_tool_initial_end(self);
    if (self != NULL)
        ghcomp_tool_thread_end(self->thread);
    ghcomp_tool_stop();
}

static int set_task_filter(ghcomp_task_filter_t filter)
{
    return ghcomp_tool_set_filter(filter);
}

static int set_region_filter(ghcomp_region_filter_t filter)
{
    return ghcomp_tool_set_region_filter(filter);
}

static ompt_interface_fn_t lookup(const char *name)
{
    static const struct {
        const char *name;
        ompt_interface_fn_t function;
    } functions[] = {
#define FUNCTION(function) {"ompt_" #function, (ompt_interface_fn_t)function}
        FUNCTION(enumerate_states), FUNCTION(enumerate_mutex_impls), FUNCTION(set_callback), FUNCTION(get_callback),
        FUNCTION(get_thread_data), FUNCTION(get_num_places), FUNCTION(get_place_proc_ids), FUNCTION(get_place_num),
        FUNCTION(get_partition_place_nums), FUNCTION(get_proc_id), FUNCTION(get_state), FUNCTION(get_parallel_info),
        FUNCTION(get_task_info), FUNCTION(get_task_memory), FUNCTION(get_target_info), FUNCTION(get_num_devices),
        FUNCTION(get_unique_id), FUNCTION(finalize_tool),
        {"ompt_get_num_procs", (ompt_interface_fn_t)ghcomp_omp_get_num_procs_10},
        {"ghcomp_set_task_filter", (ompt_interface_fn_t)set_task_filter},
        {"ghcomp_set_region_filter", (ompt_interface_fn_t)set_region_filter}
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            return functions[i].function;
    return NULL;
}

/* --- exported ----------------------------------------------------------------------------------------------------- */

static ompt_start_tool_result_t *no_tool(unsigned version, const char *runtime)
{
    (void)version, (void)runtime;
    return NULL;
}

/* A tool's function of this name replaces it. It is exported so that the linker also exports a program's own. */
struct ompt_start_tool_result_t *ompt_start_tool(unsigned omp_version, const char *runtime_version)
    __attribute__((weak, alias("no_tool"), visibility("default")));

enum { NO_TOOL = -2, NO_CALLBACK = -1 };

int ghcomp_control_tool(int command, int modifier, void *arg, const void *return_address, void *frame)
{
    struct ghcomp_member *self = ghcomp_self_of_caller();
    ompt_callback_control_tool_t callback;
    if (!ghcomp_tool_active())
        return NO_TOOL;
    callback = (ompt_callback_control_tool_t)ghcomp_tool_callback(ompt_callback_control_tool);
    if (callback == NULL)
        return NO_CALLBACK;
    struct ghcomp_tool_task *task = ghcomp_tool_current(self);
    task->frame.enter_frame.ptr = frame;
    task->frame.enter_frame_flags = GHCOMP_TOOL_FRAME;
    int result = callback((uint64_t)(int64_t)command, (uint64_t)(int64_t)modifier, arg, return_address);
    task->frame.enter_frame.ptr = NULL;
    return result;
}

int omp_control_tool(int command, int modifier, void *arg)
{
    return ghcomp_control_tool(command, modifier, arg, __builtin_return_address(0), __builtin_dwarf_cfa());
}

/* gfortran's interface has no third argument; that of libomp's version, for flang and others, has one. */
int ghcomp_omp_control_tool__60(const int32_t *command, const int32_t *modifier)
{
    return ghcomp_control_tool(*command, *modifier, NULL, __builtin_return_address(0), __builtin_dwarf_cfa());
}

int omp_control_tool_8_(const int32_t *command, const int64_t *modifier)
{
    return ghcomp_control_tool(*command, (int)*modifier, NULL, __builtin_return_address(0), __builtin_dwarf_cfa());
}

__attribute__((constructor(101))) static void tool_init(void)
{
    ghcomp_tool_own = (struct ghcomp_tool_own){lookup, ompt_start_tool, no_tool,
                                               "ghc-openmp " GHCOMP_VERSION, 0};
}

GHCOMP_ABI_OBJECT(omp_tool);
