/* Waits that hand tasks to their caller: the barrier, taskwait and the end of a taskgroup, each with a pause, and the
   steps of a task that its caller runs (pause_waits.h). Waits spin or, with ALWAYS_SLEEP (pause_sleep.c), park at once.
   Runs under ASan+UBSan and TSan. */
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
#include "pause_clauses.h"
#include "pause_waits.h"
#include "unit.h"

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
    for (int i = 0; i < unit_rounds(5); i++) {
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
    for (cancel_round = 0; cancel_round < (uint32_t)unit_rounds(20); cancel_round++) {
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
        ghcomp_wait_set_limit(kind, 0, 0);
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
            for (dependents_round = 0; dependents_round < (uint32_t)unit_rounds(10); dependents_round++)
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
        CHECK(refused >= MANY - ghcomp_task_room_of(2).any);
        CHECK_EQUAL(MANY - refused, handed);
        region(team_of_one, 1);
        CHECK_EQUAL(7, ran);
    }
    return 0;
}
