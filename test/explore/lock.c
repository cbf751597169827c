/* explore: the lock (core/sync/lock.{h,c}), with waiters that sleep at once and claims of starved ones: one thread
   holds it at a time, sees what the last holder wrote, and no waiter sleeps for ever; also beside one that gives up.
   mutant: claim-kept | core/sync/lock.c | left = \(turn->claims \? word & ~\(uint32_t\)CLAIM : word\) => left = word
   mutant: wake-up-kept | core/sync/lock.c | : word\) \| turn->leave; => : word);
   mutant: passed-lock-left | core/sync/lock.c | if \(!\(word & HELD\) && \(turn->claims \|\| !claimed\(word\)\)\) \{ => if (false) {
   mutant: sleeps-unannounced | core/sync/lock.c | if \(!\(word & bit\) && !ghcomp_cas_acqrel\(lock, &word, word \| bit\)\)\s*return; => (void)bit;
   mutant: sleepers-forgotten | core/sync/lock.c | turn->leave = SLEEPERS; => turn->leave = 0;
   mutant: claim-ignored | core/sync/lock.c | if \(!\(word & HELD\) && !barred\) \{ => if (!barred) {
   mutant: claimer-not-woken | core/sync/lock.c | ghcomp_os_wake_class\(lock, 1, CLAIMER\); => ;
   mutant: give-is-a-store | core/sync/lock.c | while \(!ghcomp_cas_acqrel\(lock, &word, left\)\); => while (false); ghcomp_store_release(lock, left); */
#include "core/sync/lock.c"

#include "team.h"

static _Atomic uint32_t lock;
static _Atomic uint32_t inside;
static unsigned count, entered;

static void take_and_give(void *times)
{
    for (uintptr_t i = 0; i < (uintptr_t)times; i++) {
        ghcomp_lock_take(&lock);
        EXPLORE_EQUAL(0, ghcomp_add_relaxed(&inside, 1u));
        unsigned before = count;
        ghcomp_sub_relaxed(&inside, 1u);
        count = before + 1;
        entered++;
        ghcomp_lock_give(&lock);
    }
}

/* Gives up at any moment. */
static void take_for_and_give(void *nothing)
{
    (void)nothing;
    if (!ghcomp_lock_take_for(&lock, 1000000))
        return;
    EXPLORE_EQUAL(0, ghcomp_add_relaxed(&inside, 1u));
    unsigned before = count;
    ghcomp_sub_relaxed(&inside, 1u);
    count = before + 1;
    entered++;
    ghcomp_lock_give(&lock);
}

static void try_and_give(void *nothing)
{
    (void)nothing;
    if (!ghcomp_lock_try(&lock))
        return;
    EXPLORE_EQUAL(0, ghcomp_add_relaxed(&inside, 1u));
    ghcomp_sub_relaxed(&inside, 1u);
    count++;
    entered++;
    ghcomp_lock_give(&lock);
}

static void free_at_the_end(void)
{
    EXPLORE_EQUAL(entered, count);
    EXPLORE_EQUAL(0, ghcomp_load_relaxed(&lock) & GHCOMP_LOCK_HELD);
}

static void two(void)
{
    explore_park_at_once();
    explore_thread(take_and_give, (void *)2);
    explore_thread(take_and_give, (void *)2);
}

static void three(void)
{
    explore_park_at_once();
    explore_thread(take_and_give, (void *)1);
    explore_thread(take_and_give, (void *)1);
    explore_thread(take_and_give, (void *)2);
}

static void four(void)
{
    three();
    explore_thread(try_and_give, NULL);
}

static void one_gives_up(void)
{
    explore_park_at_once();
    explore_thread(take_for_and_give, NULL);
    explore_thread(take_and_give, (void *)1);
    explore_thread(take_and_give, (void *)2);
}

/* A waiter's time may be over when it has been woken. */
static void let_time_pass(void *nothing)
{
    static _Atomic uint32_t word;
    (void)nothing;
    ghcomp_os_sleep_for(&word, 0, 2000000);
}

static void woken_too_late(void)
{
    one_gives_up();
    explore_thread(let_time_pass, NULL);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "two threads, twice each", .setup = two, .finish = free_at_the_end, .preemptions = 3, .delays = 1,
         .spurious = 1, .schedules = 30000, .random = 4000},
        {.name = "three threads", .setup = three, .finish = free_at_the_end, .preemptions = 2, .spurious = 0,
         .schedules = 30000, .random = 5000},
        {.name = "three threads and a try", .setup = four, .finish = free_at_the_end, .preemptions = 2,
         .schedules = 30000, .random = 5000},
        {.name = "three threads, one gives up", .setup = one_gives_up, .finish = free_at_the_end, .preemptions = 2,
         .spurious = 1, .timeouts = true, .schedules = 30000, .random = 8000},
        {.name = "three threads, one is woken and gives up", .setup = woken_too_late, .finish = free_at_the_end,
         .preemptions = 2, .spurious = 1, .timeouts = true, .schedules = 40000, .random = 20000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
