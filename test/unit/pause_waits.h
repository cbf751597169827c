/* The waits of the tests of pauses, as cbits/haskell/{task,construct}.c use them: a task of one kind comes out of the
   wait, tasks of the other kind are run by it; members that wait in C run both kinds. Included once by pause.c. */
#pragma once

#include "core/task/task.h"

#include <string.h>

#include "core/sync/barrier.h"
#include "core/task/taskgroup.h"
#include "core/team/team.h"
#include "unit.h"

enum { MOST = 9 };

typedef void action(struct ghcomp_member *self, uintptr_t value);

/* The data of a task. */
struct body {
    action *act;
    uintptr_t value;
};

static _Atomic uint32_t stopped; /* the region is cancelled: no body begins any more */
static _Atomic uint32_t made, ran, dropped;
static _Atomic uint32_t handed;  /* came out of a wait */
static _Atomic uint32_t entered; /* of the kind that is handed out, but run through its function */
static _Atomic uint32_t at_once; /* of that kind, run by their maker */
static _Atomic uint32_t in_c;    /* of the other kind */

/* How the members of a region wait. */
static enum { ALL_PAUSED, MIXED } mode;
static bool looks_first; /* takes what tasks there are before it begins to wait, as Haskell does */

static void perform(const struct body *body)
{
    if (ghcomp_load_relaxed(&stopped) != 0) {
        ghcomp_add_relaxed(&dropped, 1u);
        return;
    }
    ghcomp_add_relaxed(&ran, 1u);
    body->act(ghcomp_self(), body->value);
}

static void for_the_caller(void *data)
{
    ghcomp_add_relaxed(&entered, 1u);
    perform(data);
}

static void for_the_wait(void *data)
{
    ghcomp_add_relaxed(&in_c, 1u);
    perform(data);
}

/* Like constructed tasks, those of a cancelled region run to drop what they own. */
static struct ghcomp_task *new_task(struct ghcomp_member *self, void (*fn)(void *), action *act, uintptr_t value)
{
    struct ghcomp_task *task = ghcomp_task_new(self, fn, sizeof(struct body), 8, 0);
    *(struct body *)task->data = (struct body){.act = act, .value = value};
    ghcomp_task_constructed(task);
    ghcomp_add_relaxed(&made, 1u);
    return task;
}

static void run_taken(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_task *before = self->task;
    CHECK(ghcomp_task_start(self, task));
    CHECK(self->task == task);
    perform(task->data);
    CHECK(self->task == task);
    ghcomp_task_finish(self, task, before);
    CHECK(self->task == before);
}

static void run_handed(struct ghcomp_member *self, struct ghcomp_task *task)
{
    CHECK(task != NULL && task->fn == for_the_caller);
    ghcomp_add_relaxed(&handed, 1u);
    run_taken(self, task);
}

static void make_in_c(struct ghcomp_member *self, action *act, uintptr_t value)
{
    ghcomp_task_submit(self, new_task(self, for_the_wait, act, value));
}

static void make(struct ghcomp_member *self, action *act, uintptr_t value)
{
    bool now = self->team->size == 1 || ghcomp_task_runs_now(self, true);
    struct ghcomp_task *task = new_task(self, for_the_caller, act, value);
    if (!now && ghcomp_task_defer(self, task))
        return;
    ghcomp_add_relaxed(&at_once, 1u);
    run_taken(self, task);
}

static void look_first(struct ghcomp_member *self, struct ghcomp_task *(*take)(struct ghcomp_member *))
{
    struct ghcomp_task *task;
    while (looks_first && (task = take(self)) != NULL) {
        if (task->fn == for_the_caller)
            run_handed(self, task);
        else
            ghcomp_task_run(self, task);
    }
}

static bool pauses(const struct ghcomp_member *self, uintptr_t turn)
{
    return mode == ALL_PAUSED || (turn + self->tid) % 3 != 0;
}

/* Whether the region is cancelled. */
static bool barrier(struct ghcomp_member *self, uintptr_t turn)
{
    if (!pauses(self, turn))
        return ghcomp_barrier_wait_cancellable(self);
    look_first(self, ghcomp_task_take_any);
    struct ghcomp_wait_pause pause = {.fn = for_the_caller};
    while (!ghcomp_barrier_wait_paused(self, &pause))
        run_handed(self, pause.task);
    return ghcomp_load_relaxed(&stopped) != 0;
}

static void taskwait(struct ghcomp_member *self, uintptr_t turn)
{
    if (!pauses(self, turn)) {
        ghcomp_task_wait(self);
        return;
    }
    look_first(self, ghcomp_task_take_descendant);
    struct ghcomp_wait_pause pause = {.fn = for_the_caller};
    while (!ghcomp_task_wait_paused(self, &pause))
        run_handed(self, pause.task);
}

static void end_group(struct ghcomp_member *self, uintptr_t turn)
{
    if (!pauses(self, turn)) {
        ghcomp_taskgroup_end(self);
        return;
    }
    look_first(self, ghcomp_task_take_descendant);
    struct ghcomp_wait_pause pause = {.fn = for_the_caller};
    while (!ghcomp_taskgroup_end_paused(self, &pause))
        run_handed(self, pause.task);
}

static void region(void (*fn)(void *), uint32_t threads)
{
    _Atomic uint32_t *const counts[] = {&stopped, &made, &ran, &dropped, &handed, &entered, &at_once, &in_c};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        ghcomp_store_relaxed(counts[i], 0u);
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_team_parallel(fn, NULL, threads, 0);
    CHECK(ghcomp_self() == self);
    CHECK_EQUAL(made, ran + dropped);
    CHECK_EQUAL(made, handed + entered + at_once + in_c);
}

static void leaf(struct ghcomp_member *self, uintptr_t value)
{
    (void)self;
    (void)value;
}

static _Atomic uint32_t gate; /* opened by thread 0 for the others, which wait until it is 1 */

static void until(_Atomic uint32_t *count, uint32_t value)
{
    while (ghcomp_load_acquire(count) < value)
        ghcomp_os_yield();
}
