/* The proc_bind clause overrides bind-var, region by region, with a team that stays the same otherwise.
 *
 * env: OMP_PLACES=threads OMP_PROC_BIND=close
 * cflags: -D_GNU_SOURCE
 */
#include "affinity.h"

enum { THREADS = 4 };

static void regions(int threads)
{
    int places = omp_get_num_places(), at[THREADS], length[THREADS], wrong = 0;
    for (int turn = 0; turn < 4; turn++) {
#pragma omp parallel num_threads(threads) proc_bind(primary) reduction(+ : wrong)
        wrong += omp_get_place_num() != 0 || omp_get_partition_num_places() != places || !on_its_place();
        CHECK(wrong == 0);
#pragma omp parallel num_threads(threads) reduction(+ : wrong)
        {
            at[omp_get_thread_num()] = omp_get_place_num();
            wrong += omp_get_partition_num_places() != places || !on_its_place();
        }
        CHECK(wrong == 0);
        for (int i = 0; i < threads && threads <= places; i++)
            CHECK(at[i] == i);
#pragma omp parallel num_threads(threads) proc_bind(spread) reduction(+ : wrong)
        {
            at[omp_get_thread_num()] = omp_get_place_num();
            length[omp_get_thread_num()] = omp_get_partition_num_places();
            wrong += !on_its_place();
        }
        CHECK(wrong == 0);
        CHECK(at[0] == 0);
        for (int i = 0; i < threads; i++)
            CHECK(threads <= places ? i == 0 || at[i] == at[i - 1] + length[i - 1] : length[i] == 1);
    }
}

int main(void)
{
    int places = omp_get_num_places();
    regions(places < THREADS ? places : THREADS); /* with a place for each thread */
    regions(THREADS);
    return 0;
}
