/* Waits that hand tasks to their caller: the barrier, taskwait and the end of a taskgroup, each with a pause, and the
   steps of a task that its caller runs. They are used as cbits/haskell/{task,construct}.c use them: a task of one kind
   comes out of the wait, tasks of the other kind are run by it; members that wait in C run both kinds. Waits spin or,
   with ALWAYS_SLEEP (pause_sleep.c), park at once. Runs under ASan+UBSan and TSan. */
#include "core/task/task.h"

#include <string.h>

#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "core/team/barrier_policy.h"
#include "core/task/taskgroup.h"
#include "core/sync/barrier_flags.h"
#include "core/team/team.h"
#include "core/sync/combining_tree.h"
#include "core/cpu/wait.h"
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

static void until(_Atomic uint32_t *count, uint32_t value)
{
    while (ghcomp_load_acquire(count) < value)
        ghcomp_os_yield();
}

/* --- trees: some nodes wait for their children, some for all descendants, some for nothing ------------------------ */

enum { TREE_DEPTH = 5, TREE_NODES = 364 };

static void node(struct ghcomp_member *self, uintptr_t depth)
{
    if (depth == 0)
        return;
    if (depth % 3 == 1)
        ghcomp_taskgroup_start(self);
    for (int i = 0; i < 3; i++)
        if (i == 1)
            make_in_c(self, node, depth - 1);
        else
            make(self, node, depth - 1);
    if (depth % 3 == 1)
        end_group(self, depth);
    else if (depth % 3 == 2)
        taskwait(self, depth);
}

static void trees_of_all(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (uint32_t i = 0; i < 3; i++) {
        make(self, node, TREE_DEPTH);
        CHECK(!barrier(self, i));
        CHECK_EQUAL((i + 1) * self->team->size * TREE_NODES, ghcomp_load_relaxed(&ran));
        CHECK(!barrier(self, i + 1));
    }
}

static void trees_of_one(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 0)
        make(self, node, TREE_DEPTH);
    CHECK(!barrier(self, self->team->size));
}

static void trees(uint32_t threads)
{
    for (int i = 0; i < 5; i++) {
        region(trees_of_one, threads);
        CHECK_EQUAL(TREE_NODES, ran);
        CHECK(mode == MIXED || entered == 0);
        region(trees_of_all, threads);
        CHECK_EQUAL(3 * threads * TREE_NODES, ran);
        CHECK(mode == MIXED || entered == 0);
    }
}

/* --- taskwait and taskgroup order what the tasks wrote, and hand out descendants only ----------------------------- */

static int waiting[MOST]; /* each used by its thread only: it is in waits_as_a_task */

/* Slow, so that its parent, if it is run by another thread, looks for other tasks. */
static void fill(struct ghcomp_member *self, uintptr_t value)
{
    (void)self;
    for (int i = 0; i < 3; i++)
        ghcomp_os_yield();
    ++*(uint32_t *)value;
}

static void fill_below(struct ghcomp_member *self, uintptr_t value)
{
    make(self, fill, value);
}

static void waits(struct ghcomp_member *self, uintptr_t turn)
{
    uint32_t child[3] = {0}, grandchild[3] = {0};
    for (int i = 0; i < 3; i++)
        make(self, fill, (uintptr_t)&child[i]);
    taskwait(self, turn);
    ghcomp_taskgroup_start(self);
    for (int i = 0; i < 3; i++)
        make(self, fill_below, (uintptr_t)&grandchild[i]);
    end_group(self, turn);
    if (ghcomp_load_relaxed(&stopped) != 0)
        return;
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(1, child[i]);
        CHECK_EQUAL(1, grandchild[i]);
    }
}

static void waits_as_a_task(struct ghcomp_member *self, uintptr_t turn)
{
    CHECK_EQUAL(0, waiting[self->tid]); /* else a wait has handed out a sibling of the task that waits */
    waiting[self->tid] = 1;
    waits(self, turn);
    waiting[self->tid] = 0;
}

static void siblings_wait(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 0)
        for (uintptr_t i = 0; i < 100; i++)
            make(self, waits_as_a_task, i);
    waits(self, 1);
    CHECK(!barrier(self, 1));
    CHECK_EQUAL(100 + 9 * (100 + self->team->size), ghcomp_load_relaxed(&ran));
}

/* --- episodes: no member is ever an episode ahead of another ------------------------------------------------------ */

enum { PHASES = 60, NOTES = 2 };
static _Atomic uint32_t in_phase;
static uint32_t plain;              /* written by one member a phase, read by all: only the barrier orders it */
static uint32_t notes[MOST][NOTES]; /* the same for tasks */

