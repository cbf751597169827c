/* taskloop: how many tasks, which iterations each of them has, and creating them.
 *
 * Iterations are counted (loop.h), for both types of loop. Task k has consecutive iterations:
 *
 *     grainsize(g)         count / g tasks, but at least one, as even as can be: so each has at least g iterations and
 *                          less than 2g, or all when there are fewer than g
 *     grainsize(strict: g) g iterations each; the last has what is left
 *     num_tasks(n)         n tasks, but at most one for each iteration, as even as can be; without a clause n is the
 *                          team's size, with threadset(omp_pool) more: for the free agents that there may be
 *
 * "As even as can be": the first ones have one iteration more. The last task's end is the loop's own end, since the
 * next value of the variable may be past what its type holds.
 *
 * A task that would run at once on this thread takes the construct's own data, whose bounds are rewritten each time:
 * nothing is copied. Nor is a struct allocated for each: if such a task leaves nothing in its struct (no children, no
 * ICVs of its own), the next one reuses it as it is. Where the data has a constructor each task gets its copy,
 * since the task destroys it. An interface whose tasks differ in more than their bounds makes them itself
 * (loop->make).
 *
 * Few tasks, tasks with a constructor, a priority or nogroup: the encountering thread creates them in order; they may
 * run in any order.
 *
 * Many tasks: they are not all created and queued, most of them to be run by the same thread. A thread that runs tasks
 * of the loop keeps those that follow, the *rest*, in its deque, as one task: a holder, which has a copy of the
 * construct's data. It takes the rest back (no thief took it), runs a few tasks and puts it there again. A thief gets
 * the whole rest. It puts the second half into its own deque first, as a holder of its own, and continues with the
 * first half in the same way; so the loop is spread over the team in a number of steals that grows with the logarithm
 * of the team's size, and later a thread that has nothing takes the largest part that another one holds. (Lazy binary
 * splitting: Tzannes, Caragea, Barua, Vishkin, PPoPP 2010; there the owner splits when its deque is empty.) The tasks
 * that the thread is running at the moment are not in the deque. They are a few only where a few take less than a
 * microsecond together; otherwise one.
 *
 * The loop's tasks run as children of the holder, or of the encountering task in its own thread. All of these are in
 * the loop's taskgroup, and no ICV is changed in between, so a program sees no difference. A holder whose rest is empty
 * still completes as a task, since the team has counted it. When children of the loop's tasks lie above the rest in the
 * deque, the thread leaves the rest there: it takes it as any task, in the wait for the taskgroup.
 *
 * Called by abi/gomp/gomp_taskloop.c and abi/kmp/kmp_taskloop.c. Covered by test/unit/taskloop.c and
 * test/conformance/taskloop.
 */
#include "core/task/taskloop.h"

#include <string.h>

#include "base/check.h"
#include "base/even.h"
#include "core/cpu/yield_to_haskell.h"
#include "core/state/settings.h"
#include "core/sync/task_team.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/task_graph.h"
#include "core/task/task_now.h"
#include "core/task/task_reduction.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool.h"

/* The loop's iterations in tasks; the last one ends with the loop. */
struct split {
    uint64_t tasks;
    struct ghcomp_even even;
};

static struct split evenly(uint64_t count, uint64_t tasks)
{
    return (struct split){tasks, ghcomp_even(count, tasks)};
}

static struct split split(const struct ghcomp_taskloop *loop, uint64_t count, uint32_t team_size)
{
    uint64_t amount = loop->amount;
    if (!(loop->flags & GHCOMP_TASK_FLAG_GRAINSIZE) || amount == 0) {
        uint64_t tasks = amount != 0 ? amount : team_size;
        return evenly(count, tasks < count ? tasks : count);
    }
    if (loop->flags & GHCOMP_TASK_FLAG_STRICT)
        return (struct split){(count - 1) / amount + 1, {amount, 0}};
    return evenly(count, count / amount > 1 ? count / amount : 1);
}

/* The reduction array that the loop registers, or NULL. */
static uintptr_t *reductions(const struct ghcomp_taskloop *loop)
{
    if ((loop->flags & (GHCOMP_TASK_FLAG_NOGROUP | GHCOMP_TASK_FLAG_REDUCTION)) != GHCOMP_TASK_FLAG_REDUCTION)
        return NULL;
    return (uintptr_t *)((uintptr_t *)loop->data)[2];
}

