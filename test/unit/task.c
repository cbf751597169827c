/* The task engine from inside: trees, chains, taskgroups, events fulfilled from everywhere, priorities, the scheduling
   constraint, workers that come back to a region's tasks. Waits spin or, with ALWAYS_SLEEP (task_sleep.c), park at
   once. */
#include "core/task/task.h"

#include <pthread.h>
#include <string.h>

#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "core/sync/barrier_flags.h"
#include "core/team/barrier_policy.h"
#include "core/sync/lock.h"
#include "core/task/taskgroup.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"
#include "unit.h"

static _Atomic uint32_t ran;

static struct ghcomp_task *prepare(void (*fn)(void *), uintptr_t value)
{
    struct ghcomp_task *task = ghcomp_task_new(ghcomp_self(), fn, sizeof value, sizeof value, 0);
    memcpy(task->data, &value, sizeof value);
    return task;
}

static void spawn(void (*fn)(void *), uintptr_t value)
{
    ghcomp_task_submit(ghcomp_self(), prepare(fn, value));
}

static uintptr_t value_of(void *data)
{
    uintptr_t value;
    memcpy(&value, data, sizeof value);
    return value;
}

static void region(void (*fn)(void *), uint32_t threads)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_team_parallel(fn, NULL, threads, 0);
    CHECK(ghcomp_self() == self);
}

static bool is_master(void)
{
    return ghcomp_self()->tid == 0;
}

/* On member 0: a taskgroup begins, and what is counted in it is 0 so far. NULL on the others. */
static struct ghcomp_member *begin_group(_Atomic uint32_t *count)
{
    struct ghcomp_member *self = ghcomp_self();
    if (!is_master())
        return NULL;
    ghcomp_store_relaxed(count, 0u);
    ghcomp_taskgroup_start(self);
    return self;
}

static void leaf(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&ran, 1u);
}

/* --- trees: some nodes wait for their children, some for all descendants, some for nothing ------------------------ */

static void node(void *data)
{
    uintptr_t depth = value_of(data);
    ghcomp_add_relaxed(&ran, 1u);
    if (depth == 0)
        return;
    struct ghcomp_member *self = ghcomp_self();
    if (depth % 3 == 1)
        ghcomp_taskgroup_start(self);
    for (int i = 0; i < 3; i++)
        spawn(node, depth - 1);
    if (depth % 3 == 1)
        ghcomp_taskgroup_end(self);
    else if (depth % 3 == 2)
        ghcomp_task_wait(self);
}

static void trees_of_one(void *data)
{
    (void)data;
    if (is_master())
        spawn(node, 7);
}

static void trees_of_all(void *data)
{
    (void)data;
    for (int i = 0; i < 3; i++) {
        spawn(node, 5);
        ghcomp_barrier_wait(ghcomp_self());
        CHECK_EQUAL((i + 1) * ghcomp_self()->team->size * 364, ghcomp_load_relaxed(&ran));
        ghcomp_barrier_wait(ghcomp_self());
    }
}

static void trees(uint32_t threads)
{
    for (int i = 0; i < 10; i++) {
        ghcomp_store_relaxed(&ran, 0u);
        region(trees_of_one, threads);
        CHECK_EQUAL(3280, ghcomp_load_relaxed(&ran));
        ghcomp_store_relaxed(&ran, 0u);
        region(trees_of_all, threads);
    }
}

/* --- a chain: each task makes the next one and ends; a taskgroup around it must wait for the last one ------------- */

static void link_of_chain(void *data)
{
    uintptr_t left = value_of(data);
    ghcomp_add_relaxed(&ran, 1u);
    if (left > 0)
        spawn(link_of_chain, left - 1);
}

static void chain_of_one(void *data)
{
    (void)data;
    if (!is_master())
        return;
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_taskgroup_start(self);
    for (int i = 0; i < 4; i++)
        spawn(link_of_chain, 499);
    ghcomp_taskgroup_end(self);
    CHECK_EQUAL(2000, ghcomp_load_relaxed(&ran));
}

static void chains(uint32_t threads)
{
    for (int i = 0; i < 10; i++) {
        ghcomp_store_relaxed(&ran, 0u);
        region(chain_of_one, threads);
    }
}

