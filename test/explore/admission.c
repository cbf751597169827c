/* explore: admission (core/cpu/{admission,cpu_account}.c): masters whose regions take all CPUs are inside one at a
   time, all get in, and a thread that leaves wakes the head of the queue: once barging is not allowed, no sleep of the
   head ends by its limit.
   mutant: sleep-announced-by-a-store | core/cpu/admission.c | ghcomp_xchg_seqcst\(&queue.asleep, 1u\); => ghcomp_store_relaxed(&queue.asleep, 1u);
   mutant: no-look-after-closing | core/cpu/admission.c | continue; /\* a leaver since => ; /* a leaver since
   mutant: asleep-acquired | core/cpu/admission.c | ghcomp_likely\(ghcomp_load_seqcst\(&queue.asleep\) == 0\) => ghcomp_likely(ghcomp_load_acquire(&queue.asleep) == 0)
   mutant: head-not-woken | core/cpu/admission.c | if \(ghcomp_xchg_seqcst\(&queue.asleep, 0u\) == 1\) => if (false)
   mutant: next-head-not-told | core/cpu/admission.c | become_head\(queue.first\); => ;
   mutant: leaves-by-a-store | core/cpu/cpu_account.c | (?s)(next = pack\(c\);\s*\} while \()!ghcomp_cas_seqcst\(&account_word, &word, next\)\);(\s*\*account) => \1false); ghcomp_store_relaxed(&account_word, next);\2
   mutant: entry-in-two-steps | core/cpu/cpu_account.c | (?s)(next = pack\(with_region\(c, account, threads, true\)\);\s*\} while \()!ghcomp_cas_seqcst\(&account_word, &word, next\)\) => \1false); ghcomp_xchg_seqcst(&account_word, next) */
#include "core/cpu/cpu_account.c"
#include "core/cpu/admission.c"

#include "team.h"

enum { CPUS = 2 };

static _Atomic uint32_t inside;
static unsigned regions_admitted;
static bool comes_back; /* leavers are known to come back soon, so they do not wake the head while barging is allowed */

static void master(void *regions)
{
    static struct ghcomp_thread threads[EXPLORE_MEMBERS];
    struct ghcomp_thread *self = &threads[explore_self()];
    self->self.thread = self;
    ghcomp_self_member = &self->self;
    for (uintptr_t i = 0; i < (uintptr_t)regions; i++) {
        struct ghcomp_account account;
        self->admission.left = comes_back ? ghcomp_cpu_ticks() : 0;
        ghcomp_admission_enter(self, &account, CPUS);
        EXPLORE_EQUAL(0, ghcomp_add_relaxed(&inside, 1u));
        regions_admitted++;
        ghcomp_sub_relaxed(&inside, 1u);
        ghcomp_cpu_account_leave(&account);
        ghcomp_admission_moved(self, true);
    }
    EXPLORE_EQUAL(0, self->admission.timeouts);
}

static bool barging_allowed(void)
{
    return !ghcomp_load_relaxed(&queue.barging_closed);
}

static bool never(void)
{
    return false;
}

static void begin(void)
{
    explore_park_at_once();
    ghcomp_global.num_cpus = CPUS;
}

static void two(void)
{
    begin();
    explore_thread(master, (void *)1);
    explore_thread(master, (void *)1);
}

static void three(void)
{
    two();
    explore_thread(master, (void *)1);
}

static void two_twice(void)
{
    begin();
    comes_back = true;
    explore_thread(master, (void *)2);
    explore_thread(master, (void *)1);
}

static void three_that_return(void)
{
    two_twice();
    explore_thread(master, (void *)1);
}

static void nobody_left(void)
{
    EXPLORE_EQUAL(0, ghcomp_cpu_account_counts().threads);
    EXPLORE_EQUAL(0, ghcomp_cpu_account_counts().recent);
    EXPLORE_EQUAL(0, ghcomp_cpu_account_counts().masters);
    EXPLORE_CHECK(queue.first == NULL && queue.last == NULL);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "two masters with one region", .setup = two, .finish = nobody_left, .preemptions = 4, .delays = 2,
         .timeouts = true, .may_time_out = never, .schedules = 30000, .random = 2000},
        {.name = "three masters with one region", .setup = three, .finish = nobody_left, .preemptions = 2, .delays = 1,
         .timeouts = true, .may_time_out = barging_allowed, .schedules = 30000, .random = 4000},
        {.name = "two masters, one comes back", .setup = two_twice, .finish = nobody_left, .preemptions = 3,
         .delays = 1, .spurious = 1, .timeouts = true, .may_time_out = barging_allowed, .schedules = 30000,
         .random = 4000},
        {.name = "three masters, one comes back", .setup = three_that_return, .finish = nobody_left, .preemptions = 2,
         .delays = 1, .timeouts = true, .may_time_out = barging_allowed, .schedules = 30000, .random = 4000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
