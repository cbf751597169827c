/* Tasks that run at once on the thread that makes them, inline in GOMP_task, and what every task takes over from its
 * parent (ghcomp_task_start_in: ICVs, taskgroup, whether it is final).
 *
 * Most such tasks have no children: then no other thread sees them, and the struct only serves as the current task. The
 * task takes the reference to its parent afterwards, if references to itself remain. No call precedes the task's
 * function, and gcc compiles no call with arguments in memory as a jump: so gcc keeps only those arguments of the
 * function in registers that the call of the task needs, and a task costs one set of saved registers.
 *
 * Called by abi/gomp/gomp_task.c and task.c. Covered by test/unit/{task,task_narrow}.c, test/conformance/task.
 */
#pragma once

#include "core/task/task.h"
#include "core/task/task_heap.h"

/* Sets the fields that a task inherits from its parent. */
static inline void ghcomp_task_start_in(struct ghcomp_task *task, struct ghcomp_task *parent, unsigned flags)
{
    if (ghcomp_likely(parent->icv != &parent->own)) {
        task->icv = parent->icv;
    } else {
        task->own = parent->own;
        task->icv = &task->own;
    }
    ghcomp_store_relaxed(&task->parent, parent);
    task->group = parent->group;
    task->due = 0;
    task->living = 0;
    ghcomp_store_relaxed(&task->depth, ghcomp_load_relaxed(&parent->depth) + 1);
    task->final = parent->final || (flags & GHCOMP_TASK_FLAG_FINAL) != 0;
}

/* The member begins to execute the task: from here on, what lies above these marks in its deque and in its overflow
   list descends from the task (task_take.c, task_overflow.h). Every explicit task passes here before its function is
   called. */
static inline void ghcomp_task_set_marks(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    task->executor = self;
    task->mark = deque != NULL ? ghcomp_load_relaxed(&deque->bottom) : 0;
    task->overflow_mark = self->overflow_next;
}

/* The slow paths, in task.c. refill: the thread has no free block. end: the task has had children. put_off: the
   implicit task of a team of one may have deferred tasks. */
void ghcomp_task_refill_and_run_now(void (*fn)(void *), void *data, struct ghcomp_member *self, unsigned flags)
    __attribute__((cold));
void ghcomp_task_end_with_children(struct ghcomp_member *self, struct ghcomp_task *parent, struct ghcomp_task *task);
void ghcomp_task_run_put_off(struct ghcomp_member *self);

/* A team of one defers tasks only to bound the stack, or because they had to wait. When a child of its implicit task
   has ended, the stack has room for them. */
static inline void ghcomp_task_after(struct ghcomp_member *self, const struct ghcomp_task *current)
{
    if (ghcomp_load_relaxed(&current->depth) == 0 && ghcomp_load_relaxed(&self->deque) != NULL &&
        self->team->size == 1)
        ghcomp_task_run_put_off(self);
}

static inline __attribute__((always_inline)) void
ghcomp_task_run_now_inline(void (*fn)(void *), void *data, struct ghcomp_member *self, unsigned flags)
{
    struct ghcomp_task *parent = self->task;
    struct ghcomp_task *task = ghcomp_task_heap_have(self->thread);
    if (ghcomp_unlikely(task == NULL)) {
        ghcomp_task_refill_and_run_now(fn, data, self, flags);
        return;
    }
    task->traits = 0;
    ghcomp_task_start_in(task, parent, flags);
    ghcomp_task_set_marks(self, task);
    self->task = task;
    fn(data);
    self->task = parent;
    if (ghcomp_likely(task->living == 0))
        ghcomp_task_heap_put_own(task);
    else
        ghcomp_task_end_with_children(self, parent, task);
    ghcomp_task_after(self, parent);
}

/* The whole construct of a task without dependences, event, priority and constructors, by an entry that has found it
   ghcomp_task_fast; or a tool is the only observer, and its filter gave credit. */
static inline __attribute__((always_inline)) void
ghcomp_task_encounter_fast(void (*fn)(void *), void *data, struct ghcomp_member *self, size_t bytes, size_t align,
                           bool if_clause, unsigned flags)
{
    if (ghcomp_task_surely_runs_now(self, if_clause))
        ghcomp_task_run_now_inline(fn, data, self, flags);
    else
        ghcomp_task_defer_fast(fn, data, self, bytes, align, flags);
}
