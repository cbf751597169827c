/* explore: the barrier of large teams (core/sync/{barrier_tree.c,combining_tree.h}), with members that sleep at
   their first miss: no member passes before all have arrived, no member sleeps for ever, the same in the next barrier;
   a tree of one node and one of three; with a task, and with cancellation.
   mutant: node-not-emptied | core/sync/combining_tree.h | ghcomp_store_relaxed\(&node->arrived, 0u\);\s*node = node->up; => node = node->up;
   mutant: releases-by-a-store | core/sync/barrier_tree.c | (?s)(if \(ghcomp_xchg_acqrel\(&team->barrier.eventcount[^;]*;)\s*(ghcomp_store_release\(&team->tree->nodes\[0\].go, episode\);) => \2 ghcomp_os_yield(); ghcomp_store_relaxed(&team->barrier.eventcount, episode << EPISODE_SHIFT);
   mutant: nobody-passes-on | core/sync/barrier_tree.c | if \(slept\)\s*ghcomp_os_wake_class => if (false) ghcomp_os_wake_class
   mutant: stale-eventcount | core/sync/barrier_tree.c | bool looks = spin.left == 0; => bool looks = false; */
#include "core/sync/barrier_tree.c"

#include "barriers.h"

static void tree_of(uint32_t size, void (*function)(void *))
{
    explore_make_team(size);
    team.by_tree = true;
    ghcomp_barrier_tree_fit(&team);
    make_members(size, function);
}

static void two_members(void)
{
    tree_of(2, two_barriers);
}

static void three_members(void)
{
    tree_of(3, two_barriers);
}

static void five_members(void)
{
    tree_of(5, two_barriers);
}

static void tasks_three(void)
{
    tree_of(3, with_a_task);
}

static void cancelled_three(void)
{
    tree_of(3, cancelled);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "two members", .setup = two_members, .preemptions = 3, .delays = 1, .spurious = 1, .schedules = 30000,
         .random = 1000},
        {.name = "three members", .setup = three_members, .preemptions = 2, .delays = 0, .schedules = 20000,
         .random = 4000},
        {.name = "five members", .setup = five_members, .preemptions = 1, .delays = 0, .schedules = 20000,
         .random = 10000},
        {.name = "a task, three members", .setup = tasks_three, .preemptions = 1, .delays = 1, .schedules = 15000,
         .random = 4000},
        {.name = "cancellation, three members", .setup = cancelled_three, .preemptions = 3, .delays = 1,
         .schedules = 20000, .random = 2000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