/* Free agents may run its tasks. */
static inline bool is_wide(const struct ghcomp_taskloop *loop)
{
    return loop->flags & GHCOMP_TASK_FLAG_POOL;
}

static void make_task(struct ghcomp_member *self, const struct ghcomp_taskloop *loop, unsigned flags, uint64_t first,
                      uint64_t end)
{
    struct ghcomp_task *task = ghcomp_task_new(self, loop->fn, loop->bytes, loop->align, flags);
    if (!(loop->flags & GHCOMP_TASK_FLAG_IF))
        ghcomp_task_undefer(task);
    if (is_wide(loop) || ghcomp_agent(self))
        ghcomp_task_threadset(task, is_wide(loop) ? GHCOMP_THREADSET_POOL : GHCOMP_THREADSET_TEAM);
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
    task->data = loop->data;
    ghcomp_task_set_marks(self, task);
    return task;
}

/* Ends the task, whose function has returned. It is not started once more: that would write what its children, on other
   threads, read. */
static void end_here(struct ghcomp_member *self, struct ghcomp_task *task)
{
    if (task != NULL)
        ghcomp_task_finish(self, task, self->task);
}

/* A part of the loop: tasks `next` to before `stop`. */
struct part {
    struct ghcomp_taskloop loop;     /* data: the construct's, or a holder's copy */
    struct ghcomp_loop_range range;
    struct split split;
    uint64_t next, stop;
};

static inline uint64_t first_of_task(const struct part *part, uint64_t k)
{
    return part->range.start + ghcomp_even_first(part->split.even, k) * part->range.increment;
}

/* first_of_task of the next one, when task k begins at `first`. */
static inline uint64_t end_of_task(const struct part *part, uint64_t k, uint64_t first)
{
    if (k + 1 == part->split.tasks)
        return part->range.end;
    return first + ghcomp_even_length(part->split.even, k) * part->range.increment;
}

/* The number of the next task's first iteration, and how many it has, but for the last task of a strict grainsize. */
static uint64_t first_number(const struct part *part)
{
    return ghcomp_even_first(part->split.even, part->next);
}

static uint64_t iterations_of(const struct part *part)
{
    uint64_t each = ghcomp_even_length(part->split.even, part->next);
    uint64_t left = ghcomp_loop_count(&part->range) - first_number(part);
    return each < left ? each : left;
}

static inline unsigned flags_of_tasks(const struct ghcomp_taskloop *loop)
{
    return loop->flags & (GHCOMP_TASK_FLAG_UNTIED | GHCOMP_TASK_FLAG_FINAL | GHCOMP_TASK_FLAG_MERGEABLE);
}

/* Runs the part's next tasks, up to `most`, one after the other. *reused: the struct that the last one left, if it can
   be used again. */
static void run_here(struct ghcomp_member *self, struct part *part, struct ghcomp_task **reused, uint64_t most)
{
    struct ghcomp_task *encountering = self->task;
    struct ghcomp_task *task = *reused;
    const struct ghcomp_taskloop *loop = &part->loop;
    uint64_t *bounds = loop->data;
    uint64_t k = part->next, stop = most < part->stop - k ? k + most : part->stop;
    uint64_t first = first_of_task(part, k);
    if (task != NULL) /* what has been put there since does not descend from the next task */
        ghcomp_task_set_marks(self, task);
    for (; k < stop; k++) {
        if (ghcomp_unlikely(task == NULL))
            task = new_here(self, loop, flags_of_tasks(loop));
        uint64_t end = end_of_task(part, k, first);
        bounds[0] = first;
        bounds[1] = end;
        self->task = task;
        loop->fn(loop->data);
        self->task = encountering;
        first = end;
        if (ghcomp_unlikely(task->living != 0 || task->icv == &task->own)) {
            end_here(self, task);
            task = NULL;
        }
    }
    part->next = k;
    *reused = task;
}

/* --- many tasks: the rest lies in the deque ----------------------------------------------------------------------- */

