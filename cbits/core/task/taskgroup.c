/* Taskgroups: a region of one task whose end waits for all tasks created in it and their descendants.
 *
 * Every explicit task knows the innermost taskgroup that it was created in (task->group). If the group counted each of
 * them, the whole team would contend for one word. Only the *top* ones count, the children that the opener itself
 * creates in the region: one of these is reported when it and all its descendants have ended, which task_life.c knows
 * from its references. `due` belongs to the opener's thread, which subtracts those that end there; the others are
 * reported.
 *
 * The opener's thread takes the group from its free ones and gives it back after the wait. No other thread can still
 * use it: a task's report is its last access, and its descendants have ended before.
 *
 * Called by abi/gomp/gomp_task.c, team.c, taskloop.c, task_reduction.c, task_combine.c. Covered by
 * test/conformance/taskgroup and test/clang/reductions_abandoned.c.
 */
#include "core/task/taskgroup.h"

#include <stdlib.h>

#include "base/check.h"
#include "core/task/task.h"
#include "core/task/task_combine.h"
#include "core/task/task_graph.h"
#include "core/tool/tool.h"
#include "core/tsan/races.h"

static inline struct ghcomp_taskgroup *open_group(struct ghcomp_member *self, const void *filtered)
{
    struct ghcomp_task *task = self->task;
    struct ghcomp_taskgroup **free_groups = &self->thread->memory.taskgroups, *group = *free_groups;
    if (ghcomp_likely(group != NULL))
        *free_groups = group->outer;
    else
        group = ghcomp_alloc_lines(sizeof *group);
    group->outer = task->group;
    group->opener = task;
    group->reductions = NULL;
    group->combine = NULL;
    group->filtered = filtered;
    group->workshare = false;
    group->due = 0;
    ghcomp_store_relaxed(&group->reported, 0u);
    ghcomp_store_relaxed(&group->cancelled, false);
    task->group = group;
    return group;
}

struct ghcomp_taskgroup *ghcomp_taskgroup_start(struct ghcomp_member *self)
{
    if (ghcomp_tool_on())
        ghcomp_tool_group_begin(self);
    return open_group(self, NULL);
}

void ghcomp_taskgroup_start_filtered(struct ghcomp_member *self, const void *return_address)
{
    open_group(self, return_address);
}

/* Recursion opens one group in another: a thread keeps as many as such a program opens and closes again and again. */
static inline void keep_or_free(struct ghcomp_thread *thread, struct ghcomp_taskgroup *group)
{
    enum { MOST = 256 };
    struct ghcomp_taskgroup *kept = thread->memory.taskgroups;
    uint32_t number = kept != NULL ? kept->number : 0;
    if (ghcomp_unlikely(number == MOST)) {
        free(group);
        return;
    }
    group->outer = kept;
    group->number = number + 1;
    thread->memory.taskgroups = group;
}

void ghcomp_taskgroup_forget(struct ghcomp_thread *thread)
{
    struct ghcomp_taskgroup *next;
    for (struct ghcomp_taskgroup *group = thread->memory.taskgroups; group != NULL; group = next) {
        next = group->outer;
        free(group);
    }
}

/* Clang's code leaves a cancelled region without the calls that end its groups and task reductions. */
void ghcomp_taskgroup_abandon(struct ghcomp_team *team)
{
    for (uint32_t i = 0; i < team->size; i++) {
        struct ghcomp_task *implicit = &team->members[i]->implicit;
        for (struct ghcomp_taskgroup *group; (group = implicit->group) != NULL; free(group)) {
            implicit->group = group->outer;
            if (group->combine != NULL)
                ghcomp_combine_abandon(group->combine);
        }
    }
}

static inline void close_group(struct ghcomp_member *self, struct ghcomp_taskgroup *group, uint32_t observers)
{
    ghcomp_races_acquire(observers, ghcomp_races_group(group));
    if (ghcomp_unlikely(group->combine != NULL))
        ghcomp_combine_end(group->combine);
    self->task->group = group->outer;
    keep_or_free(self->thread, group);
}

static __attribute__((noinline, cold)) void end_observed(struct ghcomp_member *self, uint32_t observers)
{
    struct ghcomp_taskgroup *group = self->task->group;
    struct ghcomp_tool_sync sync;
    ghcomp_graph_group_ends(self);
    if (observers & GHCOMP_OBSERVE_TOOL)
        ghcomp_tool_group_wait(self, &sync);
    ghcomp_pending_wait(self, &group->due, &group->reported);
    close_group(self, group, observers);
    if (observers & GHCOMP_OBSERVE_TOOL)
        ghcomp_tool_group_end(self, &sync);
}

void ghcomp_taskgroup_end(struct ghcomp_member *self)
{
    uint32_t observers = ghcomp_observers_now();
    if (ghcomp_observed(observers)) {
        end_observed(self, observers);
        return;
    }
    struct ghcomp_taskgroup *group = self->task->group;
    ghcomp_pending_wait(self, &group->due, &group->reported);
    close_group(self, group, 0);
}

void ghcomp_taskgroup_end_filtered(struct ghcomp_member *self, const void *return_address, void *frame)
{
    struct ghcomp_taskgroup *group = self->task->group;
    struct ghcomp_tool_filtered_wait filtered;
    if (ghcomp_graph_records(self))
        ghcomp_graph_group_ends(self);
    ghcomp_tool_filtered_wait_prepare(&filtered, ompt_sync_region_taskgroup, return_address, frame);
    ghcomp_pending_wait_filtered(self, &group->due, &group->reported, &filtered);
    close_group(self, group, 0);
    if (filtered.began)
        ghcomp_tool_sync_end(self, &filtered.sync);
}

static __attribute__((noinline, cold)) bool paused_observed(struct ghcomp_member *self, struct ghcomp_wait_pause *pause)
{
    struct ghcomp_taskgroup *group = self->task->group;
    struct ghcomp_tool_sync sync;
    ghcomp_tool_group_wait(self, &sync);
    bool over = ghcomp_pending_wait_paused(self, &group->due, &group->reported, pause);
    if (over) {
        close_group(self, group, ghcomp_observers_now());
        ghcomp_tool_group_end(self, &sync);
    } else {
        ghcomp_tool_sync_pause(self, &sync);
    }
    return over;
}

bool ghcomp_taskgroup_end_paused(struct ghcomp_member *self, struct ghcomp_wait_pause *pause)
{
    if (ghcomp_tool_on())
        return paused_observed(self, pause);
    struct ghcomp_taskgroup *group = self->task->group;
    if (!ghcomp_pending_wait_paused(self, &group->due, &group->reported, pause))
        return false;
    close_group(self, group, ghcomp_observers_now());
    return true;
}

bool ghcomp_taskgroup_cancelled(const struct ghcomp_taskgroup *group)
{
    /* A program cannot cancel a group made for a construct's reductions: the one around it counts. */
    for (; group != NULL; group = group->outer) {
        if (ghcomp_load_relaxed(&group->cancelled))
            return true;
        if (!group->workshare)
            break;
    }
    return false;
}
