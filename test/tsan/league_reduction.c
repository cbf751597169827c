/* Reductions of several types over the teams of a league. Racy: a team adds to one of the variables itself, where teams
   run beside each other: in clang's code. */
#include "pair.h"

enum { TURNS = 20, TEAMS = 6, COUNT = 60 };

static int here;

static void meet_others(void)
{
#ifdef __clang__
    if (omp_get_num_procs() > 1 && omp_get_team_num() < 2)
        meet(&here, 2);
#endif
}

int main(void)
{
    long sum = 0;
    long double product = 1;
    int largest = 0;
    double all = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        here = 0;
        product = 1;
#pragma omp teams num_teams(TEAMS) reduction(* : product) reduction(max : largest) IF_CORRECT(reduction(+ : sum))
        {
            meet_others();
            sum += omp_get_team_num();
            product *= 2;
            largest = omp_get_team_num();
        }
#pragma omp teams distribute num_teams(TEAMS) reduction(+ : all)
        for (int i = 0; i < COUNT; i++)
            all += i;
    }
    sum += (long)(product + all) + largest;
    return check("the sum", sum, TURNS * 15 + 64 + TURNS * (COUNT * (COUNT - 1) / 2) + TEAMS - 1);
}
