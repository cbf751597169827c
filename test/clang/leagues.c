/* Leagues: each iteration of distribute, of distribute parallel for and of the entries that do both, once; their
 * numbers; the clauses.
 *
 * symbols: __kmpc_fork_teams __kmpc_push_num_teams __kmpc_push_num_teams_51 __kmpc_set_thread_limit
 * symbols: __kmpc_dist_for_static_init_4 __kmpc_dist_for_static_init_4u __kmpc_dist_for_static_init_8
 * symbols: __kmpc_dist_for_static_init_8u __kmpc_team_static_init_4 __kmpc_team_static_init_4u
 * symbols: __kmpc_team_static_init_8 __kmpc_team_static_init_8u __kmpc_dist_dispatch_init_4
 * symbols: __kmpc_dist_dispatch_init_4u __kmpc_dist_dispatch_init_8 __kmpc_dist_dispatch_init_8u
 * ghcomp-only: libomp forms smaller teams on few CPUs
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

enum { TEAMS = 3, THREADS = 3, COUNT = 1000, DYNAMIC = 35, STATIC = 34, STATIC_CHUNKED = 33 };

void __kmpc_push_num_teams_51(place *, int32_t, int32_t, int32_t, int32_t);
void __kmpc_set_thread_limit(place *, int32_t, int32_t);

static int hits[COUNT];

static void each_once(void)
{
    for (int i = 0; i < COUNT; i++) {
        CHECK(hits[i] == 1);
        hits[i] = 0;
    }
}

static void numbers(void)
{
    int teams = 0, sum = 0;
#pragma omp teams num_teams(TEAMS) thread_limit(2) reduction(+ : sum)
    {
        CHECK(omp_get_num_teams() == TEAMS && omp_get_team_num() < TEAMS && omp_get_thread_limit() == 2);
#pragma omp atomic
        teams++;
        sum += omp_get_team_num();
    }
    CHECK(teams == TEAMS && sum == TEAMS * (TEAMS - 1) / 2 && omp_get_num_teams() == 1);
    teams = 0;
    __kmpc_push_num_teams_51(&here, thread_number(), 2, 4, 0); /* num_teams(2 : 4), which clang 19 does not parse */
#pragma omp teams
    {
        CHECK(omp_get_num_teams() >= 2 && omp_get_num_teams() <= 4);
#pragma omp atomic
        teams++;
    }
    CHECK(teams >= 2 && teams <= 4);
#pragma omp parallel num_threads(1)
    {
        __kmpc_set_thread_limit(&here, thread_number(), 2);
        CHECK(omp_get_thread_limit() == 2);
    }
    CHECK(omp_get_thread_limit() != 2);
}

static void compiled(void)
{
    int last = 0;
#pragma omp teams distribute num_teams(TEAMS) lastprivate(last)
    for (int i = 0; i < COUNT; i++) {
        hits[i]++;
        last = i;
    }
    each_once();
    CHECK(last == COUNT - 1);
#pragma omp teams distribute num_teams(TEAMS) dist_schedule(static, 7)
    for (int i = 0; i < COUNT; i++)
        hits[i]++;
    each_once();
#pragma omp teams distribute parallel for num_teams(TEAMS) num_threads(THREADS)
    for (int i = 0; i < COUNT; i++)
        hits[i]++;
    each_once();
#pragma omp teams distribute parallel for num_teams(TEAMS) num_threads(THREADS) schedule(dynamic, 3)
    for (long i = COUNT - 1; i >= 0; i--)
        hits[i]++;
    each_once();
    long sum = 0;
#pragma omp teams distribute parallel for reduction(+ : sum) num_teams(TEAMS)
    for (unsigned i = 0; i < COUNT; i++)
        sum += i;
    CHECK(sum == COUNT * (COUNT - 1L) / 2);
}

