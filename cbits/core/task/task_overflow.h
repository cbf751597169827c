/* Ready tasks of a member for which its deque has no room, where the stack is too deep to run them at once: a list of
 * the member's own, the youngest first. Other members do not see it. The owner moves tasks into its deque for them.
 *
 * Everything above the list's length at the start of a task (`overflow_mark`) descends from that task, as in the deque
 * (task_take.c). So a waiter finds a descendant here in O(1), however long the list is.
 *
 * Used by task.c and task_take.c. Covered by test/unit/task.c and test/stress/tasks.sh.
 */
#pragma once

#include "core/sync/task_team.h"
#include "core/task/deque.h"
#include "core/task/task.h"

/* Owner. */
static inline void ghcomp_task_overflow_put(struct ghcomp_member *self, struct ghcomp_task *task)
{
    task->below = self->overflow;
    self->overflow = task;
    self->overflow_count++;
}

/* Owner: the youngest task, if the list is longer than `mark`. */
static inline struct ghcomp_task *ghcomp_task_overflow_pop(struct ghcomp_member *self, uint32_t mark)
{
    struct ghcomp_task *task = self->overflow;
    if (self->overflow_count <= mark)
        return NULL;
    self->overflow = task->below;
    self->overflow_count--;
    return task;
}

/* Owner, whose deque has no task above the current one's mark: the next task of the list, as pop. In a team a few more
   go to the deque, for other members to steal. */
static inline struct ghcomp_task *ghcomp_task_overflow_take(struct ghcomp_member *self, uint32_t mark)
{
    enum { SHARED = 8 };
    struct ghcomp_task *task = ghcomp_task_overflow_pop(self, mark), *more;
    if (task == NULL || self->team->size == 1)
        return task;
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    for (int i = 0; i < SHARED && deque != NULL && (more = ghcomp_task_overflow_pop(self, mark)) != NULL; i++) {
        if (ghcomp_deque_push(deque, more, GHCOMP_DEQUE_SLOTS))
            continue;
        ghcomp_task_overflow_put(self, more);
        break;
    }
    ghcomp_task_team_wake(self->team);
    return task;
}