static void take_note(struct ghcomp_member *self, uintptr_t value)
{
    (void)self;
    ++notes[value / NOTES][value % NOTES];
}

static void march(uint32_t task_phases)
{
    struct ghcomp_member *self = ghcomp_self();
    uint32_t size = self->team->size, noted = 0;
    for (uint32_t phase = 0; phase < PHASES; phase++) {
        ghcomp_add_relaxed(&in_phase, 1u);
        if (self->tid == phase % size)
            plain = phase;
        if (task_phases != 0 && phase % task_phases == task_phases - 1) {
            make(self, take_note, self->tid * NOTES);
            make_in_c(self, take_note, self->tid * NOTES + 1);
            noted++;
        }
        if ((phase + self->tid) % 7 == 0)
            ghcomp_os_yield();
        CHECK(!barrier(self, phase));
        CHECK_EQUAL((phase + 1) * size, ghcomp_load_relaxed(&in_phase));
        CHECK_EQUAL(phase, plain);
        for (uint32_t i = 0; i < size * NOTES; i++)
            CHECK_EQUAL(noted, notes[i / NOTES][i % NOTES]);
        CHECK(!barrier(self, phase + 1));
    }
}

static void march_without_tasks(void *data)
{
    (void)data;
    march(0);
}

static void march_with_tasks(void *data)
{
    (void)data;
    march(3);
}

static void marches(uint32_t threads, void (*fn)(void *))
{
    in_phase = 0;
    memset(notes, 0, sizeof notes);
    region(fn, threads);
}

/* --- a barrier does not end while a member runs a task that came out of it ---------------------------------------- */

static _Atomic uint32_t met, out_of_the_last;

/* The member that runs this task has arrived, and counts once, however often it has left the wait since. */
static void all_have_arrived(struct ghcomp_member *self, uintptr_t value)
{
    (void)value;
    struct ghcomp_barrier *barrier = &self->team->barrier;
    if (self->team->by_flags) {
        uint32_t episode = ghcomp_load_relaxed(&barrier->flags[self->tid]);
        for (uint32_t i = 0; i < self->team->size; i++)
            until(&barrier->flags[i], episode);
        for (int i = 0; i < 10; i++)
            ghcomp_os_yield();
        for (uint32_t i = 0; i < self->team->size; i++)
            CHECK_EQUAL(episode, ghcomp_load_relaxed(&barrier->flags[i]));
        return;
    }
    _Atomic uint32_t *arrived = &barrier->arrived;
    uint32_t all = self->team->size;
#ifdef LARGE_TEAMS
    arrived = &self->team->tree->root->arrived;
    all = self->team->tree->root->members;
#endif
    until(arrived, all);
    for (int i = 0; i < 10; i++)
        ghcomp_os_yield();
    CHECK_EQUAL(all, ghcomp_load_relaxed(arrived));
}

static void meet(struct ghcomp_member *self, uintptr_t all)
{
    (void)self;
    ghcomp_add_acqrel(&met, 1u);
    until(&met, (uint32_t)all);
}

static void defer(struct ghcomp_member *self, action *act, uintptr_t value)
{
    CHECK(ghcomp_task_defer(self, new_task(self, for_the_caller, act, value)));
}

static void tasks_in_hand(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    uint32_t size = self->team->size;
    for (uint32_t round = 0; round < 10; round++) {
        /* A member that is about to leave a barrier may still take a task that was made behind it. */
        ghcomp_add_acqrel(&out_of_the_last, 1u);
        until(&out_of_the_last, (round + 1) * size);
        defer(self, all_have_arrived, 0);
        defer(self, all_have_arrived, 0);
        CHECK(!barrier(self, round));
        CHECK_EQUAL((round + 1) * 2 * size + round * size, ghcomp_load_relaxed(&ran));
        CHECK(!barrier(self, round));
        /* Every member runs a task of these at the same time. */
        if (self->tid == round % size) {
            ghcomp_store_relaxed(&met, 0u);
            for (uint32_t i = 0; i < size; i++)
                defer(self, meet, size);
        }
        CHECK(!barrier(self, round + 1));
        CHECK_EQUAL((round + 1) * 3 * size, ghcomp_load_relaxed(&ran));
        CHECK(!barrier(self, round));
    }
}

/* --- clauses: dependences, priorities, undeferred tasks ----------------------------------------------------------- */

enum { IN = 1, INOUT = 3, CELLS = 4, DEPENDENT_TASKS = 60, MOST_PRIORITY = 10 };

struct cell {
    int writers; /* plain: a task's dependences order it */
};

