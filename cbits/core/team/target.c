/* Target regions on the host.
 *
 * The calling thread runs the region itself, as if it were a new initial thread: with an initial team (level 0), an
 * initial task, the environment's ICVs and a contention group of its own. What it was before is unchanged afterwards.
 * Target regions nest, by way of parallel regions or tasks inside them, so a thread has a stack of the regions that it
 * is in (thread->target.innermost). It keeps the structs of those that it has left: only the first region of each depth
 * costs an allocation. An initial team needs no clean-up between two regions, just as that of an initial thread needs
 * none between two constructs; tasks of the region are complete when it ends.
 *
 * The region borrows the hot teams of the encountering member, which has no region running on them: a parallel region
 * inside gets the same workers as one outside would, and a target region in a loop does not move workers between teams.
 *
 * Called by abi/gomp/gomp_target.c, abi/omp/omp_target.c, abi/omp/omp_interop.c and abi/omp/omp_device.c. Covered by
 * test/conformance/target.
 */
#include "core/team/target.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/team/league.h"
#include "core/team/team.h"
#include "core/tool/tool.h"

/* --- regions ------------------------------------------------------------------------------------------------------ */

static struct ghcomp_target_region *new_region(struct ghcomp_thread *thread)
{
    struct ghcomp_target_region *region = ghcomp_alloc_zeroed(sizeof *region);
    region->team = ghcomp_team_new_initial(thread, &region->self, &region->group);
    return region;
}

static void enter(struct ghcomp_target_region *region, struct ghcomp_member *encountering, uint32_t thread_limit)
{
    struct ghcomp_thread *thread = encountering->thread;
    struct ghcomp_member *self = &region->self;
    struct ghcomp_task *task = &self->implicit;
    region->encountering = encountering;
    region->outer_group = thread->in_group;
    region->next = thread->target.innermost;
    thread->target.innermost = region;
    region->league_told = false;

    region->team->league_num = 0;
    region->team->league_size = 1;
    ghcomp_store_relaxed(&region->team->cancelled, 0u);
    ghcomp_store_relaxed(&region->group.threads, 1u);
    self->task = task;
    ghcomp_store_relaxed(&self->created, 0u);
    ghcomp_store_relaxed(&self->completed, 0u);
    self->chunk_begin = self->chunk_end = self->chunk_count = 0;
    self->place = encountering->place;
    self->partition_first = 0;
    self->partition_len = ghcomp_affinity.places.count;
    task->icv = region->team->icv;
    task->id = 0;
    if (thread_limit != 0)
        ghcomp_icv_own(task)->thread_limit = thread_limit;

    self->hot = encountering->hot;
    self->hot_serial = encountering->hot_serial;
    encountering->hot = encountering->hot_serial = NULL;
    thread->in_group = &region->group;
    ghcomp_self_becomes(self);
}

static void leave(struct ghcomp_target_region *region)
{
    if (ghcomp_unlikely(ghcomp_task_team_pending(&region->self)))
        ghcomp_task_team_join(&region->self);
    if (ghcomp_unlikely(region->self.implicit.table != NULL))
        ghcomp_depend_forget(&region->self.implicit);
    struct ghcomp_member *encountering = region->encountering;
    struct ghcomp_thread *thread = encountering->thread;
    encountering->hot = region->self.hot;
    encountering->hot_serial = region->self.hot_serial;
    region->self.hot = region->self.hot_serial = NULL;
    thread->in_group = region->outer_group;
    thread->target.innermost = region->next;
    region->next = thread->target.spare;
    thread->target.spare = region;
    ghcomp_self_becomes(encountering);
}

/* The region's initial task, told to a tool. Its tasks are complete before its end is told. */
static __attribute__((noinline)) void run_observed(struct ghcomp_target_region *region, void (*fn)(void *), void *data)
{
    ghcomp_tool_initial_begin(&region->self);
    ghcomp_tool_call(fn, data);
    if (ghcomp_task_team_pending(&region->self))
        ghcomp_task_team_join(&region->self);
    ghcomp_league_left(&region->self);
    ghcomp_tool_part_end(&region->self);
    ghcomp_tool_initial_end(&region->self);
}

