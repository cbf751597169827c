/* References to tasks' structs, and freeing them. Protocol in task_life.h.
 *
 * Called by task.c and task_run.c. Covered by test/unit/task.c and test/stress/tasks.sh.
 */
#include "core/task/task_life.h"

#include <stdlib.h>

#include "core/sync/lock.h"
#include "core/sync/task_team.h"
#include "core/task/task_heap.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool.h"
#include "core/tsan/races.h"

uint32_t ghcomp_task_id(struct ghcomp_task *task)
{
    static _Atomic uint32_t last; /* atomic(relaxed): only the numbers differ */
    while (task->id == 0)
        task->id = (ghcomp_add_relaxed(&last, 1u) + 1) & ~GHCOMP_LOCK_OF_THREAD;
    return task->id;
}

void ghcomp_task_move_living(struct ghcomp_task *task)
{
    ghcomp_add_relaxed(&task->refcount, task->living / 2); /* relaxed: the executor's own reference keeps the task */
    task->living = 1;
}

static inline void refer(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (ghcomp_task_counts_itself(self, task))
        ghcomp_task_add_living(task);
    else
        ghcomp_add_relaxed(&task->refcount, 1u); /* relaxed: the caller's other reference keeps the task alive */
}

static __attribute__((noinline)) void release_more(struct ghcomp_task *task)
{
    if (task->traits & GHCOMP_TASK_RACES)
        ghcomp_races_task_free(task->traits & GHCOMP_TASK_BIG ? ghcomp_task_heap_memory(task) : NULL);
    else if (task->traits & GHCOMP_TASK_BIG)
        free(ghcomp_task_heap_memory(task));
    if (task->traits & GHCOMP_TASK_REPORTED)
        ghcomp_tool_task_free(task);
}

/* Makes the struct what a free one is. */
static inline void reset(struct ghcomp_task *task)
{
    if (task->living != 0) {
        ghcomp_store_relaxed(&task->refcount, GHCOMP_TASK_REFERENCES_RUNNING);
        ghcomp_store_relaxed(&task->reported, 0u);
        ghcomp_store_relaxed(&task->ended, false);
    }
    if (ghcomp_unlikely(task->traits & (GHCOMP_TASK_BIG | GHCOMP_TASK_REPORTED)))
        release_more(task);
}

bool ghcomp_task_end_unreferenced(struct ghcomp_task *task)
{
    uint32_t taken = (uint32_t)((int32_t)task->living >> 1);
    if (ghcomp_load_acquire(&task->refcount) + taken != GHCOMP_TASK_REFERENCES_RUNNING)
        return false;
    if (task->table != NULL)
        ghcomp_depend_forget(task);
    reset(task);
    ghcomp_task_heap_put_own(task);
    return true;
}

/* Whether the memory of a detachable task stays when its last reference is released. */
static __attribute__((noinline, cold)) bool stays(struct ghcomp_task *task)
{
    uint32_t before = ghcomp_or_acqrel(&task->event, (uint32_t)GHCOMP_EVENT_RELEASED);
    if ((before & (GHCOMP_EVENT_DISCARDED | GHCOMP_EVENT_FULFILLED)) == GHCOMP_EVENT_DISCARDED)
        return true;
    ghcomp_store_relaxed(&task->event, 0u);
    return false;
}

static inline void free_task(struct ghcomp_thread *thread, struct ghcomp_task *task)
{
    reset(task);
    ghcomp_task_heap_put(thread, task);
}

void ghcomp_task_free_discarded(struct ghcomp_task *task)
{
    struct ghcomp_member *self = ghcomp_self_member;
    ghcomp_store_relaxed(&task->event, 0u);
    free_task(self == NULL ? NULL : self->thread, task);
}

void ghcomp_task_release(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    for (;;) {
        struct ghcomp_task *parent = ghcomp_load_relaxed(&task->parent);
        uint32_t depth = ghcomp_load_relaxed(&task->depth);
        if (task->traits & GHCOMP_TASK_TOP) {
            struct ghcomp_taskgroup *group = task->group;
            if (group->opener->executor == self)
                group->due--;
            else
                ghcomp_pending_report(team, &group->reported);
        }
        if (ghcomp_likely(!(task->traits & GHCOMP_TASK_DETACHABLE)) || !stays(task))
            free_task(self == NULL ? NULL : self->thread, task);
        if (depth == 1 || !ghcomp_task_give_back(self, parent))
            return;
        task = parent;
    }
}

void ghcomp_task_move_up(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_task *parent;
    while (ghcomp_load_relaxed(&task->depth) > 1 &&
           ghcomp_load_acquire(&(parent = ghcomp_load_relaxed(&task->parent))->ended)) {
        struct ghcomp_task *above = ghcomp_load_relaxed(&parent->parent);
        uint32_t depth = ghcomp_load_relaxed(&parent->depth);
        if (depth > 1)
            refer(self, above);
        if (parent->traits & GHCOMP_TASK_TOP) {
            struct ghcomp_taskgroup *group = task->group;
            task->traits |= GHCOMP_TASK_TOP;
            if (group->opener->executor == self)
                group->due++;
            else
                ghcomp_sub_relaxed(&group->reported, 2u); /* one report fewer; the parent's own comes later */
        }
        task->traits &= (uint16_t)~GHCOMP_TASK_CHILD;
        ghcomp_store_relaxed(&task->parent, above);
        ghcomp_store_relaxed(&task->depth, depth);
        if (ghcomp_task_give_back(self, parent))
            ghcomp_task_release(self, self->team, parent);
    }
}
