/* taskloop: how many tasks, which iterations each of them has, and creating them.
 *
 * Iterations are counted (loop.h), for both types of loop. Task k has consecutive iterations:
 *
 *     grainsize(g)         count / g tasks, but at least one, as even as can be: so each has at least g iterations and
 *                          less than 2g, or all when there are fewer than g
 *     grainsize(strict: g) g iterations each; the last has what is left
 *     num_tasks(n)         n tasks, but at most one for each iteration, as even as can be; without a clause n is the
 *                          team's size
 *
 * "As even as can be": the first ones have one iteration more. The last task's end is the loop's own end, since the
 * next value of the variable may be past what its type holds.
 *
 * A task that would run at once on this thread takes the construct's own data, whose bounds are rewritten each time:
 * nothing is copied. Nor is a struct allocated for each: if such a task leaves nothing in its struct (no children, no
 * ICVs of its own, no name), the next one reuses it as it is. Where the data has a constructor each task gets its copy,
 * since the task destroys it.
 *
 * The encountering thread creates the tasks in order; they may run in any order.
 *
 * Called by abi/gomp/gomp_taskloop.c. Covered by test/unit/taskloop.c and test/conformance/taskloop.
 */
#include "core/task/taskloop.h"

#include <string.h>

#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/task_reduction.h"
#include "core/task/taskgroup.h"

/* The loop's iterations in tasks: each has `each`, the first `longer` have one more, and the last ends with the
   loop. */
struct split {
    uint64_t tasks, each, longer;
};

static struct split evenly(uint64_t count, uint64_t tasks)
{
    return (struct split){tasks, count / tasks, count % tasks};
}

static struct split split(const struct ghcomp_taskloop *loop, uint64_t count, uint32_t team_size)
{
    uint64_t amount = loop->amount;
    if (!(loop->flags & GHCOMP_TASK_FLAG_GRAINSIZE) || amount == 0) {
        uint64_t tasks = amount != 0 ? amount : team_size;
        return evenly(count, tasks < count ? tasks : count);
    }
    if (loop->flags & GHCOMP_TASK_FLAG_STRICT)
        return (struct split){(count - 1) / amount + 1, amount, 0};
    return evenly(count, count / amount > 1 ? count / amount : 1);
}

/* The reduction array that the loop registers, or NULL. */
static uintptr_t *reductions(const struct ghcomp_taskloop *loop)
{
    if ((loop->flags & (GHCOMP_TASK_FLAG_NOGROUP | GHCOMP_TASK_FLAG_REDUCTION)) != GHCOMP_TASK_FLAG_REDUCTION)
        return NULL;
    return (uintptr_t *)((uintptr_t *)loop->data)[2];
}

static void make_task(struct ghcomp_member *self, const struct ghcomp_taskloop *loop, unsigned flags, uint64_t first,
                      uint64_t end)
{
    struct ghcomp_task *task = ghcomp_task_new(self, loop->fn, loop->bytes, loop->align, flags);
    if (!(loop->flags & GHCOMP_TASK_FLAG_IF))
        ghcomp_task_undefer(task);
    if (loop->copy != NULL) {
        loop->copy(task->data, loop->data);
        ghcomp_task_constructed(task);
    } else {
        memcpy(task->data, loop->data, loop->bytes);
    }
    uint64_t *bounds = task->data;
    bounds[0] = first;
    bounds[1] = end;
    if (loop->flags & GHCOMP_TASK_FLAG_PRIORITY)
        ghcomp_task_set_priority(task, loop->priority);
    ghcomp_task_submit(self, task);
}

/* --- tasks that run at once --------------------------------------------------------------------------------------- */

static struct ghcomp_task *new_here(struct ghcomp_member *self, const struct ghcomp_taskloop *loop, unsigned flags)
{
    struct ghcomp_task *task = ghcomp_task_new(self, loop->fn, 0, 0, flags);
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    task->data = loop->data;
    task->executor = self;
    /* Stays right for the next tasks: between them the thread pushes only their children. */
    task->mark = deque != NULL ? ghcomp_load_relaxed(&deque->bottom) : 0;
    return task;
}