enum {
    MOST_TOGETHER = 16,                               /* tasks that a thread runs before it checks the rest again */
    TOGETHER_TICKS = GHCOMP_TICKS_PER_US              /* and how long that may take */
};

static void run_holder(void *data);

/* Puts a task that holds these tasks of the part into the thread's deque. NULL: the deque is at the limit for tasks of
   the current one (ghcomp_task_limit), so it has tasks for thieves. */
static struct ghcomp_task *put_rest(struct ghcomp_member *self, const struct part *part, uint64_t next, uint64_t stop)
{
    const struct ghcomp_taskloop *loop = &part->loop;
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    /* Acquire, as in ghcomp_deque_push. */
    if (deque != NULL &&
        ghcomp_load_relaxed(&deque->bottom) - ghcomp_load_acquire(&deque->top) >= ghcomp_task_limit(self, deque))
        return NULL;
    size_t align = loop->align > sizeof(uint64_t) ? loop->align : sizeof(uint64_t);
    size_t offset = (sizeof *part + align - 1) / align * align;
    struct ghcomp_task *task = ghcomp_task_new(self, run_holder, offset + loop->bytes, align, 0);
    struct part *held = task->data;
    *held = *part;
    held->next = next;
    held->stop = stop;
    held->loop.data = memcpy((char *)held + offset, loop->data, loop->bytes);
    bool room = ghcomp_task_defer(self, task);
    ghcomp_invariant(room); /* others only take */
    return task;
}

/* Takes the rest back that lies in slot `at` of the deque. False: a thief has it, or others lie above it. */
static inline bool take_back(struct ghcomp_member *self, uint32_t at)
{
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    return ghcomp_load_relaxed(&deque->bottom) == at + 1 && ghcomp_deque_take_back(deque, at) != NULL;
}

/* The rest, which was taken back, lies in the deque again. */
static inline void put_back(struct ghcomp_member *self, struct ghcomp_task *rest, const struct part *part,
                            uint64_t next)
{
    struct part *held = rest->data;
    held->next = next;
    held->stop = part->stop;
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    bool room = ghcomp_deque_push(deque, rest, deque->mask + 1);
    ghcomp_invariant(room); /* it lay there before */
    ghcomp_task_team_wake(self->team);
}

static void run_part(struct ghcomp_member *self, struct part *part)
{
    struct ghcomp_task *reused = NULL, *rest = NULL;
    uint64_t together = 1;
    while (part->next < part->stop && !ghcomp_task_refused(self)) {
        uint64_t begin = ghcomp_cpu_ticks();
        uint64_t most = part->stop - part->next < together ? part->stop - part->next : together;
        bool lies = part->next + most < part->stop;
        if (lies && rest != NULL)
            put_back(self, rest, part, part->next + most);
        else if (lies)
            lies = (rest = put_rest(self, part, part->next + most, part->stop)) != NULL;
        uint32_t at = lies ? ghcomp_load_relaxed(&ghcomp_load_relaxed(&self->deque)->bottom) - 1 : 0;
        run_here(self, part, &reused, most);
        if (lies && !take_back(self, at)) {
            rest = NULL;
            break;
        }
        bool quick = ghcomp_cpu_ticks() - begin < TOGETHER_TICKS / 2;
        together = ghcomp_unlikely(ghcomp_global.cancel) || !quick ? 1 : together < MOST_TOGETHER ? 2 * together
                                                                                                    : MOST_TOGETHER;
        ghcomp_yield_to_haskell(self);
    }
    end_here(self, reused);
    if (rest != NULL) {
        struct part *held = rest->data;
        held->next = held->stop;
        ghcomp_task_run(self, rest);
    }
}

/* The function of holders. */
static void run_holder(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    struct part *part = data;
    uint64_t left = part->stop - part->next, middle = part->next + (left + 1) / 2;
    if (left > 1 && put_rest(self, part, middle, part->stop) != NULL)
        part->stop = middle;
    run_part(self, part);
}

/* --- the construct ------------------------------------------------------------------------------------------------ */

