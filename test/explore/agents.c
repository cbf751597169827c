/* explore: free agents (core/team/agents.c, core/sync/seats.{h,c}) with the real pool, queue and task team: a task
   whose maker reaches no task scheduling point is run by an agent, also when the last one has just stopped looking; a
   region ends when its tasks on agents have, with those that they have made, and when no agent is in its team; and its
   next region begins with free seats. A task that is left because the only agent is busy for another master is run by
   that agent, though neither master comes to a scheduling point (core/team/left.c).
   mutant: looks-before-it-counts-itself-out | core/team/agents.c | count_out\(\);\s*return true; => bool any = ghcomp_left_any(); count_out(); return any;
   mutant: maker-reads-only | core/team/agents.c | ghcomp_add_acqrel\(&agents, 0u\) => ghcomp_load_relaxed(&agents)
   mutant: visit-not-counted | core/sync/seats.c | count\(&seat->member, 1\); => ;
   mutant: no-bias | core/sync/seats.c | if \(team->size == 1 && !ghcomp_agent\(self\) && !seats->biased\) => if (false)
   mutant: gives-the-seat-last | core/team/agents.c | (?s)(ghcomp_seats_give\(seat\);)\s*(ghcomp_task_count_outside\(team\);) => \2 \1
   mutant: never-looks-elsewhere | core/team/agents.c | if \(!ghcomp_left_any\(\) => if (true
   mutant: does-not-read-again | core/team/agents.c | (?s)(ghcomp_pool_kind\(self->thread, false\)\);)\s*if \(may_call\(self\) && call\(self\)\)\s*return true; => \1
   mutant: unlists-after-the-look | core/team/left.c | (?s)take_out\(visit->left\);\s*(visit->task = ghcomp_task_queue_get_left\(team\);)\s*if \(visit->task == NULL\)\s*return false; => \1 take_out(visit->left); if (visit->task == NULL) return false;
   mutant: own-visit-not-counted | core/team/left.c | ghcomp_seats_count_visit\(visit->seat\); => ;
   mutant: stays-listed | core/team/left.c | if \(ghcomp_load_relaxed\(&record->listed\) == now\(\)\) => if (false) */
#include <stdlib.h>

/* What a schedule registers would outlive its memory. */
static int never_exits(void (*handler)(void))
{
    (void)handler;
    return 0;
}
#define atexit never_exits

#include "core/task/task.h"
#include "explore.h"
/* An agent looks for a time, and needs no other thread to go on. */
#define ghcomp_cpu_pause explore_point
#include "core/sync/seats.c"
#include "core/team/agents.c"
#include "core/team/left.c"

#include "team.h"

static _Atomic uint32_t ran;    /* tasks that have been begun */
static _Atomic uint32_t ended;
static uint32_t made;           /* plain: read after the region */

static void make_as(enum ghcomp_threadset threads, void (*fn)(void *))
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *task = ghcomp_task_new(self, fn, 8, 8, 0);
    if (threads == GHCOMP_THREADSET_POOL || ghcomp_agent(self)) /* as kmp_task.c does */
        ghcomp_task_threadset(task, threads);
    ghcomp_task_submit(self, task);
}

/* A seat belongs to one agent. */
static void run_task(void *nothing)
{
    struct ghcomp_member *self = ghcomp_self();
    (void)nothing;
    ghcomp_add_acqrel(&ran, 1u);
    explore_point();
    EXPLORE_CHECK(!ghcomp_agent(self) || ghcomp_load_relaxed(&((struct ghcomp_seat *)self)->taken));
    ghcomp_add_acqrel(&ended, 1u);
}

/* It makes one for the members, and goes on. */
static void run_and_make(void *nothing)
{
    make_as(GHCOMP_THREADSET_TEAM, run_task);
    run_task(nothing);
}

static void make_and_wait(void (*fn)(void *), uint32_t count)
{
    make_as(GHCOMP_THREADSET_POOL, fn);
    while (ghcomp_load_acquire(&ran) < count)
        explore_pause();
}

/* The initial thread has a worker in the pool, asleep. */
static void begin(void)
{
    explore_quiet(true);
    explore_park_at_once();
    ghcomp_self();
    ghcomp_settings.reserved.agents = 1;
    make_and_wait(run_task, 1);
    ghcomp_task_wait(ghcomp_self());
    while (ghcomp_load_acquire(&away) != 0)
        explore_pause();
    ghcomp_store_relaxed(&ran, 0u);
    ghcomp_store_relaxed(&ended, 0u);
    explore_quiet(false);
}

static void two_in_turn(void *nothing)
{
    (void)nothing;
    begin();
    make_and_wait(run_task, 1);
    make_and_wait(run_task, 2);
    ghcomp_task_wait(ghcomp_self());
    EXPLORE_EQUAL(2, ghcomp_load_acquire(&ended));
}

