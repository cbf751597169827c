/* Deep and narrow trees of tasks, whose maker takes its own tasks as fast as it makes them (task_take.c: unripe tasks),
   and waits at each level. Unripe tasks get to other members all the same when their maker needs that; and what waits
   have nested once runs at once from then on, without more stack than the waits have used. Waits spin or,
   with ALWAYS_SLEEP (task_narrow_sleep.c), park at once. */
#include "core/task/task.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/machine.h"
#include "core/cpu/wait.h"
#include "core/sync/task_team.h"
#include "core/team/team.h"
#include "unit.h"

static _Atomic uint32_t ran, gate;

static void spawn(void (*fn)(void *), uintptr_t value)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_task_runs_now(self, true)) { /* as GOMP_task does */
        ghcomp_task_run_now(fn, &value, self, 0);
        return;
    }
    struct ghcomp_task *task = ghcomp_task_new(self, fn, sizeof value, sizeof value, 0);
    memcpy(task->data, &value, sizeof value);
    ghcomp_task_submit(self, task);
}

static uintptr_t value_of(void *data)
{
    uintptr_t value;
    memcpy(&value, data, sizeof value);
    return value;
}

static bool is_master(void)
{
    return ghcomp_self()->tid == 0;
}

static void leaf(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&ran, 1u);
}

static void level(void *data)
{
    uintptr_t below = value_of(data);
    ghcomp_add_relaxed(&ran, 1u);
    if (below == 0)
        return;
    spawn(level, below - 1);
    for (int i = 0; i < 3; i++)
        spawn(leaf, 0);
    ghcomp_task_wait(ghcomp_self());
}

/* --- a maker that takes all its tasks itself, and then needs another thread --------------------------------------- */

enum { LEVELS = 300 };

static void opens_the_gate(void *data)
{
    (void)data;
    ghcomp_store_release(&gate, 1u);
}

/* The maker does not take the task that it waits for: another thread must take it, however often it has emptied its
   deque shortly before, and though the others may have found unripe tasks only, or sleep. */
static void spins_on_a_task(void *data)
{
    (void)data;
    if (!is_master())
        return;
    ghcomp_store_relaxed(&ran, 0u);
    ghcomp_store_relaxed(&gate, 0u);
    spawn(level, LEVELS);
    ghcomp_task_wait(ghcomp_self());
    CHECK_EQUAL(1 + 4 * LEVELS, ghcomp_load_relaxed(&ran));
    struct ghcomp_task *task = ghcomp_task_new(ghcomp_self(), opens_the_gate, 8, 8, 0);
    ghcomp_task_submit(ghcomp_self(), task);
    while (ghcomp_load_acquire(&gate) == 0)
        ghcomp_os_yield();
}

/* All members but the first wait in the barrier at the region's end; here they wait for children of their own, too. */
static void trees_of_all(void *data)
{
    (void)data;
    spawn(level, LEVELS);
    ghcomp_task_wait(ghcomp_self());
}

static void others_take_unripe_tasks(uint32_t threads)
{
    for (int i = 0; i < 20; i++)
        ghcomp_team_parallel(spins_on_a_task, NULL, threads, 0);
    ghcomp_store_relaxed(&ran, 0u);
    for (int i = 0; i < 5; i++)
        ghcomp_team_parallel(trees_of_all, NULL, threads, 0);
    CHECK_EQUAL(5 * threads * (1 + 4 * LEVELS), ghcomp_load_relaxed(&ran));
}

/* --- the stack ---------------------------------------------------------------------------------------------------- */

enum { DEEP = 2000, CHAIN = 50000 };

static uintptr_t lowest;
static uint32_t deepest;

static void link_of_chain(void *data)
{
    uintptr_t left = value_of(data), stack = ghcomp_machine_stack();
    uint32_t depth = ghcomp_load_relaxed(&ghcomp_self()->task->depth);
    lowest = stack < lowest ? stack : lowest;
    deepest = depth > deepest ? depth : deepest;
    ghcomp_add_relaxed(&ran, 1u);
    if (left > 0)
        spawn(link_of_chain, left - 1);
}

static uint32_t deferred_by(void (*fn)(void *), uintptr_t value)
{
    struct ghcomp_member *self = ghcomp_self();
    uint32_t before = ghcomp_load_relaxed(&self->created);
    spawn(fn, value);
    ghcomp_task_wait(self);
    return ghcomp_load_relaxed(&self->created) - before;
}

