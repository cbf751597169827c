/* The teams of a league: what each does happens before what follows the league, and what was done before it happens
   before the teams. Racy: two teams write the same word, where they run beside each other: in clang's code. */
#include "pair.h"

enum { TURNS = 20, TEAMS = 5 };

static int words[TEAMS], word, there;

/* Team 1 is after team 0, by a flag that orders nothing. */
static void one_after_zero(void)
{
#ifdef __clang__
    if (omp_get_num_procs() > 1 && omp_get_team_num() == 1)
        await(&there);
#endif
}

int main(void)
{
    int sum = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        there = 0;
        word = turn;
#pragma omp teams num_teams(TEAMS)
        {
            one_after_zero();
            int team = omp_get_team_num();
            IF_CORRECT(words[team] = word + 1;)
            IF_RACY(word = team;)
            if (team == 0)
                raise_flag(&there);
#pragma omp parallel num_threads(2)
            {
                IF_CORRECT(__atomic_fetch_add(&words[team], 1, __ATOMIC_RELAXED);)
            }
        }
        for (int team = 0; team < TEAMS; team++)
            sum += words[team] - turn;
        IF_RACY(sum += word;)
    }
    return check("the sum", sum, TURNS * TEAMS * 3);
}
