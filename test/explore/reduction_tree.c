/* explore: the tree of reductions (core/sync/reduction_tree.c), with members that sleep at their first miss. Member 0
   gets the values of all, in the members' order, once; what a member has given may change as soon as it is back; no
   member sleeps for ever; the next reduction begins from the same words; a task that a member has left in its deque
   runs while it waits, and one that another member makes later.
   mutant: giver-does-not-wait | core/sync/reduction_tree.c | if \(!wait_while\(self, &own->word, OFFERED, partner\) && change_offered\(&own->word, EMPTY\)\) => if (false)
   mutant: taker-does-not-wait | core/sync/reduction_tree.c | !wait_while\(self, &from->word, EMPTY, partner\) => false
   mutant: offered-before-the-address | core/sync/reduction_tree.c | (?s)( *own->values = values;\n)(.*?change\(self->team, &own->word, OFFERED\);\n) => \2\1
   mutant: emptied-before-the-values-are-read | core/sync/reduction_tree.c | (?s)( *combine\(values, from->values\);\n)(.*?change\(self->team, &from->word, EMPTY\);\n) => \2\1
   mutant: word-stays-offered | core/sync/reduction_tree.c | change\(self->team, &from->word, EMPTY\); => ;
   mutant: sleeper-not-woken | core/sync/reduction_tree.c | if \(ghcomp_xchg_acqrel\(word, value\) & 1u\)\s*ghcomp_os_wake\(word, 1\); => ghcomp_xchg_acqrel(word, value);
   mutant: change-is-a-store | core/sync/reduction_tree.c | if \(ghcomp_xchg_acqrel\(word, value\) & 1u\) => uint32_t before = ghcomp_load_relaxed(word); ghcomp_store_release(word, value); if (before & 1u)
   mutant: last-pair-forgotten | core/sync/reduction_tree.c | if \(size - tid > step\) => if (size - tid > step + 1)
   mutant: taken-from-the-wrong-end | core/sync/reduction_tree.c | for \(uint32_t step = 1; step < size; step \*= 2\) => for (uint32_t step = size > 2 ? 2 : 1; step > 0; step = step == 2 ? 1 : 0)
   mutant: offer-not-taken-back | core/sync/reduction_tree.c | &own->word, OFFERED, partner\) && change_offered\(&own->word, EMPTY\)\) => &own->word, OFFERED, partner))
   mutant: taken-without-a-claim | core/sync/reduction_tree.c | \|\|\s*\(ghcomp_unlikely\(ghcomp_global.cancel\) && !change_offered\(&from->word, TAKING\)\) => 
   mutant: giver-leaves-its-taker | core/sync/reduction_tree.c | ghcomp_wait_change\(&own->word, TAKING, GHCOMP_WAIT_TEAM, &slept\); => (void)slept;
   mutant: deaf-to-cancellation | core/sync/reduction_tree.c | \(ghcomp_unlikely\(ghcomp_global.cancel\) && ghcomp_barrier_has_left\(team, partner\)\) => false
   mutant: ends-with-the-region | core/sync/reduction_tree.c | ghcomp_barrier_has_left\(team, partner\) => ghcomp_barrier_region_cancelled(team)
   mutant: tasks-left | core/sync/reduction_tree.c | if \(ghcomp_unlikely\(ghcomp_task_team_used\(team\)\)\)\s*run_or_sleep => if (false) run_or_sleep
   mutant: change-without-notice | core/sync/reduction_tree.c | ghcomp_eventcount_notify\(team\); => ;
   mutant: sleeps-without-another-look | core/sync/reduction_tree.c | \|\| ghcomp_task_team_used\(team\)\)\s*return; => || false) return;
   mutant: first-task-wakes-nobody | core/sync/reduction_tree.c | if \(ghcomp_unlikely\(ghcomp_load_seqcst\(word\) & 1u\) && => if (false &&
   mutant: woken-too-early | core/sync/reduction_tree.c | && \(ghcomp_and_acqrel\(word, ~1u\) & 1u\)\) => )
   mutant: cancelled-in-its-sleep | core/sync/reduction_tree.c | if \(ghcomp_likely\(!ghcomp_global.cancel\)\) => if (true) */
#include "core/sync/reduction_tree.c"

#include "counted_task.h"
#include "team.h"

enum { ROUNDS = 2 };

/* A run of members whose values these are; plain, as a program's values are. */
struct run {
    int first, last;
};

static struct run values[EXPLORE_MEMBERS];
static unsigned wholes;

static void combine(void *into, void *other)
{
    struct run *mine = into;
    const struct run *theirs = other;
    EXPLORE_CHECK(theirs != NULL);
    EXPLORE_EQUAL(mine->last + 1, theirs->first);
    mine->last = theirs->last;
}

static void reduce_once(struct ghcomp_member *self)
{
    int tid = (int)self->tid;
    struct run *own = &values[tid];
    *own = (struct run){tid, tid};
    if (ghcomp_reduction_tree(self, own, combine)) {
        EXPLORE_EQUAL(0, tid);
        EXPLORE_EQUAL(0, own->first);
        EXPLORE_EQUAL((int)team.size - 1, own->last);
        wholes++;
    }
    *own = (struct run){-9, -9}; /* it is not read any more */
}

