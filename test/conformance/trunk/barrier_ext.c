/* GCC 17's barrier is the same whatever kind it is called with: no thread passes it before all have come, and all see
   what was written before it. So is the cancellable one, as long as nothing is cancelled.
   ghcomp-only: libgomp 12 lacks these entries
   env: OMP_CANCELLATION=true
   limit: 60
   symbols: GOMP_barrier_ext GOMP_barrier_cancel_ext */
#include "trunk.h"

enum { PHASES = 200, MOST = 8 };

static void (*GOMP_barrier_ext)(int kind);
static bool (*GOMP_barrier_cancel_ext)(int kind);
static int phase_of[MOST];

static void wait_all(int phase, bool cancellable)
{
    if (cancellable)
        CHECK(!GOMP_barrier_cancel_ext(phase % 3));
    else
        GOMP_barrier_ext(phase % 3);
}

/* Orphaned, so that it also runs outside every region. */
static void march(int threads, int me)
{
    for (int phase = 1; phase <= PHASES; phase++) {
        phase_of[me] = phase;
        wait_all(phase, phase % 4 == 1);
        for (int i = 0; i < threads; i++)
            CHECK(phase_of[i] == phase);
        wait_all(phase + 1, phase % 4 == 2);
    }
}

int main(void)
{
    GOMP_barrier_ext = (void (*)(int))entry("GOMP_barrier_ext");
    GOMP_barrier_cancel_ext = (bool (*)(int))entry("GOMP_barrier_cancel_ext");
    omp_set_dynamic(0);
    march(1, 0);
    for (int i = 0; i < TEAM_SIZES; i++)
#pragma omp parallel num_threads(team_sizes[i])
        march(team_sizes[i], omp_get_thread_num());
    /* Of two inner teams, each waits for its own members only. */
    omp_set_max_active_levels(2);
    int arrived[2] = {0, 0}, ahead = 0;
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
        /* Team 0 is through before team 1 begins. */
        if (outer == 1)
            GOMP_barrier_ext(OF_DIRECTIVE);
#pragma omp parallel num_threads(4)
        {
#pragma omp atomic
            arrived[outer]++;
            GOMP_barrier_ext(OF_WORKSHARING);
            int seen;
#pragma omp atomic read
            seen = arrived[outer];
            CHECK(seen == 4);
            if (outer == 0) {
#pragma omp atomic read
                seen = arrived[1];
#pragma omp atomic
                ahead += seen == 0;
            }
        }
        if (outer == 0)
            GOMP_barrier_ext(OF_DIRECTIVE);
    }
    CHECK(ahead == 4);
    return 0;
}
