/* GCC 17's basis of a static schedule: the real part is how many threads or teams share the loop, the imaginary part
   which of them the caller is. Loops distributed in that way run each iteration once.
   ghcomp-only: libgomp 12 lacks these entries
   limit: 60
   symbols: GOMP_loop_static_worksharing GOMP_distribute_static_worksharing */
#include "trunk.h"

enum { MOST = 1001 };

typedef _Complex int shared_out(unsigned long long niter);
static shared_out *GOMP_loop_static_worksharing, *GOMP_distribute_static_worksharing;
static int hits[MOST];

/* The iterations of the caller, as of schedule(static) or, with a chunk, schedule(static, chunk). */
static void execute(shared_out *entry, int niter, int chunk, int count, int number)
{
    _Complex int share = entry((unsigned long long)niter);
    CHECK(__real__ share == count && __imag__ share == number);
    if (chunk == 0) {
        int each = niter / count, more = niter % count;
        int begin = number * each + (number < more ? number : more);
        for (int i = begin; i < begin + each + (number < more); i++)
#pragma omp atomic
            hits[i]++;
        return;
    }
    for (int first = number * chunk; first < niter; first += count * chunk)
        for (int i = first; i < first + chunk && i < niter; i++)
#pragma omp atomic
            hits[i]++;
}

static void each_was_hit(int niter, int times)
{
    for (int i = 0; i < MOST; i++) {
        CHECK(hits[i] == (i < niter ? times : 0));
        hits[i] = 0;
    }
}

static void loops(int niter, int chunk)
{
    /* Outside every region, and in teams with fewer and with more iterations than threads. */
    execute(GOMP_loop_static_worksharing, niter, chunk, 1, 0);
    each_was_hit(niter, 1);
    for (int i = 0; i < TEAM_SIZES; i++) {
#pragma omp parallel num_threads(team_sizes[i])
        execute(GOMP_loop_static_worksharing, niter, chunk, team_sizes[i], omp_get_thread_num());
        each_was_hit(niter, 1);
    }
    /* The innermost team counts, also where it is one of a single thread. */
#pragma omp parallel num_threads(2)
    {
#pragma omp parallel num_threads(3)
        execute(GOMP_loop_static_worksharing, niter, chunk, 3, omp_get_thread_num());
#pragma omp parallel num_threads(1)
        execute(GOMP_loop_static_worksharing, niter, chunk, 1, 0);
        execute(GOMP_loop_static_worksharing, niter, chunk, 2, omp_get_thread_num());
    }
    each_was_hit(niter, 2 + 2 + 1);
}

/* A function, because only some constructs may stand directly in a teams construct. */
static void team_of_league(int niter, int chunk, int count)
{
    execute(GOMP_distribute_static_worksharing, niter, chunk, count, omp_get_team_num());
#pragma omp parallel num_threads(2)
    {
        /* A parallel region inside belongs to the team around it. */
        _Complex int share = GOMP_distribute_static_worksharing(1);
        CHECK(__real__ share == count && __imag__ share == omp_get_team_num());
        share = GOMP_loop_static_worksharing(1);
        CHECK(__real__ share == 2 && __imag__ share == omp_get_thread_num());
    }
}

static void distributes(int niter, int chunk)
{
    execute(GOMP_distribute_static_worksharing, niter, chunk, 1, 0);
    each_was_hit(niter, 1);
#pragma omp teams num_teams(5)
    team_of_league(niter, chunk, 5);
    each_was_hit(niter, 1);
    execute(GOMP_distribute_static_worksharing, niter, chunk, 1, 0);
    each_was_hit(niter, 1);
}

int main(void)
{
    static const int sizes[] = {0, 1, 5, 64, MOST}, chunks[] = {0, 1, 3, 100};
    GOMP_loop_static_worksharing = (shared_out *)entry("GOMP_loop_static_worksharing");
    GOMP_distribute_static_worksharing = (shared_out *)entry("GOMP_distribute_static_worksharing");
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    for (int size = 0; size < 5; size++)
        for (int chunk = 0; chunk < 4; chunk++) {
            loops(sizes[size], chunks[chunk]);
            distributes(sizes[size], chunks[chunk]);
        }
    /* The number of iterations has 64 bits, and changes nothing. */
    CHECK(__real__ GOMP_loop_static_worksharing(~0ull) == 1);
    CHECK(__real__ GOMP_distribute_static_worksharing(~0ull) == 1);
    return 0;
}