/* Ends the task, whose function has returned. It is not started once more: that would write what its children, on other
   threads, read. */
static void end_here(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (task != NULL)
        ghcomp_task_finish(self, task, self->task);
}

/* How far the loop is. */
struct progress {
    uint64_t made;                   /* tasks so far */
    uint64_t first;                  /* where the next one starts */
    struct ghcomp_task *here;        /* the struct that the last one left, if it can be reused */
};

static inline uint64_t end_of_task(const struct ghcomp_loop_range *range, const struct split *split,
                                   const struct progress *at)
{
    if (at->made + 1 == split->tasks)
        return range->end;
    return at->first + (split->each + (at->made < split->longer)) * range->increment;
}

/* Runs up to `most` tasks, one after the other. */
static void run_here(struct ghcomp_member *self, const struct ghcomp_taskloop *loop, unsigned flags,
                     const struct ghcomp_loop_range *range, const struct split *split, struct progress *at,
                     uint64_t most)
{
    struct ghcomp_task *encountering = self->task;
    struct ghcomp_task *task = at->here;
    uint64_t *bounds = loop->data;
    if (most > split->tasks - at->made)
        most = split->tasks - at->made;
    for (uint64_t left = most; left > 0; left--) {
        if (ghcomp_unlikely(task == NULL))
            task = new_here(self, loop, flags);
        uint64_t end = end_of_task(range, split, at);
        bounds[0] = at->first;
        bounds[1] = end;
        self->task = task;
        loop->fn(loop->data);
        self->task = encountering;
        at->first = end;
        at->made++;
        if (ghcomp_unlikely(task->living != 0 || task->id != 0 || task->icv == &task->own)) {
            end_here(self, task);
            task = NULL;
        }
    }
    at->here = task;
}

/* --- the construct ------------------------------------------------------------------------------------------------ */

/* How many of the next tasks run at once on this thread, at least; 0: the next one is deferred. */
static inline uint64_t run_now(struct ghcomp_member *self, const struct ghcomp_taskloop *loop)
{
    bool if_clause = loop->flags & GHCOMP_TASK_FLAG_IF;
    if (loop->copy != NULL || !ghcomp_task_runs_now(self, if_clause))
        return 0;
    if (ghcomp_unlikely(ghcomp_global.cancel))
        return 1;
    if (!if_clause || self->task->final || self->team->size == 1)
        return UINT64_MAX;
    return GHCOMP_TASK_GAUGED; /* the deque is full: this many before it is checked again */
}

static void make_tasks(struct ghcomp_member *self, const struct ghcomp_taskloop *loop,
                       const struct ghcomp_loop_range *range, struct split split)
{
    unsigned flags = loop->flags & (GHCOMP_TASK_FLAG_UNTIED | GHCOMP_TASK_FLAG_FINAL | GHCOMP_TASK_FLAG_MERGEABLE);
    struct progress at = {.first = range->start};
    while (at.made < split.tasks && !ghcomp_task_refused(self)) {
        uint64_t most = run_now(self, loop);
        if (most > 0) {
            run_here(self, loop, flags, range, &split, &at, most);
            continue;
        }
        end_here(self, at.here);
        at.here = NULL;
        uint64_t end = end_of_task(range, &split, &at);
        make_task(self, loop, flags, at.first, end);
        at.first = end;
        at.made++;
    }
    end_here(self, at.here);
}

void ghcomp_taskloop_run(struct ghcomp_member *self, const struct ghcomp_taskloop *loop, struct ghcomp_loop_range range)
{
    uint64_t count = ghcomp_loop_count(&range);
    uintptr_t *array = reductions(loop);
    if (count == 0 || ghcomp_unlikely(ghcomp_task_refused(self))) {
        /* Tells the compiler's code that nothing was registered. */
        if (array != NULL)
            array[2] = 0;
        return;
    }
    bool group = !(loop->flags & GHCOMP_TASK_FLAG_NOGROUP);
    if (group)
        ghcomp_taskgroup_start(self);
    if (array != NULL)
        ghcomp_reduction_register(self, array);
    make_tasks(self, loop, &range, split(loop, count, self->team->size));
    if (group)
        ghcomp_taskgroup_end(self);
}