/* --- references that one thread takes and another one drops ------------------------------------------------------- */

static _Atomic uint32_t crossing;

static void await_crossing(uint32_t step)
{
    while (ghcomp_load_acquire(&crossing) < step)
        ghcomp_os_yield();
}

static void blocks_the_other(void *data)
{
    (void)data;
    ghcomp_store_release(&crossing, 2u);
    await_crossing(3);
}

static void last_of_all(void *data)
{
    (void)data;
    ghcomp_store_release(&crossing, 3u);
}

static void moves_up(void *data)
{
    (void)data;
    spawn(last_of_all, 0);
}

static void is_left_at_once(void *data)
{
    (void)data;
    ghcomp_store_release(&crossing, 1u);
    spawn(moves_up, 0);
    spawn(blocks_the_other, 0);
    spawn(leaf, 0);
}

/* On thread 0, in a taskgroup that would miss its end if the references were miscounted. Thread 1 runs is_left_at_once,
   moves_up and blocks_the_other, the oldest of its deque first; thread 0 gets the leaf and last_of_all. */
static void opens_a_group(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_taskgroup_start(self);
    spawn(is_left_at_once, 0);
    await_crossing(2);
    ghcomp_taskgroup_end(self);
}

static void references_cross(void *data)
{
    (void)data;
    struct ghcomp_member *self = begin_group(&crossing);
    if (self == NULL)
        return;
    struct ghcomp_task *task = prepare(opens_a_group, 0);
    ghcomp_task_undefer(task);
    ghcomp_task_submit(self, task);
    ghcomp_taskgroup_end(self);
}

/* --- tasks that run at once and have children --------------------------------------------------------------------- */

static void has_a_child(void *data)
{
    (void)data;
    spawn(leaf, 0);
    ghcomp_task_wait(ghcomp_self());
}

/* Its child is still running on another thread when it ends, or has not begun. */
static void leaves_a_child(void *data)
{
    (void)data;
    spawn(leaf, 0);
}

/* Alone, a task whose children are gone leaves no trace in its parent. */
static void runs_them_at_once(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *task = self->task;
    for (int i = 0; i < 200; i++) {
        ghcomp_task_run_now(has_a_child, NULL, self, 0);
        CHECK(self->task == task && (self->team->size > 1 || task->living == 0));
    }
    for (int i = 0; i < 200; i++)
        ghcomp_task_run_now(leaves_a_child, NULL, self, 0);
}

/* The taskgroup waits for all of them, with or without a task in between that has ended. */
static void at_once(void *data)
{
    (void)data;
    struct ghcomp_member *self = begin_group(&ran);
    if (self == NULL)
        return;
    ghcomp_task_run_now(runs_them_at_once, NULL, self, 0);
    ghcomp_taskgroup_end(self);
    CHECK_EQUAL(400, ghcomp_load_relaxed(&ran));
}

/* More groups, one in another, than a thread keeps when they are free. */
static void many_groups(void *data)
{
    (void)data;
    enum { DEEP = 300, TIMES = 3 };
    struct ghcomp_member *self = ghcomp_self();
    for (int time = 0; time < TIMES; time++) {
        for (int i = 0; i < DEEP; i++) {
            struct ghcomp_taskgroup *outer = self->task->group, *group = ghcomp_taskgroup_start(self);
            CHECK(group->outer == outer && self->task->group == group && group->opener == self->task);
            spawn(leaf, 0);
        }
        for (int i = 0; i < DEEP; i++)
            ghcomp_taskgroup_end(self);
        CHECK(self->task->group == NULL);
    }
}

static void groups(uint32_t threads)
{
    ghcomp_store_relaxed(&ran, 0u);
    region(many_groups, threads);
    CHECK_EQUAL(900 * threads, ghcomp_load_relaxed(&ran));
}

/* --- a task makes more than 2^30 children in its life ----------------------------------------------------------- */

/* The counts are put where so many more children would have brought them that other threads ran: each was taken by the
   executor and returned by the other thread, and reported to taskwait. Between two such leaps there are real ones. */