static void reduce(void *rounds)
{
    struct ghcomp_member *self = explore_join_team();
    for (uintptr_t i = 0; i < (uintptr_t)rounds; i++)
        reduce_once(self);
}

static void members(uint32_t size, uintptr_t rounds)
{
    explore_make_team(size);
    for (uint32_t i = 0; i < size; i++)
        explore_thread(reduce, (void *)rounds);
}

static void words_are_empty(void)
{
    for (uint32_t i = 0; i < team.size; i++)
        EXPLORE_EQUAL(EMPTY, ghcomp_load_relaxed(&team.members[i]->reduction.word) & ~1u);
}

static void once(void)
{
    EXPLORE_EQUAL(1, wholes);
    words_are_empty();
}

static void twice(void)
{
    EXPLORE_EQUAL(2, wholes);
    words_are_empty();
}

static void two_members(void)
{
    members(2, ROUNDS);
}

static void three_members(void)
{
    members(3, ROUNDS);
}

static void four_members(void)
{
    members(4, 1);
}

/* --- a task in a deque -------------------------------------------------------------------------------------------- */

/* Member 1 leaves a task in its deque; member 0 waits for it in its own code. */
static void with_a_task(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == 1)
        leave_task(self);
    else
        while (ran == 0)
            explore_pause();
    reduce_once(self);
}

static void task(void)
{
    explore_make_team(2);
    for (int i = 0; i < 2; i++)
        explore_thread(with_a_task, NULL);
}

/* Member 0 makes the team's first task while member 1 waits for it in the reduction, or will, and then waits for that
   task. */
static void with_a_late_task(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == 0) {
        leave_task(self);
        while (ran == 0)
            explore_pause();
    }
    reduce_once(self);
}

static void late_task(void)
{
    explore_make_team(2);
    for (int i = 0; i < 2; i++)
        explore_thread(with_a_late_task, NULL);
}

/* --- cancellation ------------------------------------------------------------------------------------------------- */

/* The last member ends the region, with all members taken for gone (ghcomp_cancel_region); what the others have
   combined by then is in order. */
static void cancelled(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == team.size - 1) {
        for (uint32_t i = 0; i < team.size; i++)
            ghcomp_store_release(&team.members[i]->left, true);
        ghcomp_or_acqrel(&team.cancelled, (uint32_t)GHCOMP_CANCELLED_PARALLEL);
        return;
    }
    struct run *own = &values[self->tid];
    *own = (struct run){(int)self->tid, (int)self->tid};
    ghcomp_reduction_tree(self, own, combine);
    *own = (struct run){-9, -9};
}

static void cancel(uint32_t size)
{
    ghcomp_global.cancel = true;
    explore_make_team(size);
    for (uint32_t i = 0; i < size; i++)
        explore_thread(cancelled, NULL);
}

static void cancel_two(void)
{
    cancel(2);
}

static void cancel_three(void)
{
    cancel(3);
}

static void leave(struct ghcomp_member *self)
{
    ghcomp_or_acqrel(&team.cancelled, (uint32_t)GHCOMP_CANCELLED_PARALLEL);
    ghcomp_store_release(&self->left, true);
}

/* The last member leaves the region after the reduction; the others are on their way to it. */
static void cancelled_behind(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    reduce_once(self);
    if (self->tid == team.size - 1)
        leave(self);
}

static void cancel_behind(void)
{
    ghcomp_global.cancel = true;
    explore_make_team(4);
    for (int i = 0; i < 4; i++)
        explore_thread(cancelled_behind, NULL);
}

static void cancel_not_used(void)
{
    ghcomp_global.cancel = true;
    members(2, ROUNDS);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "two members, two reductions", .setup = two_members, .finish = twice, .full = true, .spurious = 1,
         .schedules = 30000, .random = 3000},
        {.name = "three members, two reductions", .setup = three_members, .finish = twice, .preemptions = 2,
         .delays = 1, .schedules = 30000, .random = 4000},
        {.name = "four members", .setup = four_members, .finish = once, .preemptions = 2, .delays = 1,
         .schedules = 30000, .random = 4000},
        {.name = "two members that may be cancelled", .setup = cancel_not_used, .finish = twice, .timeouts = true,
         .preemptions = 2, .delays = 1, .schedules = 20000, .random = 3000},
        {.name = "cancelled, two members", .setup = cancel_two, .finish = words_are_empty, .timeouts = true,
         .preemptions = 3, .delays = 1, .schedules = 20000, .random = 3000},
        {.name = "cancelled, three members", .setup = cancel_three, .finish = words_are_empty, .timeouts = true,
         .preemptions = 3, .delays = 1, .schedules = 30000, .random = 4000},
        {.name = "cancelled behind it, four members", .setup = cancel_behind, .finish = once, .timeouts = true,
         .preemptions = 2, .delays = 1, .schedules = 20000, .random = 3000},
        {.name = "a task, two members", .setup = task, .finish = once, .preemptions = 2, .delays = 1,
         .schedules = 20000, .random = 3000},
        {.name = "a late task, two members", .setup = late_task, .finish = once, .preemptions = 2, .delays = 1,
         .schedules = 20000, .random = 3000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