/* The entries that no clang of today calls, in all four widths. */
#define WIDTH(suffix, type, signed_type)                                                                             \
    void __kmpc_dist_for_static_init_##suffix(place *, int32_t, int32_t, int32_t *, type *, type *, type *,          \
                                              signed_type *, signed_type, signed_type);                              \
    void __kmpc_team_static_init_##suffix(place *, int32_t, int32_t *, type *, type *, signed_type *, signed_type,   \
                                          signed_type);                                                              \
    void __kmpc_dist_dispatch_init_##suffix(place *, int32_t, int32_t, int32_t *, type, type, signed_type,           \
                                            signed_type);                                                            \
    int __kmpc_dispatch_next_##suffix(place *, int32_t, int32_t *, type *, type *, signed_type *);                   \
                                                                                                                     \
    static void both_##suffix(int32_t schedule, signed_type chunk)                                                   \
    {                                                                                                                \
        int lasts = 0;                                                                                               \
        _Pragma("omp teams num_teams(TEAMS)")                                                                        \
        {                                                                                                            \
            _Pragma("omp parallel num_threads(THREADS)")                                                             \
            {                                                                                                        \
                int32_t last = 0;                                                                                    \
                type lower = 0, upper = COUNT - 1, of_team = 0;                                                      \
                signed_type step = 0;                                                                                \
                __kmpc_dist_for_static_init_##suffix(&here, thread_number(), schedule, &last, &lower, &upper,        \
                                                     &of_team, &step, 1, chunk);                                     \
                for (; lower <= of_team; lower += step, upper += step)                                               \
                    for (type i = lower; i <= upper && i <= of_team; i++)                                            \
                        __atomic_add_fetch(&hits[i], 1, __ATOMIC_RELAXED);                                           \
                __atomic_add_fetch(&lasts, last, __ATOMIC_RELAXED);                                                  \
            }                                                                                                        \
        }                                                                                                            \
        each_once();                                                                                                 \
        CHECK(lasts == 1);                                                                                           \
    }                                                                                                                \
                                                                                                                     \
    static void teams_##suffix(void)                                                                                 \
    {                                                                                                                \
        _Pragma("omp teams num_teams(TEAMS)")                                                                        \
        {                                                                                                            \
            int32_t last = 0;                                                                                        \
            type lower = 0, upper = COUNT - 1;                                                                       \
            signed_type step = 0;                                                                                    \
            __kmpc_team_static_init_##suffix(&here, thread_number(), &last, &lower, &upper, &step, 1, 11);           \
            for (; lower < COUNT; lower += step, upper += step)                                                      \
                for (type i = lower; i <= upper && i < COUNT; i++)                                                   \
                    hits[i]++;                                                                                       \
        }                                                                                                            \
        each_once();                                                                                                 \
        _Pragma("omp teams num_teams(TEAMS)")                                                                        \
        _Pragma("omp parallel num_threads(THREADS)")                                                                 \
        {                                                                                                            \
            int32_t last = 0;                                                                                        \
            type lower, upper;                                                                                       \
            signed_type step;                                                                                        \
            __kmpc_dist_dispatch_init_##suffix(&here, thread_number(), DYNAMIC, &last, 0, COUNT - 1, 1, 4);          \
            while (__kmpc_dispatch_next_##suffix(&here, thread_number(), &last, &lower, &upper, &step))              \
                for (type i = lower; i <= upper; i++)                                                                \
                    __atomic_add_fetch(&hits[i], 1, __ATOMIC_RELAXED);                                               \
        }                                                                                                            \
        each_once();                                                                                                 \
    }

WIDTH(4, int32_t, int32_t)
WIDTH(4u, uint32_t, int32_t)
WIDTH(8, int64_t, int64_t)
WIDTH(8u, uint64_t, int64_t)

int main(void)
{
    numbers();
    compiled();
    both_4(STATIC, 0);
    both_4u(STATIC_CHUNKED, 5);
    both_8(STATIC_CHUNKED, 1);
    both_8u(STATIC, 0);
    teams_4();
    teams_4u();
    teams_8();
    teams_8u();
    return 0;
}