static void has_had_many_children(void *data)
{
    (void)data;
    enum { REAL = 100, LEAP = (1 << 27) - REAL, LEAPS = 10 };
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *task = self->task;
    for (int i = 0; i < LEAPS; i++) {
        task->living = (task->living + 2u * LEAP) | 1u;
        ghcomp_sub_acqrel(&task->refcount, (uint32_t)LEAP);
        task->due += LEAP;
        ghcomp_add_acqrel(&task->reported, 2u * LEAP);
        for (int k = 0; k < REAL; k++)
            spawn(leaf, 0);
        ghcomp_task_wait(self);
        CHECK_EQUAL((i + 1) * REAL, ghcomp_load_relaxed(&ran));
    }
}

/* The taskgroup ends when the task has lost its last reference: with a wrong count it never does, or too early. */
static void many_children(void *data)
{
    (void)data;
    struct ghcomp_member *self = begin_group(&ran);
    if (self == NULL)
        return;
    spawn(has_had_many_children, 0);
    ghcomp_taskgroup_end(self);
    CHECK_EQUAL(1000, ghcomp_load_relaxed(&ran));
}

/* --- taskwait waits for children only, and runs descendants only -------------------------------------------------- */

static _Atomic uint32_t gate, in_lock;

static void wait_for_gate(void *data)
{
    (void)data;
    while (ghcomp_load_acquire(&gate) == 0)
        ghcomp_os_yield();
    ghcomp_add_relaxed(&ran, 1u);
}

static void parent_of_waiter(void *data)
{
    (void)data;
    spawn(wait_for_gate, 0);
}

static void grandchildren_are_left(void *data)
{
    (void)data;
    if (!is_master() || ghcomp_self()->team->size == 1)
        return;
    ghcomp_store_relaxed(&ran, 0u);
    ghcomp_store_relaxed(&gate, 0u);
    spawn(parent_of_waiter, 0);
    /* The grandchild cannot end before the gate is open: the thread that takes it stays there, also if it is this
       one. */
    struct ghcomp_member *self = ghcomp_self();
    while (self->team->size > 1 && !ghcomp_pending_empty(&self->task->due, ghcomp_load_acquire(&self->task->reported)))
        ghcomp_os_yield();
    ghcomp_task_wait(self);
    CHECK_EQUAL(0, ghcomp_load_relaxed(&ran));
    ghcomp_store_release(&gate, 1u);
}

static _Atomic uint32_t lock;

static void holds_lock_across_wait(void *data)
{
    (void)data;
    ghcomp_lock_take(&lock);
    CHECK_EQUAL(0, ghcomp_add_relaxed(&in_lock, 1u));
    for (int i = 0; i < 3; i++)
        spawn(leaf, 0);
    ghcomp_task_wait(ghcomp_self());
    ghcomp_sub_relaxed(&in_lock, 1u);
    ghcomp_lock_give(&lock);
}

static void siblings_take_a_lock(void *data)
{
    (void)data;
    if (is_master())
        for (int i = 0; i < 200; i++)
            spawn(holds_lock_across_wait, 0);
}

/* --- workers that have reached the end of the region come back ---------------------------------------------------- */

static _Atomic uint32_t met;

static void meet(void *data)
{
    uint32_t all = (uint32_t)value_of(data);
    ghcomp_add_acqrel(&met, 1u);
    while (ghcomp_load_acquire(&met) < all)
        ghcomp_os_yield();
}