static void nests(void *data)
{
    (void)data;
    const struct ghcomp_thread_nesting *nesting = &ghcomp_self()->thread->nesting;
    lowest = UINTPTR_MAX;
    deepest = 0;
    ghcomp_store_relaxed(&ran, 0u);
    CHECK_EQUAL(0, nesting->depth);
    deferred_by(link_of_chain, CHAIN); /* nothing is known of the stack */
    CHECK(deepest <= GHCOMP_TASK_NESTED_ALONE + 1);
    CHECK(deferred_by(level, DEEP) > DEEP);
    CHECK(nesting->depth > DEEP - 10 && nesting->extent > 0);
    CHECK(deferred_by(level, DEEP / 2) < 20); /* no deeper than a wait has been: on less stack, and at once */
    CHECK(deferred_by(level, DEEP) < 100);
    /* A chain nests no deeper, and no further down the stack than a task beyond the lowest wait. */
    uintptr_t known = nesting->lowest;
    deferred_by(link_of_chain, CHAIN);
    CHECK(deepest <= nesting->depth + 1);
    CHECK(lowest > known - 4096);
    CHECK_EQUAL(2 * (CHAIN + 1) + 2 * (1 + 4 * DEEP) + 1 + 4 * (DEEP / 2), ghcomp_load_relaxed(&ran));
}

/* --- how many tiny tasks may lie in a deque ----------------------------------------------------------------------- */

/* The limit where the current task has that depth. */
static uint32_t limit_at(struct ghcomp_member *self, const struct ghcomp_deque *deque, uint32_t depth)
{
    uint32_t own = ghcomp_load_relaxed(&self->task->depth);
    ghcomp_store_relaxed(&self->task->depth, depth);
    uint32_t limit = ghcomp_task_limit(self, deque);
    ghcomp_store_relaxed(&self->task->depth, own);
    return limit;
}

/* The owner has run tiny tasks since it looked last, has emptied its deque so many times, and thieves took so many
   entries. Returns the limit for deep tasks. A look that comes late does not see that the tasks were tiny, so there are
   many looks: the lowest limit counts. */
static uint32_t lowest_limit(struct ghcomp_member *self, uint32_t emptied, uint32_t stolen)
{
    struct ghcomp_deque *deque = ghcomp_alloc_lines(sizeof *deque);
    uint32_t found = UINT32_MAX;
    ghcomp_task_gauge(deque);
    uint64_t begin = ghcomp_cpu_ticks();
    while (ghcomp_cpu_ticks() - begin < 10000 * (uint64_t)GHCOMP_TICKS_PER_US) {
        ghcomp_store_relaxed(&deque->emptied, ghcomp_load_relaxed(&deque->emptied) + emptied);
        ghcomp_store_relaxed(&deque->top, ghcomp_load_relaxed(&deque->top) + emptied + stolen);
        ghcomp_task_gauge(deque);
        CHECK(limit_at(self, deque, 0) >= GHCOMP_TASK_EACH);
        uint32_t limit = limit_at(self, deque, GHCOMP_TASK_DEEP);
        found = limit < found ? limit : found;
    }
    free(deque);
    return found;
}

static void gauges(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (!is_master())
        return;
    CHECK_EQUAL(1, lowest_limit(self, 2, 0));                     /* narrow: the owner takes all */
    CHECK_EQUAL(self->team->size + 2, lowest_limit(self, 1, 0));  /* wide: the deque is seldom empty */
    CHECK_EQUAL(self->team->size + 2, lowest_limit(self, 2, 1));  /* a thief comes all the time */
}

static void tiny_tasks(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid != 0)
        return;
    spawn(leaf, 0);
    ghcomp_task_wait(self);
    self->deque->tiny = self->deque->narrow = true;
    CHECK_EQUAL(1, limit_at(self, self->deque, GHCOMP_TASK_DEEP));
    CHECK_EQUAL(self->team->size * 64 + 1, limit_at(self, self->deque, 0));
    self->deque->tiny = false;
    CHECK_EQUAL(self->team->size < 4 ? 256 : self->team->size * 64 + 1, limit_at(self, self->deque, 0));
    self->deque->tiny = true;
}

/* Tasks of the implicit task that may wait for each other, as many as there are members, none of which takes one before
   all have been made. That tasks were tiny was found in a smaller team, in which fewer have room. */
static void one_for_each(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 0) {
        CHECK(self->deque->tiny);
        ghcomp_store_relaxed(&ran, 0u);
        for (uint32_t i = 0; i < self->team->size; i++)
            spawn(leaf, 0);
        CHECK_EQUAL(0, ghcomp_load_relaxed(&ran));
        ghcomp_store_release(&gate, 1u);
    }
    while (ghcomp_load_acquire(&gate) == 0)
        sched_yield();
}

int main(void)
{
    ghcomp_env_init();
    (void)ghcomp_self();
#ifdef ALWAYS_SLEEP
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++)
        ghcomp_wait_set_limit(kind, 0, 0);
#endif
    ghcomp_team_parallel(nests, NULL, 1, 0);
    ghcomp_team_parallel(gauges, NULL, 3, 0);
    ghcomp_store_relaxed(&gate, 0u);
    ghcomp_team_parallel(tiny_tasks, NULL, 2, 0);
    ghcomp_team_parallel(one_for_each, NULL, 9, 0);
    static const uint32_t sizes[] = {2, 3, 4, 9};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        others_take_unripe_tasks(sizes[i]);
    return 0;
}
