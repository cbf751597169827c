/* Whether a task is deferred or runs at once on the thread that makes it. The rules are at the head of task.c.
 *
 * Five predicates decide it. Each of the first three may be false where the next one is true:
 *
 *     ghcomp_task_runs_in_any_case   by what the task and its team are
 *     ghcomp_task_surely_runs_now    ... or too many tasks wait, by the owner's last value of the deque's top
 *     ghcomp_task_runs_now           ... or too many tasks wait, by a new load of it (ghcomp_task_full)
 *     ghcomp_task_may_nest           whether the stack has room for a task that runs at once
 *     ghcomp_task_depends_on_none    whether the dependences of a task that runs in any case have no effect
 *
 * All are for the calling thread's own member and deque. Called by task.c, task_now.h, task_take.c, taskloop.c,
 * abi/gomp/gomp_task.c, abi/kmp/kmp_task_depend.c, haskell/task.c. Covered by test/unit/{task,task_narrow}.c.
 */
#pragma once

#include "base/machine.h"
#include "core/state/settings.h"
#include "core/state/types.h"
#include "core/task/deque.h"

/* The tasks, for each member, that wait in the team's queue before a producer runs the next one at once: those with a
   priority, and those of omp_pool. */
enum { GHCOMP_TASK_QUEUED_MOST = 256 };

/* How deep tasks that run at once may nest before tasks are deferred, to bound the stack: in a team of one, and where
   the deque is full. (A thread runs only descendants of the tasks that it has suspended, so its stack has at most as
   many tasks as the current task is deep.) Deferring bounds the stack of chains of tasks, each made by the one before.
   It does not if the tasks wait for their children: a wait runs the deferred ones all the same, on more stack than they
   would have taken at once. So below these depths, too, a task runs at once if the thread's stack is known to have room
   for it: no deeper than a wait has run tasks before, and at addresses that such waits have reached. */
enum { GHCOMP_TASK_NESTED_ALONE = 64, GHCOMP_TASK_NESTED = 512 };
static inline bool ghcomp_task_stack_known(const struct ghcomp_member *self, uint32_t depth)
{
    const struct ghcomp_thread_nesting *nesting = &self->thread->nesting;
    return depth <= nesting->depth && ghcomp_machine_stack() - nesting->lowest < nesting->extent;
}
static inline bool ghcomp_task_may_nest(const struct ghcomp_member *self, uint32_t depth, uint32_t nested)
{
    return ghcomp_likely(depth < nested) || ghcomp_task_stack_known(self, depth);
}

/* Records the stack of the current task's wait, which is about to run a task. */
static inline void ghcomp_task_stack_note(struct ghcomp_member *self)
{
    struct ghcomp_thread_nesting *nesting = &self->thread->nesting;
    uint32_t depth = ghcomp_load_relaxed(&self->task->depth);
    if (ghcomp_likely(depth < GHCOMP_TASK_NESTED_ALONE))
        return;
    uintptr_t stack = ghcomp_machine_stack();
    uintptr_t highest = nesting->depth != 0 ? nesting->lowest + nesting->extent : stack;
    if (nesting->depth == 0 || stack < nesting->lowest)
        nesting->lowest = stack;
    nesting->extent = (stack > highest ? stack : highest) - nesting->lowest;
    if (nesting->depth < depth)
        nesting->depth = depth;
}

/* Tasks that a deque's owner runs between two measurements of how long they take. */
enum { GHCOMP_TASK_GAUGED = 16 };
/* After ghcomp_task_surely_runs_now was false: whether the deque is full nevertheless. */
bool ghcomp_task_full(struct ghcomp_member *self, struct ghcomp_deque *deque);
/* The owner has run GHCOMP_TASK_GAUGED tasks since the last call: decides how many may lie in its deque. */
void ghcomp_task_gauge(struct ghcomp_deque *deque);

/* How many tasks may lie in a member's deque, by the size of its team. A program may make tasks for certain threads,
   have them wait for each other, or rely on their order (task_take.c), so it may need them to wait. The limit is
   libgomp's, one more than 64 for each member, or libomp's, 256 of one maker, whichever is larger. Of tiny tasks near
   the root of a tree it is libgomp's. Of those in a deep tree a few are enough, GHCOMP_TASK_LEAST and one for each
   member, and in a narrow one it is one. */