static void late_tasks(void *data)
{
    (void)data;
    if (!is_master())
        return;
    struct ghcomp_team *team = ghcomp_self()->team;
    uint32_t from = 1;
    while (team->by_flags ? !ghcomp_barrier_flags_all_finished(team, &from)
                          : ghcomp_load_acquire(&team->unfinished) > 1)
        ghcomp_os_yield();
    ghcomp_store_relaxed(&met, 0u);
    for (uint32_t i = 0; i < team->size; i++)
        spawn(meet, team->size);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

enum { EVENTS = 200 };
static struct ghcomp_task *_Atomic handles[EVENTS];

static void *fulfiller(void *argument)
{
    (void)argument;
    for (int i = 0; i < EVENTS; i++) {
        struct ghcomp_task *task;
        while ((task = ghcomp_xchg_acqrel(&handles[i], NULL)) == NULL)
            ghcomp_os_yield();
        ghcomp_task_fulfill(task);
    }
    return NULL;
}

static void events_from_outside(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (is_master()) {
        for (int i = 0; i < EVENTS; i++) {
            struct ghcomp_task *task = prepare(leaf, 0);
            ghcomp_task_detachable(task);
            struct ghcomp_task *handle = task;
            ghcomp_task_submit(self, task);
            ghcomp_store_release(&handles[i], handle);
            if (i % 50 == 0)
                ghcomp_task_wait(self);
        }
        ghcomp_task_wait(self);
        CHECK_EQUAL(EVENTS, ghcomp_load_relaxed(&ran));
    }
    ghcomp_barrier_wait(self);
    CHECK_EQUAL(EVENTS, ghcomp_load_relaxed(&ran));
}

static void events_by_the_maker(void *data)
{
    (void)data;
    static struct ghcomp_task *made[10000];
    struct ghcomp_member *self = ghcomp_self();
    if (!is_master())
        return;
    for (int i = 0; i < 10000; i++) {
        made[i] = prepare(leaf, 0);
        struct ghcomp_task *task = made[i];
        ghcomp_task_detachable(task);
        ghcomp_task_submit(self, task);
    }
    for (int i = 0; i < 10000; i++)
        ghcomp_task_fulfill(made[i]);
    ghcomp_task_wait(self);
    CHECK_EQUAL(10000, ghcomp_load_relaxed(&ran));
}

static void events(uint32_t threads)
{
    for (int i = 0; i < 5; i++) {
        pthread_t other;
        pthread_create(&other, NULL, fulfiller, NULL);
        ghcomp_store_relaxed(&ran, 0u);
        region(events_from_outside, threads);
        pthread_join(other, NULL);
    }
    ghcomp_store_relaxed(&ran, 0u);
    region(events_by_the_maker, threads);
}

/* --- priorities and cancellation ---------------------------------------------------------------------------------- */

static uint32_t order[8], ordered;

static void note_priority(void *data)
{
    order[ordered++] = (uint32_t)value_of(data);
}

static void by_priority(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 1) {
        /* This member is kept busy, outside of any wait that runs tasks. */
        while (ghcomp_load_acquire(&gate) == 0)
            ghcomp_os_yield();
        return;
    }
    static const int priorities[8] = {3, 1, 7, 0, 5, 2, 6, 4};
    ordered = 0;
    for (int i = 0; i < 8; i++) {
        struct ghcomp_task *task = prepare(note_priority, (uintptr_t)priorities[i]);
        ghcomp_task_set_priority(task, priorities[i]);
        ghcomp_task_submit(self, task);
    }
    ghcomp_task_wait(self);
    for (uint32_t i = 0; i < 8; i++)
        CHECK_EQUAL(7 - i, order[i]);
    ghcomp_store_release(&gate, 1u);
}

static void cancels_its_group(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (is_master()) {
        ghcomp_taskgroup_start(self);
        CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_TASKGROUP));
        CHECK(ghcomp_cancellation_point(self, GHCOMP_CANCEL_TASKGROUP));
        CHECK(ghcomp_task_refused(self));
        for (int i = 0; i < 100; i++)
            spawn(leaf, 0);
        ghcomp_taskgroup_end(self);
        CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_TASKGROUP));
        CHECK_EQUAL(0, ghcomp_load_relaxed(&ran));
        spawn(leaf, 0);
    }
}

/* --- an initial thread that ends while it owns tasks; a task in a region in a task -------------------------------- */

static void inner_region(void *data)
{
    (void)data;
    spawn(node, 3);
}

static void makes_region(void *data)
{
    (void)data;
    region(inner_region, 3);
}

static void regions_in_tasks(void *data)
{
    (void)data;
    if (is_master())
        for (int i = 0; i < 6; i++)
            ghcomp_task_submit(ghcomp_self(), prepare(makes_region, 0));
}

static void *initial_thread(void *argument)
{
    (void)argument;
    struct ghcomp_task *task = prepare(leaf, 0);
    ghcomp_task_detachable(task);
    ghcomp_task_submit(ghcomp_self(), task);
    ghcomp_team_parallel(regions_in_tasks, NULL, 3, 0);
    ghcomp_task_fulfill(task);
    return NULL;
}

