/* explore: the flag barrier (core/sync/barrier_flags.c) and the eventcount under it (eventcount.c), with members that
   sleep at their first miss. No member passes before all have arrived, none sleeps for ever, the same in the next
   barrier; with a deferred task, no member passes before it has run; a cancelled barrier is left by all; without
   membarrier a sleep ends by its limit. That a waiter announces itself anew after a task (eventcount.c) has no mutant:
   where the word has not changed meanwhile, no schedule within these bounds needs it.
   mutant: no-fence | core/sync/eventcount.h | \|\|\s*ghcomp_eventcount_fence\(self->thread\); => || true;
   mutant: unfenced-without-a-limit | core/sync/eventcount.c | ghcomp_wait_park_for\(&team->barrier.eventcount, seen, wait->limit_ns\); => ghcomp_wait_park(&team->barrier.eventcount, seen);
   mutant: announced-without-another-look | core/sync/eventcount.h | wait->announced = true;\s*return false; => return true;
   mutant: fenced-is-a-store | core/sync/barrier_flags.c | ghcomp_xchg_seqcst\(flag, \+\+episode\); => ghcomp_store_release(flag, ++episode);
   mutant: bit-not-looked-at | core/sync/barrier_flags.c | (?s)(notify_sleepers\(team, eventcount\);)(\s*return ghcomp_barrier_left) => \2
   mutant: uncounted-notification | core/sync/eventcount.h | \(eventcount \+ 2\) & GHCOMP_EVENTCOUNT_EVENTS => eventcount & GHCOMP_EVENTCOUNT_EVENTS
   mutant: announced-for-good | core/sync/eventcount.h | wait->announced && seen == wait->announced_on => wait->announced
   mutant: tasks-not-waited-for | core/sync/barrier_flags.c | (complete\(team, episode, from\)) && !waits_for_tasks\(team, episode\) => \1
   mutant: ended-not-set-before-tasks | core/sync/barrier_flags.h | ghcomp_store_relaxed\(&team->barrier.ended, .*; => ;
   mutant: made-counted-first | core/sync/task_team.c | (?s)(for \(uint32_t i = 0; i < team->size; i\+\+\)\s*completed \+=[^;]*;)(\s*)(for \(uint32_t i = 0; i < team->size; i\+\+\)\s*created \+=[^;]*;) => \3\2\1
   mutant: task-wakes-nobody | core/sync/task_team.c | if \(ghcomp_xchg_acqrel\(&team->waking, 1u\) != 0\) => if (true)
   mutant: cancel-without-notice | core/team/cancel.c | (ghcomp_or_acqrel\(&team->cancelled.*\n) *ghcomp_eventcount_notify\(team\); => \1 */
#include "core/sync/eventcount.c"
#include "core/sync/task_team.c"
#include "core/team/cancel.c"
#include "core/sync/barrier_flags.c"

#include "counted_task.h"
#include "team.h"

static unsigned came[3]; /* members at each barrier; plain: ordered by the barrier */

static void be_at(unsigned barrier)
{
    came[barrier]++;
}

/* --- barriers ----------------------------------------------------------------------------------------------------- */

static void two_barriers(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    for (unsigned i = 0; i < 2; i++) {
        be_at(i);
        EXPLORE_EQUAL(GHCOMP_BARRIER_PASSED, ghcomp_barrier_flags_wait(self, false, NULL));
        EXPLORE_EQUAL(team.size, came[i]);
    }
}

static void one_barrier(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    be_at(0);
    EXPLORE_EQUAL(GHCOMP_BARRIER_PASSED, ghcomp_barrier_flags_wait(self, false, NULL));
    EXPLORE_EQUAL(team.size, came[0]);
}

static uint8_t by_flags = GHCOMP_FLAGS_UNFENCED;

static void members(uint32_t size, void (*function)(void *))
{
    explore_make_team(size);
    team.by_flags = by_flags;
    for (uint32_t i = 0; i < size; i++)
        explore_thread(function, NULL);
}

static void two_members(void)
{
    members(2, two_barriers);
}

static void three_members(void)
{
    members(3, one_barrier);
}

static void three_members_twice(void)
{
    members(3, two_barriers);
}

static void fenced_two(void)
{
    by_flags = GHCOMP_FLAGS_FENCED;
    two_members();
}

