/* explore: lending (core/team/lend.c) with the real teams and pool: a master takes the workers of an idle team while
   its master begins a region or ends. Each region has its threads, which run it once; a worker has one region at a
   time; no worker is made while one is idle that no other master takes.
   mutant: uses-what-is-taken | core/team/lend.h | ghcomp_lend_reclaim_slow\(team\); => ;
   mutant: taken-by-a-store | core/team/lend.c | ghcomp_cas_acquire\(&team->lent, &idle, \(uint32_t\)GHCOMP_LENT_TAKEN\)\) => (ghcomp_store_relaxed(&team->lent, (uint32_t)GHCOMP_LENT_TAKEN), true))
   mutant: gatherers-not-waited-for | core/team/lend.c | return ghcomp_load_acquire\(&lend.first\) != NULL \|\| ghcomp_load_relaxed\(&lend.gathering\) != 0; => return ghcomp_load_acquire(&lend.first) != NULL;
   mutant: emptied-relaxed | core/team/lend.c | return ghcomp_load_acquire\(&lend.first\) != NULL => return ghcomp_load_relaxed(&lend.first) != NULL
   mutant: reclaims-by-yields | core/team/lend.c | ghcomp_os_nap\(NAP_NS\); => ghcomp_os_yield();
   mutant: kept-before-dismissed | core/team/lend.c | (?s)(got \+= ghcomp_team_dismiss\(team\);)\s*(ghcomp_store_release\(&team->lent, \(uint32_t\)GHCOMP_LENT_KEPT\);) => \2 \1 */
#include "core/team/lend.c"
#include "core/team/pool.c"
#include "core/team/team.c"
#include "core/team/worker.c"

#include "team.h"

enum { MASTERS = 3, MOST_MEMBERS = 3 };

static unsigned ran[MASTERS][MOST_MEMBERS]; /* plain: each member's own, read after the join */
static _Atomic uint32_t busy[8];            /* workers by number: 1 in a region */
static _Atomic uint32_t ready;              /* masters that are known to the runtime; then: the first team is idle */
static unsigned masters, most_workers;

static void note_it(void *mine)
{
    struct ghcomp_member *self = ghcomp_self();
    EXPLORE_EQUAL(0, ghcomp_xchg_relaxed(&busy[self->thread->number + (self->tid == 0 ? 5 + explore_self() : 0)], 1u));
    ((unsigned *)mine)[self->tid]++;
    ghcomp_xchg_relaxed(&busy[self->thread->number + (self->tid == 0 ? 5 + explore_self() : 0)], 0u);
}

static void region(uint32_t size)
{
    unsigned *mine = ran[explore_self()];
    ghcomp_team_parallel(note_it, mine, size, 0);
    for (uint32_t i = 0; i < size; i++)
        EXPLORE_EQUAL(1, mine[i]);
    memset(ran[explore_self()], 0, sizeof ran[0]);
}

/* The first master has an idle team of that size when the others begin. */
static void first(uint32_t size)
{
    explore_quiet(true);
    ghcomp_self();
    while (ghcomp_load_acquire(&ready) != masters - 1)
        explore_pause();
    region(size);
    ghcomp_store_release(&ready, masters);
    explore_quiet(false);
}

static void other(void)
{
    ghcomp_self();
    ghcomp_add_acqrel(&ready, 1u);
    while (ghcomp_load_acquire(&ready) != masters)
        explore_pause();
}

static void goes_on(void *nothing)
{
    (void)nothing;
    first(2);
    region(2);
}

static void ends(void *nothing)
{
    (void)nothing;
    first(2);
    ghcomp_team_forget(ghcomp_self());
}

static void idles(void *nothing)
{
    (void)nothing;
    first(3);
}

static void one_region(void *nothing)
{
    (void)nothing;
    other();
    region(2);
}

static void begin(unsigned count, unsigned workers, void (*function)(void *))
{
    explore_park_at_once();
    explore_ignore(&ghcomp_cpu_load, sizeof ghcomp_cpu_load);
    explore_ignore(&ghcomp_wait_settings, sizeof ghcomp_wait_settings);
    ghcomp_settings.share = GHCOMP_SHARE_ALL;
    ghcomp_settings.admission = GHCOMP_ADMISSION_OFF;
    masters = count;
    most_workers = workers;
    explore_thread(function, NULL);
    for (unsigned i = 1; i < count; i++)
        explore_thread(one_region, NULL);
}

static void against_the_next_region(void)
{
    begin(2, 2, goes_on);
}

static void against_the_end(void)
{
    begin(2, 1, ends);
}

static void two_takers(void)
{
    begin(3, 2, idles);
}

static void few_workers(void)
{
    EXPLORE_CHECK(pool.created <= most_workers);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "the next region", .setup = against_the_next_region, .finish = few_workers, .preemptions = 1,
         .delays = 1, .schedules = 20000, .random = 4000},
        {.name = "the master's end", .setup = against_the_end, .finish = few_workers, .preemptions = 1, .delays = 1,
         .schedules = 20000, .random = 4000},
        {.name = "two takers", .setup = two_takers, .finish = few_workers, .preemptions = 1, .delays = 0,
         .schedules = 20000, .random = 4000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