/* One of a parent's tasks, and what it must find in the cells. */
struct dependent {
    struct cell *cell;
    int kind[CELLS], before[CELLS];
};

struct dependence {
    uintptr_t address, kind;
};

static uint32_t any(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % below;
}

static void check_cells(struct ghcomp_member *self, uintptr_t value)
{
    const struct dependent *mine = (const struct dependent *)value;
    (void)self;
    for (int i = 0; i < CELLS; i++)
        if (mine->kind[i] != 0) {
            CHECK_EQUAL(mine->before[i], mine->cell[i].writers);
            if (mine->kind[i] == INOUT)
                mine->cell[i].writers++;
        }
}

static void make_dependent(struct ghcomp_member *self, struct dependent *about, uint32_t *seed)
{
    enum { HEAD = 5 };
    struct dependence dependences[CELLS];
    void *list[HEAD + CELLS] = {NULL};
    uintptr_t count = 0;
    for (int i = 0; i < CELLS; i++)
        if (about->kind[i] != 0) {
            dependences[count] = (struct dependence){(uintptr_t)&about->cell[i], (uintptr_t)about->kind[i]};
            list[HEAD + count] = &dependences[count];
            count++;
        }
    list[1] = (void *)count;
    struct ghcomp_task *task =
        new_task(self, any(seed, 4) == 0 ? for_the_wait : for_the_caller, check_cells, (uintptr_t)about);
    if (any(seed, 8) == 0)
        ghcomp_task_undefer(task);
    if (any(seed, 3) == 0)
        ghcomp_task_set_priority(task, (int)any(seed, MOST_PRIORITY + 1));
    if (count > 0)
        ghcomp_task_depend(self, task, list);
    ghcomp_task_submit(self, task);
}

static void parent_of_dependents(struct ghcomp_member *self, uintptr_t value)
{
    struct cell cell[CELLS] = {{0}};
    struct dependent about[DEPENDENT_TASKS];
    int writers[CELLS] = {0};
    uint32_t seed = (uint32_t)value;
    bool group = any(&seed, 2);
    if (group)
        ghcomp_taskgroup_start(self);
    for (uint32_t i = 0; i < DEPENDENT_TASKS; i++) {
        about[i].cell = cell;
        for (int k = 0; k < CELLS; k++) {
            uint32_t kind = any(&seed, 4);
            about[i].kind[k] = kind == 0 ? INOUT : kind == 1 ? IN : 0;
            about[i].before[k] = writers[k];
            writers[k] += kind == 0;
        }
        make_dependent(self, &about[i], &seed);
        if (i % 25 == 24)
            taskwait(self, i);
    }
    if (group)
        end_group(self, value);
    else
        taskwait(self, value);
    for (int k = 0; k < CELLS; k++)
        CHECK_EQUAL(writers[k], cell[k].writers);
}

static uint32_t dependents_round;

static void dependents(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    uint32_t number = dependents_round * MOST + self->tid;
    if (number % 2 == 0)
        make(self, parent_of_dependents, number);
    parent_of_dependents(self, number);
    CHECK(!barrier(self, number));
}

static _Atomic uint32_t gate;
static uint32_t order[8], ordered;

static void note_priority(struct ghcomp_member *self, uintptr_t value)
{
    (void)self;
    order[ordered++] = (uint32_t)value;
}

/* Thread 1 is kept busy, so that the tasks come out of thread 0's wait in the order of their priorities. */
static void by_priority(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 1) {
        until(&gate, 1);
        return;
    }
    static const int priorities[8] = {3, 1, 7, 0, 5, 2, 6, 4};
    ordered = 0;
    for (int i = 0; i < 8; i++) {
        struct ghcomp_task *task = new_task(self, for_the_caller, note_priority, (uintptr_t)priorities[i]);
        ghcomp_task_set_priority(task, priorities[i]);
        CHECK(ghcomp_task_defer(self, task));
    }
    taskwait(self, 1);
    CHECK_EQUAL(8, ordered);
    for (uint32_t i = 0; i < 8; i++)
        CHECK_EQUAL(7 - i, order[i]);
    ghcomp_store_release(&gate, 1u);
}

/* --- a task that a full deque refuses is run by its maker --------------------------------------------------------- */

enum { MANY = 1000 };
static uint32_t refused;