static void fenced_three(void)
{
    by_flags = GHCOMP_FLAGS_FENCED;
    three_members();
}

/* --- a deferred task ---------------------------------------------------------------------------------------------- */

/* Member 1 makes a task before the barrier. */
static void with_a_task(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == 1)
        leave_task(self);
    be_at(0);
    EXPLORE_EQUAL(GHCOMP_BARRIER_PASSED, ghcomp_barrier_flags_wait(self, false, NULL));
    EXPLORE_EQUAL(team.size, came[0]);
    EXPLORE_EQUAL(1, ran);
}

/* The number in `ended` is that of the next barrier, from a region of long ago. */
static void tasks_two(void)
{
    members(2, with_a_task);
    ghcomp_store_relaxed(&team.barrier.ended, 1u);
}

static void tasks_three(void)
{
    members(3, with_a_task);
}

static _Atomic bool begun;

static void run_and_make(void *nothing)
{
    run(nothing);
    ghcomp_store_release(&begun, true);
    ghcomp_task_submit(ghcomp_self(), ghcomp_task_new(ghcomp_self(), run, 8, 8, 0));
}

/* Member 1 makes a task that makes another one, and waits, in the program's own code, until a member at the barrier has
   begun it. */
static void with_nested_tasks(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == 1) {
        ghcomp_task_submit(self, ghcomp_task_new(self, run_and_make, 8, 8, 0));
        while (!ghcomp_load_acquire(&begun))
            explore_pause();
    }
    EXPLORE_EQUAL(GHCOMP_BARRIER_PASSED, ghcomp_barrier_flags_wait(self, false, NULL));
    EXPLORE_EQUAL(2, ran);
}

static void nested_tasks(void)
{
    members(2, with_nested_tasks);
}

/* Two members complete the last two tasks: neither may sleep before one has seen the other's count. Member 2, which has
   arrived, is the tasks' maker. */
static void last_two(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == 2) {
        leave_task(self);
        leave_task(self);
        return;
    }
    EXPLORE_EQUAL(GHCOMP_BARRIER_PASSED, ghcomp_barrier_flags_wait(self, false, NULL));
}

static void last_two_tasks(void)
{
    members(3, last_two);
    ghcomp_store_relaxed(&team.barrier.flags[2], 1u);
}

/* --- cancellation ------------------------------------------------------------------------------------------------- */

static void cancelled(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == 0)
        ghcomp_cancel_region(&team);
    else
        EXPLORE_EQUAL(GHCOMP_BARRIER_CANCELLED, ghcomp_barrier_flags_wait(self, true, NULL));
}

static void cancelled_three(void)
{
    members(3, cancelled);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "two members, two barriers", .setup = two_members, .full = true, .spurious = 1, .schedules = 30000,
         .random = 3000},
        {.name = "three members", .setup = three_members, .preemptions = 2, .delays = 1, .schedules = 30000,
         .random = 4000},
        {.name = "three members, two barriers", .setup = three_members_twice, .preemptions = 2, .delays = 1,
         .spurious = 0, .schedules = 30000, .random = 5000},
        {.name = "two members, fenced", .setup = fenced_two, .full = true, .spurious = 1, .schedules = 30000,
         .random = 3000},
        {.name = "three members, fenced", .setup = fenced_three, .preemptions = 2, .delays = 1, .schedules = 30000,
         .random = 4000},
        {.name = "a task, two members", .setup = tasks_two, .preemptions = 2, .delays = 1, .schedules = 20000,
         .random = 4000},
        {.name = "a task, three members", .setup = tasks_three, .preemptions = 1, .delays = 1, .schedules = 20000,
         .random = 5000},
        {.name = "a task that makes a task", .setup = nested_tasks, .preemptions = 2, .delays = 1, .schedules = 20000,
         .random = 20000},
        {.name = "the last two tasks", .setup = last_two_tasks, .preemptions = 4, .delays = 2, .schedules = 20000,
         .random = 20000},
        {.name = "cancellation, three members", .setup = cancelled_three, .preemptions = 3, .delays = 1,
         .schedules = 20000, .random = 5000},
        {.name = "no membarrier", .setup = two_members, .preemptions = 3, .delays = 2, .no_fence_all = true,
         .timeouts = true, .schedules = 20000, .random = 5000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
