// Teams that run beside each other, and what else may happen in one of them: exceptions, cancelled regions, fork(),
// exit().
//
// symbols: __kmpc_fork_teams
// env: OMP_CANCELLATION=true
// ghcomp-only: after a fork() in a team libomp ends the child by a failed assertion
// hosts: posix ghc
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "../conformance/common.h"

enum { TEAMS = 4, TURNS = 200, LEFT = 7 };

static void exceptions()
{
    int caught = 0, inside = 0, teams = 0;
#pragma omp teams num_teams(TEAMS) reduction(+ : caught, inside, teams)
    {
        teams++;
        try {
            throw std::runtime_error("in a team");
        } catch (const std::exception &) {
            caught++;
        }
#pragma omp parallel reduction(+ : inside)
        try {
            if (omp_get_thread_num() == 0)
                throw 1;
        } catch (int one) {
            inside += one;
        }
    }
    CHECK(teams > 0 && caught == teams && inside == teams);
}

static void cancelled()
{
    for (int i = 0; i < TURNS; i++) {
        int after = 0, others = 0, teams = 0;
#pragma omp teams num_teams(TEAMS) reduction(+ : teams)
        {
            teams++;
#pragma omp parallel num_threads(2)
            {
#pragma omp cancel parallel
#pragma omp atomic
                after++;
            }
#pragma omp parallel num_threads(1)
            {
#pragma omp barrier
#pragma omp atomic
                others++;
            }
        }
        CHECK(after == 0 && others == teams);
    }
}

static int status_of(pid_t child)
{
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

// The child has the calling team's thread. It goes on with the league, and has others.
static void forked()
{
    pid_t child = -1;
    int teams = 0;
#pragma omp teams num_teams(2)
    {
        if (omp_get_team_num() == 0)
            child = fork();
#pragma omp parallel num_threads(2)
        {
        }
    }
#pragma omp teams num_teams(TEAMS) reduction(+ : teams)
    teams++;
    CHECK(teams > 0);
    if (child == 0)
        _exit(LEFT);
    CHECK(status_of(child) == LEFT);
}

static void left(int by)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < TURNS; i++) {
#pragma omp teams num_teams(2)
            if (i == TURNS / 2 && omp_get_team_num() == by)
                exit(LEFT);
        }
        _exit(1);
    }
    CHECK(status_of(child) == LEFT);
}

int main()
{
    left(0);
    left(1);
    exceptions();
    cancelled();
    forked();
    left(1);
    return 0;
}