static void more_tasks_than_slots(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 1) {
        until(&gate, 1);
        return;
    }
    refused = 0;
    for (int i = 0; i < MANY; i++) {
        struct ghcomp_task *task = new_task(self, for_the_caller, leaf, 0);
        if (ghcomp_task_defer(self, task))
            continue;
        refused++;
        ghcomp_add_relaxed(&at_once, 1u);
        run_taken(self, task);
    }
    CHECK_EQUAL(refused, ghcomp_load_relaxed(&ran));
    taskwait(self, 1);
    CHECK_EQUAL(MANY, ghcomp_load_relaxed(&ran));
    ghcomp_store_release(&gate, 1u);
}

/* A team of one never pauses in its barriers, but does in its other waits. */
static void team_of_one(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (int i = 0; i < 3; i++)
        defer(self, leaf, 0);
    CHECK(!barrier(self, 1));
    CHECK_EQUAL(3, ghcomp_load_relaxed(&ran));
    for (int i = 0; i < 3; i++)
        defer(self, leaf, 0);
    taskwait(self, 1);
    CHECK_EQUAL(6, ghcomp_load_relaxed(&ran));
    CHECK(ghcomp_load_relaxed(&handed) >= 3);
    defer(self, leaf, 0); /* runs at the region's end */
}

/* --- cancellation ------------------------------------------------------------------------------------------------- */

enum { CANCEL_PHASES = 5, MORE_PHASES = 8 };
static uint32_t cancel_round;
static _Atomic uint32_t left_early;

static void stop(struct ghcomp_member *self, uintptr_t value)
{
    (void)value;
    ghcomp_store_relaxed(&stopped, 1u);
    ghcomp_cancel_region(self->team);
}

/* One member cancels the region, itself or by a task, while others wait, run tasks that a wait handed out, or make
   tasks. */
static void cancelled(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    uint32_t last = cancel_round % CANCEL_PHASES;
    for (uint32_t phase = 0; phase < MORE_PHASES; phase++) {
        for (uintptr_t i = 0; i < 3; i++)
            make(self, node, (i + cancel_round) % 3);
        if (phase == last && self->tid == cancel_round % self->team->size) {
            if (cancel_round % 2 == 0)
                stop(self, 0);
            else
                make(self, stop, 0);
        }
        if (cancel_round % 3 == 0)
            waits(self, phase);
        if (barrier(self, phase)) {
            /* The barrier of that phase, or the one before if the member was still in that. */
            CHECK(phase == last || phase + 1 == last);
            ghcomp_add_relaxed(&left_early, 1u);
            return;
        }
    }
}

static void cancellation(uint32_t threads)
{
    for (cancel_round = 0; cancel_round < 20; cancel_round++) {
        ghcomp_store_relaxed(&left_early, 0u);
        region(cancelled, threads);
        CHECK_EQUAL(threads, left_early);
        CHECK_EQUAL(1, stopped);
        if (cancel_round % 5 == 0)
            marches(threads, march_with_tasks);
    }
}

int main(void)
{
    ghcomp_env_init();
#ifdef LARGE_TEAMS /* see pause_tree.c */
    ghcomp_tree_from = 2;
#endif
    ghcomp_flags_to = ghcomp_unfenced_to = GHCOMP_BARRIER_FLAGS; /* on any machine */
    ghcomp_global.max_task_priority = MOST_PRIORITY;
    (void)ghcomp_self();
#ifdef ALWAYS_SLEEP
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++)
        ghcomp_wait.free_budget[kind] = ghcomp_wait.oversubscribed_budget[kind] = 0;
#endif
    static const uint32_t sizes[] = {1, 2, 3, 4, MOST};
    for (int way = 0; way < 4; way++) {
        mode = way % 2 == 0 ? ALL_PAUSED : MIXED;
        looks_first = way >= 2;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            trees(sizes[i]);
            region(siblings_wait, sizes[i]);
            marches(sizes[i], march_without_tasks);
            marches(sizes[i], march_with_tasks);
            /* A task that waits for arrivals must not be run before the arrival. */
            out_of_the_last = 0;
            if (sizes[i] > 1 && !looks_first)
                region(tasks_in_hand, sizes[i]);
            for (dependents_round = 0; dependents_round < 10; dependents_round++)
                region(dependents, sizes[i]);
            for (int cancel_var = 0; cancel_var < 2; cancel_var++) {
                ghcomp_global.cancel = cancel_var;
                cancellation(sizes[i]);
            }
            ghcomp_global.cancel = false;
        }
        gate = 0;
        region(by_priority, 2);
        CHECK_EQUAL(8, handed);
        gate = 0;
        region(more_tasks_than_slots, 2);
        CHECK(refused >= MANY - GHCOMP_DEQUE_SLOTS);
        CHECK_EQUAL(MANY - refused, handed);
        region(team_of_one, 1);
        CHECK_EQUAL(7, ran);
    }
    return 0;
}