void ghcomp_target_run(void (*fn)(void *), void *data, uint32_t thread_limit)
{
    struct ghcomp_member *encountering = ghcomp_self();
    struct ghcomp_thread *thread = encountering->thread;
    struct ghcomp_target_region *region = thread->target.spare;
    if (ghcomp_likely(region != NULL))
        thread->target.spare = region->next;
    else
        region = new_region(thread);
    enter(region, encountering, thread_limit);
    if (ghcomp_tool_on())
        run_observed(region, fn, data);
    else
        fn(data);
    leave(region);
}

void ghcomp_target_forget(struct ghcomp_thread *thread)
{
    while (thread->target.spare != NULL) {
        struct ghcomp_target_region *region = thread->target.spare;
        thread->target.spare = region->next;
        free(ghcomp_load_relaxed(&region->self.deque));
        free(region->self.implicit.tool);
        ghcomp_team_free_initial(region->team);
        free(region);
    }
}

void ghcomp_target_depend(bool nowait, void **depend)
{
    struct ghcomp_member *self = ghcomp_self();
    if (depend == NULL || ghcomp_task_refused(self))
        return;
    if (nowait)
        ghcomp_task_wait_depend_nowait(self, depend);
    else
        ghcomp_task_wait_depend(self, depend);
}

/* --- device numbers ----------------------------------------------------------------------------------------------- */

static int default_device(void)
{
    return ghcomp_self()->task->icv->default_device;
}

bool ghcomp_target_is_host(int device)
{
    if (device == GHCOMP_DEVICE_DEFAULT)
        device = default_device();
    if (ghcomp_likely(device == GHCOMP_DEVICE_HOST || device == GHCOMP_DEVICE_INITIAL))
        return true;
    if (ghcomp_global.target_offload == GHCOMP_OFFLOAD_MANDATORY) {
        if (device < 0)
            ghcomp_fatal_compat("OMP_TARGET_OFFLOAD is set to MANDATORY, but only the host device is available");
        ghcomp_fatal_compat("OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found");
    }
    if (device == GHCOMP_DEVICE_INVALID)
        ghcomp_fatal_compat("omp_invalid_device encountered");
    return false;
}

void ghcomp_target_check(int device, bool chosen)
{
    ghcomp_target_is_host(chosen ? device : default_device());
}

/* --- requires ----------------------------------------------------------------------------------------------------- */

enum { REQUIRES_TARGET_USED = 0x200 }; /* by itself: a file with device constructs and without a requires directive */

static const char *require_names(uint32_t mask, char *buffer, size_t size)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } clauses[] = {{0x10, "unified_address"}, {0x20, "unified_shared_memory"},
                   {0x400, "self_maps"}, {0x80, "reverse_offload"}};
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++)
        if (mask & clauses[i].bit)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used > 0 ? ", " : "", clauses[i].name);
    return buffer;
}

void ghcomp_target_require(uint32_t mask)
{
    static _Atomic uint32_t required; /* atomic(relaxed): a word by itself; 0 until an image sets it */
    char one[80], other[80];
    uint32_t before = 0;
    while (mask != 0 && before == 0)
        if (ghcomp_cas_weak_relaxed(&required, &before, mask))
            return;
    if (mask == 0 || before == mask)
        return;
    if (mask == REQUIRES_TARGET_USED || before == REQUIRES_TARGET_USED)
        ghcomp_fatal_compat("OpenMP 'requires' directive with '%s' specified only in some compilation units",
                            require_names(mask | before, one, sizeof one));
    ghcomp_fatal_compat("OpenMP 'requires' directive with non-identical clauses in multiple compilation units: "
                        "'%s' vs. '%s'",
                        require_names(before, one, sizeof one), require_names(mask, other, sizeof other));
}
