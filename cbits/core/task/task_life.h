/* How long a task's struct lives. For task.c and task_run.c.
 *
 * Children refer to their parent, whose struct must outlive them: each child has a reference to it. The executor counts
 * the children's references that it takes or returns itself in `living` (twice the number, plus one: "had children", so
 * that tasks without children need not read the rest). Those that other threads take or return are counted in
 * `refcount`, which starts at REFERENCES_RUNNING. When the task's function has returned, the executor adds the two up:
 *
 *     refcount += living / 2 - REFERENCES_RUNNING
 *
 * From then on all threads count in `refcount`. The thread that brings it to zero (sub_acqrel; all accesses through the
 * other references happen before that) frees the struct and returns the task's reference to its own parent. Until the
 * event of a detachable task is fulfilled, the task has a reference to itself.
 *
 * A task that runs at once has no reference to its parent while it runs, and takes one at its end if references to
 * itself remain. Otherwise it is freed there and then (load_acquire of refcount, pairs with the sub_acqrel of the other
 * threads): without a reference none can be obtained. It does not set "had children" in its parent: otherwise one
 * deferred task would make all its ancestors take the slower path.
 *
 * A chain of tasks, each created by the one before, would keep all its ancestors allocated. So a task that starts and
 * finds that its parent has ended (`ended`) becomes the child of the nearest ancestor that has not, and the duty to
 * report to the taskgroup moves with it. It still descends from all its ancestors that still run. `ended` may be read
 * too early: then the next task moves further.
 */
#pragma once

#include "core/task/task.h"
#include "core/task/taskdep.h"

/* Bits of a detachable task's event (task_run.c). The last two are for tasks that have been discarded. Such a task is
   complete without its event, but a thread may still fulfil that, so the struct and its data stay until then: the
   later one of the release of the last reference and of the fulfilment (or_acqrel) frees them. A task whose event is
   never fulfilled keeps its memory. */
enum {
    GHCOMP_EVENT_OVER = 1,      /* the function has returned */
    GHCOMP_EVENT_FULFILLED = 2,
    GHCOMP_EVENT_DISCARDED = 4, /* the function has not run, and will not */
    GHCOMP_EVENT_RELEASED = 8   /* no reference is left */
};
/* Frees the memory of such a task. Any thread. */
void ghcomp_task_free_discarded(struct ghcomp_task *task) __attribute__((cold));

/* `living` has 31 bits, and other threads take what it counts from `refcount`, which starts at REFERENCES_RUNNING: so
   it is moved there long before either ends. A task may make more than 2^30 children in its life. */
void ghcomp_task_move_living(struct ghcomp_task *task) __attribute__((cold));
/* No reference to the task is left: frees it, and then its parent, if the task's was the last reference to that. `self`
   is the calling thread's member of `team`, which is the task's, or NULL. */
void ghcomp_task_release(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task);
/* The function of a task that ran at once on the calling thread has returned, and it has no reference to its parent.
   True: no reference to it is left, and it is freed. */
bool ghcomp_task_end_unreferenced(struct ghcomp_task *task);
/* Makes the nearest ancestor that has not ended the parent of the task, which is about to start. */
void ghcomp_task_move_up(struct ghcomp_member *self, struct ghcomp_task *task);

static inline bool ghcomp_task_counts_itself(const struct ghcomp_member *self, struct ghcomp_task *task)
{
    return task->executor == self && !ghcomp_load_relaxed(&task->ended);
}

/* The executor takes a child's reference. */
static inline void ghcomp_task_add_living(struct ghcomp_task *task)
{
    task->living = (task->living + 2) | 1;
    if (ghcomp_unlikely((int32_t)task->living >= GHCOMP_TASK_LIVING_MOST))
        ghcomp_task_move_living(task);
}

/* Returns a child's reference; true: it was the last one. */
static inline bool ghcomp_task_give_back(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (ghcomp_task_counts_itself(self, task)) {
        task->living -= 2;
        return false;
    }
    return ghcomp_sub_acqrel(&task->refcount, 1u) == 1;
}

/* The function of the task has returned; `extra` references to it are left besides its children's. */
static inline void ghcomp_task_end(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task,
                                   uint32_t extra)
{
    if (ghcomp_likely(task->living == 0 && extra == 0)) {
        ghcomp_task_release(self, team, task);
        return;
    }
    task->living |= 1;
    if (task->table != NULL)
        ghcomp_depend_forget(task);
    ghcomp_store_release(&task->ended, true);
    /* Below zero when the executor returned references that other threads took. */
    uint32_t change = (uint32_t)((int32_t)task->living >> 1) + extra - GHCOMP_TASK_REFERENCES_RUNNING;
    if (ghcomp_add_acqrel(&task->refcount, change) + change == 0)
        ghcomp_task_release(self, team, task);
}
