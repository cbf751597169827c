/* A member's own list of ready tasks for which its deque has no room and which are not to run at once (the stack is too
 * deep, tasks are not throttled, or another task's end has made them ready), the youngest first. Other members do not
 * see it. The owner moves tasks into its deque for them.
 *
 * Tasks in the list are numbered upwards. A task in it has its number in `overflow_mark`, and a task that starts has
 * the next one. So everything that was put there after a task's start has that task's number or a higher one, and
 * descends from it, as in the deque (task_take.c): a waiter finds a descendant here in O(1), however long the list is.
 * Taking the youngest task frees its number for the next one; otherwise a task that lives for long could use the
 * numbers up. (The next number never sinks below the mark of a started task, since that takes only tasks that came
 * after its start.) Others may be taken out from below (ghcomp_task_overflow_before): the numbers of the rest do not
 * change. They are compared as differences, and wrap.
 *
 * Used by task.c and task_take.c. Covered by test/unit/task.c and test/stress/tasks.sh.
 */
#pragma once

#include "core/sync/task_team.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"

/* Owner. */
static inline void ghcomp_task_overflow_put(struct ghcomp_member *self, struct ghcomp_task *task)
{
    task->below = self->overflow;
    task->overflow_mark = self->overflow_next++;
    self->overflow = task;
}

/* Owner: the youngest task that was put there after the start of `since`, or the youngest of all if that is NULL. */
static inline struct ghcomp_task *ghcomp_task_overflow_pop(struct ghcomp_member *self, const struct ghcomp_task *since)
{
    struct ghcomp_task *task = self->overflow;
    if (task == NULL || (since != NULL && (int32_t)(task->overflow_mark - since->overflow_mark) < 0))
        return NULL;
    self->overflow = task->below;
    self->overflow_next = task->overflow_mark;
    return task;
}

/* Owner: the youngest task that ghcomp_depend_before says comes before the current one. */
static inline struct ghcomp_task *ghcomp_task_overflow_before(struct ghcomp_member *self)
{
    for (struct ghcomp_task **at = &self->overflow, *task; (task = *at) != NULL; at = &task->below)
        if (ghcomp_depend_before(task, self->task)) {
            *at = task->below;
            return task;
        }
    return NULL;
}

/* Owner, whose deque has no task above the current one's mark: the next task of the list, as pop. In a team a few more
   go to the deque, for other members to steal. */
static inline struct ghcomp_task *ghcomp_task_overflow_take(struct ghcomp_member *self, const struct ghcomp_task *since)
{
    enum { SHARED = 8 };
    struct ghcomp_task *task = ghcomp_task_overflow_pop(self, since), *more;
    if (task == NULL || self->team->size == 1)
        return task;
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    for (int i = 0; i < SHARED && deque != NULL && (more = ghcomp_task_overflow_pop(self, since)) != NULL; i++) {
        if (ghcomp_deque_push(deque, more, deque->mask + 1))
            continue;
        ghcomp_task_overflow_put(self, more);
        break;
    }
    ghcomp_task_team_wake(self->team);
    return task;
}
