/* barrier: everything that any thread did before it is visible to every thread after it, with more threads than CPUs,
 * in nested teams and in a team of one, and orphaned in a function.
 *
 * symbols: GOMP_barrier
 * limit: 60
 */
#include <omp.h>
#include <stdio.h>

enum { PHASES = 300, MOST = 8 };

static int phase_of[MOST];

static int wait_and_look(int threads, int me, int phase)
{
    int wrong = 0;
    phase_of[me] = phase;
#pragma omp barrier
    for (int i = 0; i < threads; i++)
        wrong += phase_of[i] != phase;
#pragma omp barrier
    return wrong;
}

int main(void)
{
    int wrong = 0;
    for (int threads = 1; threads <= MOST; threads++) {
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
        {
            wrong += omp_get_num_threads() != threads;
            for (int phase = 1; phase <= PHASES; phase++)
                wrong += wait_and_look(threads, omp_get_thread_num(), phase);
        }
    }
    omp_set_max_active_levels(2);
    int inner[2][2] = {{0}};
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2) reduction(+ : wrong)
        for (int phase = 1; phase <= PHASES; phase++) {
            inner[outer][omp_get_thread_num()] = phase;
#pragma omp barrier
            wrong += inner[outer][0] != phase || inner[outer][1] != phase;
#pragma omp barrier
        }
    }
    if (wrong)
        printf("%d times wrong\n", wrong);
    return wrong != 0;
}