enum { GHCOMP_TASK_EACH = 64, GHCOMP_TASK_ROOM_LEAST = 256, GHCOMP_TASK_DEEP = 3, GHCOMP_TASK_LEAST = 2 };
static inline struct ghcomp_task_room ghcomp_task_room_of(uint32_t size)
{
    if (size >= GHCOMP_DEQUE_SLOTS / GHCOMP_TASK_EACH) {
        uint32_t most = GHCOMP_DEQUE_SLOTS, few = GHCOMP_TASK_LEAST + size;
        return (struct ghcomp_task_room){most, most, few < most ? few : most};
    }
    uint32_t all = GHCOMP_TASK_EACH * size + 1, any = all > GHCOMP_TASK_ROOM_LEAST ? all : GHCOMP_TASK_ROOM_LEAST;
    return (struct ghcomp_task_room){any, all, GHCOMP_TASK_LEAST + size};
}

/* The most tasks that may lie in the member's deque where its current task makes another. */
static inline uint32_t ghcomp_task_limit(const struct ghcomp_member *self, const struct ghcomp_deque *deque)
{
    const struct ghcomp_task_room *room = &self->team->task_room;
    if (!deque->tiny)
        return room->any;
    if (ghcomp_load_relaxed(&self->task->depth) < GHCOMP_TASK_DEEP)
        return room->tiny;
    return deque->narrow ? 1 : room->deep;
}

/* Whether a ready task that the member creates now runs at once on its thread, so that its data need not be copied: it
   is undeferred, the team has no other thread, or too many tasks wait already. The first form depends only on the task
   and its team, the others also on how many tasks wait. The second form counts the tasks that run at once, and is false
   for each GHCOMP_TASK_GAUGED-th one, so that ghcomp_task_full measures how long they take. */
static inline __attribute__((always_inline)) bool
ghcomp_task_runs_in_any_case(const struct ghcomp_member *self, bool if_clause)
{
    const struct ghcomp_task *current = self->task;
    return !if_clause || current->final ||
           (self->team->size == 1 &&
            ghcomp_task_may_nest(self, ghcomp_load_relaxed(&current->depth), GHCOMP_TASK_NESTED_ALONE));
}
static inline __attribute__((always_inline)) bool
ghcomp_task_surely_runs_now(struct ghcomp_member *self, bool if_clause)
{
    if (ghcomp_task_runs_in_any_case(self, if_clause))
        return true;
    if (self->team->size == 1)
        return false;
    const struct ghcomp_task *current = self->task;
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    if (deque == NULL)
        return false;
    uint32_t bottom = ghcomp_load_relaxed(&deque->bottom), limit = ghcomp_task_limit(self, deque);
    if (ghcomp_likely(bottom - deque->seen_top < limit))
        return false;
    deque->seen_top = ghcomp_load_acquire(&deque->top);
    return bottom - deque->seen_top >= limit && ghcomp_settings.task_throttling &&
           ghcomp_task_may_nest(self, ghcomp_load_relaxed(&current->depth), GHCOMP_TASK_NESTED) &&
           ++deque->runs % GHCOMP_TASK_GAUGED != 0;
}
static inline bool ghcomp_task_runs_now(struct ghcomp_member *self, bool if_clause)
{
    struct ghcomp_deque *deque;
    return ghcomp_task_surely_runs_now(self, if_clause) ||
           (self->team->size > 1 && (deque = ghcomp_load_relaxed(&self->deque)) != NULL &&
            ghcomp_task_full(self, deque));
}

/* Whether the dependences of a task that the current one makes now have no effect: it runs to its end before the
   current task continues, and no task is unfinished that it could depend on. For a task without event, while no
   observer needs the dependences to be entered: ThreadSanitizer does, and so does a tool that has a callback for
   pairs. */
static inline bool ghcomp_task_depends_on_none(const struct ghcomp_member *self, bool if_clause)
{
    return self->task->table == NULL && ghcomp_task_runs_in_any_case(self, if_clause);
}
