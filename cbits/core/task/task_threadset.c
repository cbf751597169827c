/* Tasks with a set of threads other than the team's: which threads run them, and where the tasks wait until then.
 *
 * Such a task has the trait THREADSET, and until it starts `mark` says which threads (enum ghcomp_threadset):
 *
 *   TARGET  a thread of no team: aside.c
 *   POOL    the members, or free agents: it has threadset(omp_pool). It lies in the team's queue, in a team of one,
 *           too. When GHCOMP_TASK_QUEUED_MOST tasks for each member are there, the thread that makes one runs it at
 *           once: this bounds memory, and the time that a taskwait looks for its tasks in the queue. In a team of one
 *           that no agent will come to, the thread runs one of its tasks at once, too: it need not come to a scheduling
 *           point.
 *   TEAM    the members alone: a free agent has made it. It lies in the team's queue.
 *
 * A task with the clause is like any other where no agent can come (agents.c), and where a task reduction around it has
 * copies for the team's members alone: those of gcc's code, and those of constructs with the task modifier in a team of
 * one.
 *
 * Called by task.c, taskloop.c, abi/kmp. Covered by test/unit/agents.c, test/clang/free_agents*.c. */
#include "core/state/settings.h"
#include "core/sync/eventcount.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/task/task_defer.h"
#include "core/task/taskgroup.h"
#include "core/team/left.h"

static bool reductions_allow(const struct ghcomp_taskgroup *group)
{
    for (; group != NULL; group = group->outer)
        if (group->reductions != NULL || (group->workshare && group->combine == NULL))
            return false;
    return true;
}

bool ghcomp_threadset_applies(struct ghcomp_member *self, struct ghcomp_task *task)
{
    bool agent = ghcomp_agent(self);
    if (task->mark == GHCOMP_THREADSET_TEAM)
        return true;
    if (ghcomp_agents_may_come(self) && reductions_allow(task->group))
        return true;
    if (agent)
        task->mark = GHCOMP_THREADSET_TEAM;
    else
        task->traits &= (uint16_t)~GHCOMP_TASK_THREADSET;
    return agent;
}

struct ghcomp_task *ghcomp_threadset_place(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_team *team = self->team;
    uint32_t count = ghcomp_task_queue_length(team);
    bool pool = task->mark == GHCOMP_THREADSET_POOL;
    bool nests = ghcomp_task_may_nest(self, ghcomp_load_relaxed(&self->task->depth), GHCOMP_TASK_NESTED);
    if (pool && nests && count >= GHCOMP_TASK_QUEUED_MOST * team->size && ghcomp_settings.task_throttling)
        return task;
    ghcomp_task_queue_put(team, task);
    ghcomp_task_team_wake(team);
    if (!pool)
        ghcomp_task_throttle(self);
    else if (!ghcomp_agents_call(self) && team->size == 1 && nests)
        return ghcomp_task_queue_get_pool(team, self->task);
    return NULL;
}

bool ghcomp_threadset_ready(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    if (task->mark == GHCOMP_THREADSET_TARGET)
        return ghcomp_aside_start(self, team, task);
    bool pool = task->mark == GHCOMP_THREADSET_POOL;
    if (self == NULL) {
        if (pool)
            ghcomp_left_put(team, task);
        else
            ghcomp_task_queue_put(team, task);
        ghcomp_eventcount_notify(team);
        return true;
    }
    ghcomp_task_queue_put(team, task);
    ghcomp_task_team_wake(team);
    if (pool)
        ghcomp_agents_call(self);
    return true;
}
