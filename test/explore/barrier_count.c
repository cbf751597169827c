/* explore: the barrier that counts (core/sync/barrier.c), with members that sleep at their first miss: no member passes
   before all have arrived, no member sleeps for ever, the same in the next barrier; with a task, and with cancellation.
   mutant: reset-after-release | core/sync/barrier.c | ghcomp_store_relaxed\(&barrier->arrived, 0u\);\s*release\(team, \*episode\); => release(team, *episode); ghcomp_store_relaxed(&barrier->arrived, 0u);
   mutant: arrives-by-store | core/sync/barrier.c | ghcomp_add_acqrel\(&barrier->arrived, 1u\) \+ 1 != team->size => ghcomp_store_relaxed(&barrier->arrived, ghcomp_load_relaxed(&barrier->arrived) + 1), ghcomp_load_relaxed(&barrier->arrived) != team->size
   mutant: wakes-one | core/sync/barrier.c | ghcomp_os_wake_class\(&team->barrier.eventcount, 2, class_of\(episode\)\); => ghcomp_os_wake_class(&team->barrier.eventcount, 1, class_of(episode));
   mutant: tasked-acquired | core/sync/task_team.h | return ghcomp_load_seqcst\(&team->tasked\); => return ghcomp_load_acquire(&team->tasked);
   mutant: nobody-passes-on | core/sync/barrier.c | if \(slept && team->size > 3\) => if (false) */
#include "core/sync/barrier.c"

#include "barriers.h"

static void two_members(void)
{
    explore_make_team(2);
    make_members(2, two_barriers);
}

static void three_members(void)
{
    explore_make_team(3);
    make_members(3, two_barriers);
}

static void four_members(void)
{
    explore_make_team(4);
    make_members(4, two_barriers);
}

static void tasks_three(void)
{
    explore_make_team(3);
    make_members(3, with_a_task);
}

static void awaited_three(void)
{
    explore_make_team(3);
    make_members(3, with_a_task_awaited);
}

static void cancelled_three(void)
{
    explore_make_team(3);
    make_members(3, cancelled);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "two members", .setup = two_members, .full = true, .spurious = 1, .schedules = 30000, .random = 1000},
        {.name = "three members", .setup = three_members, .preemptions = 2, .delays = 0, .schedules = 30000,
         .random = 4000},
        {.name = "four members", .setup = four_members, .preemptions = 1, .delays = 0, .schedules = 30000,
         .random = 20000},
        {.name = "a task, three members", .setup = tasks_three, .preemptions = 1, .delays = 1, .schedules = 15000,
         .random = 4000},
        {.name = "a task that its maker waits for", .setup = awaited_three, .preemptions = 1, .delays = 1,
         .schedules = 10000, .random = 4000},
        {.name = "cancellation, three members", .setup = cancelled_three, .preemptions = 3, .delays = 1,
         .schedules = 20000, .random = 2000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
