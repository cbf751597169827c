/* Reductions over the teams of a league: of many types, with and without an atomic instruction, of several variables,
 * and of regions inside the teams.
 *
 * symbols: __kmpc_fork_teams __kmpc_reduce __kmpc_end_reduce
 * hosts: posix ghc
 */
#include <complex.h>
#include <omp.h>

#include "kmp.h"

enum { TEAMS = 16, TURNS = 200, COUNT = 100, BINS = 20 };

struct pair {
    long sum;
    int count;
};
#pragma omp declare reduction(join : struct pair : omp_out.sum += omp_in.sum, omp_out.count += omp_in.count) \
    initializer(omp_priv = (struct pair){0, 0})

static int teams; /* that ran: libomp forms fewer where there are few CPUs */

static void one_more(void)
{
#pragma omp atomic
    teams++;
}

/* One variable of the type. */
#define SUM(name, type)                                                                \
    static void sum_##name(void)                                                       \
    {                                                                                  \
        type sum = 1;                                                                  \
        teams = 0;                                                                     \
        _Pragma("omp teams num_teams(TEAMS) reduction(+ : sum)")                       \
        {                                                                              \
            one_more();                                                                \
            sum += 2;                                                                  \
        }                                                                              \
        CHECK(sum == 1 + 2 * teams);                                                   \
    }
SUM(char, char)
SUM(short, short)
SUM(int, int)
SUM(long, long)
SUM(unsigned, unsigned)
SUM(float, float)
SUM(double, double)
SUM(long_double, long double)
SUM(complex, double _Complex)

static void several(void)
{
    int all = 1, any = 0, least = 1000, most = -1, bits = 0, odd = 0;
    struct pair pair = {0, 0};
    long bins[BINS] = {0};
    double product = 1;
    teams = 0;
#pragma omp teams num_teams(TEAMS) reduction(&& : all) reduction(|| : any) reduction(min : least) \
    reduction(max : most) reduction(| : bits) reduction(^ : odd) reduction(join : pair) reduction(+ : bins) \
    reduction(* : product)
    {
        int team = omp_get_team_num();
        one_more();
        all = all && team >= 0;
        any = any || team == 0;
        least = team < least ? team : least;
        most = team > most ? team : most;
        bits |= 1 << team;
        odd ^= 1;
        pair.sum += team;
        pair.count++;
        bins[team % BINS]++;
        product *= 2;
    }
    CHECK(all && any && least == 0 && most == teams - 1 && bits == (1 << teams) - 1 && odd == teams % 2);
    CHECK(pair.count == teams && pair.sum == teams * (teams - 1) / 2 && product == (double)(1L << teams));
    for (int i = 0; i < BINS; i++)
        CHECK(bins[i] == (i < teams));
}

static void with_regions(void)
{
    long sum = 0;
    double of_loop = 0;
    struct pair pair = {0, 0};
    teams = 0;
#pragma omp teams num_teams(TEAMS) reduction(+ : sum) reduction(join : pair)
    {
        one_more();
#pragma omp parallel num_threads(2) reduction(+ : sum)
        {
#pragma omp for reduction(join : pair) schedule(dynamic)
            for (int i = 0; i < COUNT; i++) {
                pair.sum += i;
                pair.count++;
            }
            sum += omp_get_thread_num() == 0;
        }
    }
    CHECK(sum == teams && pair.count == teams * COUNT && pair.sum == teams * (COUNT * (COUNT - 1L) / 2));
#pragma omp teams distribute parallel for num_teams(TEAMS) reduction(+ : of_loop) dist_schedule(static, 3)
    for (int i = 0; i < COUNT; i++)
        of_loop += i;
    CHECK(of_loop == COUNT * (COUNT - 1) / 2);
#pragma omp teams distribute simd num_teams(TEAMS) reduction(+ : of_loop)
    for (int i = 0; i < COUNT; i++)
        of_loop += i;
    CHECK(of_loop == COUNT * (COUNT - 1));
}

int main(void)
{
    for (int turn = 0; turn < TURNS; turn++) {
        sum_char();
        sum_short();
        sum_int();
        sum_long();
        sum_unsigned();
        sum_float();
        sum_double();
        sum_long_double();
        sum_complex();
        several();
        with_regions();
    }
    return 0;
}