static void all_seats_are_free(struct ghcomp_team *of)
{
    struct ghcomp_seats *seats = ghcomp_load_relaxed(&of->seats);
    EXPLORE_CHECK(seats != NULL);
    for (uint32_t i = 0; i < seats->count; i++) {
        EXPLORE_CHECK(!ghcomp_load_relaxed(&seats->seat[i].taken));
        EXPLORE_EQUAL(0, ghcomp_load_relaxed(&seats->seat[i].member.created));
    }
    EXPLORE_CHECK(!ghcomp_left_listed(of));
}

static void region(void (*fn)(void *))
{
    uint32_t before = ghcomp_load_relaxed(&ended);
    made = 0;
    ghcomp_team_parallel(fn, NULL, 1, 0);
    EXPLORE_EQUAL(before + made, ghcomp_load_relaxed(&ended));
    all_seats_are_free(ghcomp_self()->hot_serial);
}

static void leave_one(void *nothing)
{
    (void)nothing;
    made = 1;
    make_as(GHCOMP_THREADSET_POOL, run_task);
}

static void two_regions(void *nothing)
{
    (void)nothing;
    begin();
    region(leave_one);
    region(leave_one);
}

/* The member runs the agent's child at the end of its part: it has made one task, and completed one. */
static void leave_one_that_makes(void *nothing)
{
    (void)nothing;
    made = 2;
    make_and_wait(run_and_make, ghcomp_load_relaxed(&ran) + 1);
    ghcomp_task_yield(ghcomp_self());
}

static void with_children(void *nothing)
{
    (void)nothing;
    begin();
    region(leave_one_that_makes);
}

/* --- two masters and one agent ------------------------------------------------------------------------------------ */

static _Atomic uint32_t busy, left_tasks, over; /* the agent has work; another master's tasks that have run; an end */

static void await(_Atomic uint32_t *word, uint32_t value)
{
    while (ghcomp_load_acquire(word) < value)
        explore_pause();
}

static void be_busy(void *nothing)
{
    ghcomp_add_acqrel(&busy, 1u);
    run_task(nothing);
}

static void be_busy_to_the_end(void *nothing)
{
    ghcomp_add_acqrel(&busy, 1u);
    await(&over, 1);
    run_task(nothing);
}

static void run_left(void *nothing)
{
    run_task(nothing);
    ghcomp_add_acqrel(&left_tasks, 1u);
}

static void first_master(void *until)
{
    begin();
    make_as(GHCOMP_THREADSET_POOL, until != NULL ? be_busy_to_the_end : be_busy);
    await(&over, 1);
    ghcomp_task_wait(ghcomp_self());
}

static void other_master(void *nothing)
{
    (void)nothing;
    await(&busy, 1);
    for (uint32_t i = 1; i <= 2; i++) {
        make_as(GHCOMP_THREADSET_POOL, run_left);
        await(&left_tasks, i);
    }
    ghcomp_store_release(&over, 1u);
    ghcomp_task_wait(ghcomp_self());
}

static void leave_one_of_left(void *nothing)
{
    (void)nothing;
    make_as(GHCOMP_THREADSET_POOL, run_left);
    await(&left_tasks, 1);
}

static void run_one_itself(void *nothing)
{
    (void)nothing;
    make_as(GHCOMP_THREADSET_POOL, run_left);
}

static void other_masters_region(void *fn)
{
    await(&busy, 1);
    ghcomp_team_parallel(fn == &over ? run_one_itself : leave_one_of_left, NULL, 1, 0);
    EXPLORE_EQUAL(1, ghcomp_load_acquire(&left_tasks));
    all_seats_are_free(ghcomp_self()->hot_serial);
    ghcomp_store_release(&over, 1u);
}

static void left_tasks_run(void)
{
    explore_thread(first_master, NULL);
    explore_thread(other_master, NULL);
}

static void left_in_region(void)
{
    explore_thread(first_master, NULL);
    explore_thread(other_masters_region, NULL);
}

/* The agent is busy until the region has ended. */
static void taken_back(void)
{
    explore_thread(first_master, &over);
    explore_thread(other_masters_region, &over);
}

static void in_turn(void)
{
    explore_thread(two_in_turn, NULL);
}

static void regions(void)
{
    explore_thread(two_regions, NULL);
}

static void children(void)
{
    explore_thread(with_children, NULL);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "two tasks in turn", .setup = in_turn, .preemptions = 1, .delays = 1, .schedules = 20000,
         .random = 2000},
        {.name = "two regions", .setup = regions, .preemptions = 1, .delays = 1, .schedules = 20000, .random = 2000},
        {.name = "an agent's child", .setup = children, .preemptions = 1, .delays = 1, .schedules = 20000,
         .random = 2000},
        {.name = "left tasks", .setup = left_tasks_run, .preemptions = 1, .schedules = 20000, .random = 2000},
        {.name = "a region's left task", .setup = left_in_region, .preemptions = 1, .schedules = 20000, .random = 2000},
        {.name = "a left task taken back", .setup = taken_back, .preemptions = 1, .schedules = 20000, .random = 2000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
