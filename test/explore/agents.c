/* explore: free agents (core/team/agents.c, core/sync/seats.{h,c}) with the real pool, queue and task team: a task
   whose maker reaches no task scheduling point is run by an agent, also when the last one has just stopped looking; a
   region ends when its tasks on agents have, with those that they have made, and when no agent is in its team; and its
   next region begins with free seats.
   mutant: does-not-look-again | core/team/agents.c | while \(ghcomp_task_queue_has_pool\(team\) && count_in\(most_beside\(team->size\)\)\); => while (false);
   mutant: looks-before-it-counts-itself-out | core/team/agents.c | (?s)count_out\(\);\s*\} while \(ghcomp_task_queue_has_pool\(team\) && count_in\(most_beside\(team->size\)\)\); => } while (ghcomp_task_queue_has_pool(team)); count_out();
   mutant: maker-reads-only | core/team/agents.c | ghcomp_add_acqrel\(&agents, 0u\) => ghcomp_load_relaxed(&agents)
   mutant: visit-not-counted | core/sync/seats.c | count\(&seat->member, 1\); => ;
   mutant: no-bias | core/sync/seats.c | if \(team->size == 1 && !seats->biased\) => if (false)
   mutant: gives-the-seat-last | core/team/agents.c | (?s)(ghcomp_seats_give\(seat\);)\s*(ghcomp_task_count_outside\(team\);) => \2 \1 */
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
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