static void *leaves_a_task(void *argument)
{
    struct ghcomp_task *task = prepare(leaf, 0);
    ghcomp_task_detachable(task);
    ghcomp_task_submit(ghcomp_self(), task);
    *(struct ghcomp_task **)argument = task;
    return NULL;
}

/* The thread that made a task ends before the task's event is fulfilled. */
static void thread_ends_before_its_task(void)
{
    struct ghcomp_task *task;
    pthread_t thread;
    pthread_create(&thread, NULL, leaves_a_task, &task);
    pthread_join(thread, NULL);
    ghcomp_task_fulfill(task);
}

/* Tasks that follow each other in one struct share its name, so that a program does not use all names up; a task that
   is alive has a name of its own. */
enum { NAMED = 1000 };
static uint32_t names[NAMED], named, name_of_maker;

static void takes_a_name(void *data)
{
    uint32_t name = ghcomp_task_id(ghcomp_self()->task);
    CHECK(name != 0 && name != name_of_maker);
    CHECK_EQUAL(name, ghcomp_task_id(ghcomp_self()->task));
    names[named++] = name;
    if (value_of(data) == 0)
        return;
    ghcomp_task_run_now(takes_a_name, &(uintptr_t){0}, ghcomp_self(), 0);
    CHECK(names[named - 1] != name);
}

static void tasks_have_names(void)
{
    name_of_maker = ghcomp_task_id(ghcomp_self()->task);
    for (named = 0; named < NAMED;)
        ghcomp_task_run_now(takes_a_name, &(uintptr_t){1}, ghcomp_self(), 0);
    for (uint32_t i = 2; i < NAMED; i++)
        CHECK_EQUAL(names[i % 2], names[i]);
}

int main(void)
{
    ghcomp_env_init();
#ifdef LARGE_TEAMS /* see task_tree.c */
    ghcomp_tree_from = 2;
#endif
    ghcomp_flags_to = ghcomp_unfenced_to = GHCOMP_BARRIER_FLAGS; /* on any machine */
    ghcomp_global.initial.max_active_levels = 4;
    ghcomp_global.max_task_priority = 10;
    (void)ghcomp_self();
#ifdef ALWAYS_SLEEP
    for (int kind = 0; kind < GHCOMP_WAIT_KINDS; kind++)
        ghcomp_wait_set_limit(kind, 0, 0);
#endif
    static const uint32_t sizes[] = {1, 2, 3, 4, 9};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        trees(sizes[i]);
        chains(sizes[i]);
        for (int k = 0; k < 10; k++)
            region(at_once, sizes[i]);
        groups(sizes[i]);
        for (int k = 0; k < 5; k++)
            region(many_children, sizes[i]);
        region(grandchildren_are_left, sizes[i]);
        for (int k = 0; k < 5; k++)
            region(siblings_take_a_lock, sizes[i]);
        for (int k = 0; k < 20; k++)
            region(late_tasks, sizes[i]);
        events(sizes[i]);
    }
    for (int i = 0; i < 50; i++)
        region(references_cross, 2);
    thread_ends_before_its_task();
    tasks_have_names();
    ghcomp_store_relaxed(&gate, 0u);
    region(by_priority, 2);
    ghcomp_global.cancel = true;
    for (int i = 0; i < 20; i++) {
        ghcomp_store_relaxed(&ran, 0u);
        region(cancels_its_group, 1 + (uint32_t)i % 4);
        CHECK_EQUAL(1, ghcomp_load_relaxed(&ran));
    }
    for (int i = 0; i < 10; i++) {
        pthread_t threads[4];
        ghcomp_store_relaxed(&ran, 0u);
        for (int k = 0; k < 4; k++)
            pthread_create(&threads[k], NULL, initial_thread, NULL);
        for (int k = 0; k < 4; k++)
            pthread_join(threads[k], NULL);
        CHECK_EQUAL(4 * (1 + 6 * 3 * 40), ghcomp_load_relaxed(&ran));
    }
    return 0;
}
