/* Teams of a league run beside each other, as far as there are CPUs: two meet. What a team is, however many there are
 * and wherever the league is encountered; the threads of regions in teams; tasks, thread-private variables, many
 * leagues.
 *
 * symbols: __kmpc_fork_teams __kmpc_push_num_teams
 * ghcomp-only: libomp has fewer teams where there are few CPUs, and gives a clause's regions in teams fewer threads
 * hosts: posix ghc
 * limit: 180
 */
#include <omp.h>
#include <sched.h>
#include <time.h>

#include "kmp.h"

enum { MANY = 64, TURNS = 10000, SECONDS = 60 };

static int arrived, mine, done;
#pragma omp threadprivate(mine)

/* Waits until so many are here; false: they do not come. No program may rely on that. */
static int met(int all)
{
    time_t until = time(NULL) + SECONDS;
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < all) {
        if (time(NULL) > until)
            return 0;
        sched_yield();
    }
    return 1;
}

static void two_meet(void)
{
    if (omp_get_num_procs() < 2)
        return;
    arrived = 0;
#pragma omp teams num_teams(2) thread_limit(1)
    CHECK(met(2));
}

static void is_team(int number, int teams)
{
    CHECK(omp_get_team_num() == number && omp_get_num_teams() == teams);
    CHECK(omp_get_level() == 0 && omp_get_active_level() == 0 && !omp_in_parallel());
    CHECK(omp_get_thread_num() == 0 && omp_get_num_threads() == 1);
}

static void many(void)
{
    int seen[MANY] = {0}, inside = 0;
#pragma omp teams num_teams(MANY)
    {
        int number = omp_get_team_num();
        is_team(number, MANY);
        __atomic_fetch_add(&seen[number], 1, __ATOMIC_RELAXED);
#pragma omp parallel num_threads(3)
        {
            CHECK(omp_get_team_num() == number && omp_get_num_threads() == 3 && omp_get_level() == 1);
            CHECK(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1);
#pragma omp barrier
#pragma omp atomic
            inside++;
        }
        is_team(number, MANY);
        omp_set_num_threads(2);
        CHECK(omp_get_max_threads() == 2 && region_size() == 2);
    }
    for (int i = 0; i < MANY; i++)
        CHECK(seen[i] == 1);
    CHECK(inside == 3 * MANY && omp_get_num_teams() == 1 && omp_get_team_num() == 0);
}

/* Regions of no given size in the teams that run at once have the threads of one region together. */
static void divided(void)
{
    int cpus = omp_get_num_procs(), at_once = cpus < 4 ? cpus : 4, threads = omp_get_max_threads();
    int all = threads > cpus ? threads : cpus, part = all > at_once ? all / at_once : 1;
    int size = threads < part || at_once == 1 ? threads : part;
#pragma omp teams num_teams(4)
    {
        CHECK(omp_get_max_threads() == threads);
        CHECK(region_size() == size);
    }
    CHECK(region_size() == threads);
#pragma omp teams
    CHECK(region_size() == threads);
    omp_set_num_threads(4 * cpus);
#pragma omp teams num_teams(cpus)
    CHECK(region_size() == (cpus == 1 ? 4 * cpus : 4));
    omp_set_num_threads(threads);
}

/* clang lets no task stand right inside a teams construct. */
static void make_tasks(void)
{
    for (int i = 0; i < 10; i++) {
#pragma omp task
#pragma omp atomic
        done++;
    }
#pragma omp taskloop nogroup
    for (int i = 0; i < 10; i++)
#pragma omp atomic
        done++;
}

/* A team's tasks are complete when it ends. */
static void tasks(void)
{
    done = 0;
#pragma omp teams num_teams(8)
    make_tasks();
    CHECK(done == 8 * 20);
}

/* Each member of a region has a league of its own: clang's target region is a plain call. */
static void in_region(void)
{
    int hits[100] = {0};
#pragma omp parallel num_threads(4)
    {
        int thread = omp_get_thread_num();
#pragma omp target teams distribute num_teams(3)
        for (int i = 0; i < 100; i++) {
            is_team(omp_get_team_num(), 3);
#pragma omp atomic
            hits[i]++;
        }
        CHECK(omp_get_thread_num() == thread && omp_get_num_threads() == 4);
    }
    for (int i = 0; i < 100; i++)
        CHECK(hits[i] == 4);
}

/* A league that fits on the CPUs has its teams on the same threads each time. */
static void persist(void)
{
    if (omp_get_num_procs() < 2)
        return;
    for (int turn = 0; turn < 100; turn++) {
#pragma omp teams num_teams(2)
        {
            CHECK(turn == 0 || mine == omp_get_team_num() + turn);
            mine = omp_get_team_num() + turn + 1;
        }
    }
}

static void small(void)
{
    long sum = 0;
    int threads = 0;
    for (int turn = 0; turn < TURNS; turn++) {
#pragma omp teams num_teams(3) reduction(+ : sum)
        sum += omp_get_team_num();
        if (turn == 100)
            threads = os_threads();
    }
    CHECK(sum == 3L * TURNS);
    CHECK(os_threads_at_most(threads + TURNS / 100)); /* none for each league; others may begin and end meanwhile */
}

int main(void)
{
    two_meet();
    many();
    divided();
    tasks();
    in_region();
    persist();
    small();
    two_meet();
    return 0;
}