/* How many of the next tasks run at once on this thread, at least; 0: the next one is deferred. */
static inline uint64_t run_now(struct ghcomp_member *self, const struct ghcomp_taskloop *loop)
{
    bool if_clause = loop->flags & GHCOMP_TASK_FLAG_IF;
    if (loop->copy != NULL || loop->make != NULL || ghcomp_tool_on() || ghcomp_graph_records(self) ||
        !ghcomp_task_runs_now(self, if_clause) ||
        (if_clause && !self->task->final && (is_wide(loop) || ghcomp_agent(self))))
        return 0;
    if (ghcomp_unlikely(ghcomp_global.cancel))
        return 1;
    if (!if_clause || self->task->final || self->team->size == 1)
        return UINT64_MAX;
    return GHCOMP_TASK_GAUGED; /* the deque is full: this many before it is checked again */
}

/* Few tasks, or what needs a struct for each. */
static void make_tasks(struct ghcomp_member *self, struct part *part)
{
    struct ghcomp_task *reused = NULL;
    while (part->next < part->stop && !ghcomp_task_refused(self)) {
        uint64_t most = run_now(self, &part->loop);
        if (most > 0) {
            run_here(self, part, &reused, most);
            continue;
        }
        end_here(self, reused);
        reused = NULL;
        uint64_t first = first_of_task(part, part->next);
        uint64_t end = end_of_task(part, part->next, first);
        if (ghcomp_tool_on())
            ghcomp_tool_taskloop_chunk(self, first_number(part), iterations_of(part));
        part->next++;
        if (part->loop.make != NULL)
            part->loop.make(self, &part->loop, first, end, part->next == part->split.tasks);
        else
            make_task(self, &part->loop, flags_of_tasks(&part->loop), first, end);
    }
    end_here(self, reused);
}

/* Whether there are enough tasks for lazy splitting. Threads of small teams get one or two tasks sooner if these are
   there from the beginning. */
static inline bool many(struct ghcomp_member *self, const struct ghcomp_taskloop *loop, uint64_t tasks)
{
    enum { EACH = 2 };
    uint64_t chosen = ghcomp_settings.taskloop_few, few = chosen != 0 ? chosen : EACH * (uint64_t)self->team->size;
    return tasks > few && self->team->size > 1 && loop->copy == NULL && loop->make == NULL && !is_wide(loop) &&
           !ghcomp_agent(self) && !ghcomp_tool_on() && !ghcomp_graph_records(self) &&
           (loop->flags & (GHCOMP_TASK_FLAG_IF | GHCOMP_TASK_FLAG_NOGROUP | GHCOMP_TASK_FLAG_FINAL |
                           GHCOMP_TASK_FLAG_PRIORITY)) == GHCOMP_TASK_FLAG_IF &&
           !self->task->final;
}

void ghcomp_taskloop_run(struct ghcomp_member *self, const struct ghcomp_taskloop *loop, struct ghcomp_loop_range range)
{
    uint64_t count = ghcomp_loop_count(&range);
    uintptr_t *array = reductions(loop);
    bool group = !(loop->flags & GHCOMP_TASK_FLAG_NOGROUP);
    /* As in libgomp, the loop's own taskgroup is not cancelled with the one around it. */
    if (count == 0 || ghcomp_unlikely(group ? ghcomp_task_region_refuses(self) : ghcomp_task_refused(self))) {
        /* Tells the compiler's code that nothing was registered. */
        if (array != NULL)
            array[2] = 0;
        return;
    }
    if (group)
        ghcomp_taskgroup_start(self);
    if (array != NULL)
        ghcomp_reduction_register(self, array);
    bool observed = ghcomp_tool_on();
    if (ghcomp_unlikely(observed))
        ghcomp_tool_taskloop_begin(self, count, self->task->group != NULL ? self->task->group->filtered : NULL);
    uint32_t threads = self->team->size + (is_wide(loop) ? ghcomp_agents_most() : 0);
    struct part part = {.loop = *loop, .range = range, .split = split(loop, count, threads)};
    part.stop = part.split.tasks;
    if (many(self, loop, part.stop))
        run_part(self, &part);
    else
        make_tasks(self, &part);
    if (ghcomp_unlikely(observed))
        ghcomp_tool_taskloop_end(self);
    if (group)
        ghcomp_taskgroup_end(self);
}
