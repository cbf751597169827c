/* OMP_PLACES=threads alone binds: the list, each thread's place, partition and mask; a close team wraps around the
 * list.
 *
 * symbols: omp_get_num_places omp_get_place_num_procs omp_get_place_proc_ids omp_get_place_num
 *   omp_get_partition_num_places omp_get_partition_place_nums omp_get_proc_bind
 * env: OMP_PLACES=threads GHCOMP_CPU_QUOTA=ignore
 * cflags: -D_GNU_SOURCE
 */
#include "affinity.h"

static int places;

static void team(int threads)
{
    int wrong = 0;
#pragma omp parallel num_threads(threads) proc_bind(close) reduction(+ : wrong)
    {
        int me = omp_get_thread_num(), nums[MOST];
        wrong += !on_its_place();
        if (threads <= places)
            wrong += omp_get_place_num() != me;
        wrong += omp_get_partition_num_places() != places;
        omp_get_partition_place_nums(nums);
        for (int i = 0; i < places; i++)
            wrong += nums[i] != i;
    }
    CHECK(wrong == 0);
}

int main(void)
{
    int ids[MOST];
    places = omp_get_num_places();
    CHECK(places >= 1 && places <= MOST);
    CHECK(places == omp_get_num_procs());
    CHECK(omp_get_proc_bind() == BIND_OF_TRUE);
    CHECK(omp_get_place_num() == 0);
    CHECK(on_its_place());
    for (int i = 0; i < places; i++) {
        CHECK(omp_get_place_num_procs(i) == 1);
        omp_get_place_proc_ids(i, ids);
        CHECK(ids[0] >= 0);
    }
    CHECK(omp_get_place_num_procs(-1) == 0);
    CHECK(omp_get_place_num_procs(places) == 0);
    team(1);
    team(2);
    team(5);
    team(2);
    team(places + 1);
    team(3);
    return 0;
}
