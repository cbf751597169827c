/* explore: entering the host, and retiring it or its RTS's end (host/host_select.c): when ghcomp_host_retire says
   that no thread is inside, or ghcomp_host_ends has waited for that, no thread is in the old host's functions, and none
   enters them later; all threads go on.
   mutant: plain-entry | host/host_select.c | ghcomp_add_seqcst\(&choice.inside, 1u\); => ghcomp_store_relaxed(&choice.inside, ghcomp_load_relaxed(&choice.inside) + 1);
   mutant: looks-before-it-enters | host/host_select.c | ghcomp_add_seqcst\(&choice.inside, 1u\);\s*if \(ghcomp_load_seqcst\(&choice.host\) == host && !ghcomp_load_seqcst\(&choice.ended\)\)\s*return true; => bool same = ghcomp_load_seqcst(&choice.host) == host && !ghcomp_load_seqcst(&choice.ended); ghcomp_add_seqcst(&choice.inside, 1u); if (same) return true;
   mutant: plain-retirement | host/host_select.c | ghcomp_xchg_seqcst\(&choice.host, &ghcomp_host_posix\); => ghcomp_store_release(&choice.host, &ghcomp_host_posix);
   mutant: host-acquired | host/host_select.c | if \(ghcomp_load_seqcst\(&choice.host\) == host && => if (ghcomp_load_acquire(&choice.host) == host &&
   mutant: end-acquired | host/host_select.c | !ghcomp_load_seqcst\(&choice.ended\)\) => !ghcomp_load_acquire(&choice.ended))
   mutant: plain-end | host/host_select.c | ghcomp_xchg_seqcst\(&choice.ended, true\); => ghcomp_store_release(&choice.ended, true);
   mutant: stays-inside | host/host_select.c | (?s)(known->worker_stop\(\);)\s*ghcomp_host_leave\(\); => \1 */
#include "host/host_select.c"

#include "explore.h"

static _Atomic bool stopped; /* the RTS of the old host */
static _Atomic uint32_t calls;

static void call_it(void)
{
    EXPLORE_CHECK(!ghcomp_load_relaxed(&stopped));
    ghcomp_add_relaxed(&calls, 1u);
    EXPLORE_CHECK(!ghcomp_load_relaxed(&stopped));
}

static void start(uint32_t number)
{
    (void)number;
    call_it();
}

static int ready(void)
{
    call_it();
    return GHCOMP_RTS_READY;
}

static const struct ghcomp_host old = {.worker_start = start, .worker_stop = call_it, .state = ready};

static void worker(void *nothing)
{
    (void)nothing;
    ghcomp_host_worker_start(1);
    ghcomp_host_worker_stop();
}

static void retires(void *nothing)
{
    (void)nothing;
    EXPLORE_CHECK(ghcomp_host_retire(10000));
    ghcomp_store_relaxed(&stopped, true);
}

static void workers(int count)
{
    ghcomp_store_relaxed(&choice.host, &old);
    explore_thread(retires, NULL);
    while (count-- > 0)
        explore_thread(worker, NULL);
}

static void one_worker(void)
{
    workers(1);
}

static void two_workers(void)
{
    workers(2);
}

static void rts_ends(void *nothing)
{
    (void)nothing;
    ghcomp_host_ends();
    EXPLORE_CHECK(ghcomp_host_drain(10000));
    ghcomp_store_relaxed(&stopped, true);
}

static void end_and_workers(int count)
{
    ghcomp_store_relaxed(&choice.host, &old);
    explore_thread(rts_ends, NULL);
    while (count-- > 0)
        explore_thread(worker, NULL);
}

static void end_and_one(void)
{
    end_and_workers(1);
}

static void end_and_two(void)
{
    end_and_workers(2);
}

static void nobody_enters(void)
{
    EXPLORE_EQUAL(0, ghcomp_load_relaxed(&choice.inside));
    EXPLORE_CHECK(ghcomp_load_relaxed(&stopped));
    EXPLORE_CHECK(!ghcomp_host_enter(&old));
}

static void nobody_inside(void)
{
    EXPLORE_EQUAL(0, ghcomp_load_relaxed(&choice.inside));
    EXPLORE_CHECK(ghcomp_host() == &ghcomp_host_posix);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "one worker", .setup = one_worker, .finish = nobody_inside, .full = true, .schedules = 30000,
         .random = 2000},
        {.name = "two workers", .setup = two_workers, .finish = nobody_inside, .preemptions = 3, .delays = 1,
         .schedules = 30000, .random = 4000},
        {.name = "end, one worker", .setup = end_and_one, .finish = nobody_enters, .full = true, .schedules = 30000,
         .random = 2000},
        {.name = "end, two workers", .setup = end_and_two, .finish = nobody_enters, .preemptions = 3, .delays = 1,
         .schedules = 30000, .random = 4000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
