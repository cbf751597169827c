/* Each member of a spread team gets a part of the places; the close teams below it stay inside that part.
 *
 * symbols: omp_get_proc_bind
 * env: OMP_PLACES=threads OMP_PROC_BIND=spread,close OMP_MAX_ACTIVE_LEVELS=2
 * cflags: -D_GNU_SOURCE
 */
#include "affinity.h"

static int part(int nums[MOST])
{
    int count = omp_get_partition_num_places();
    if (count < 1 || count > MOST)
        return 0;
    omp_get_partition_place_nums(nums);
    for (int i = 1; i < count; i++)
        if (nums[i] != nums[0] + i)
            return 0;
    return count;
}

int main(void)
{
    int places = omp_get_num_places(), wrong = 0, covered = 0;
    CHECK(omp_get_proc_bind() == omp_proc_bind_spread);
    for (int turn = 0; turn < 3; turn++) {
        covered = 0;
#pragma omp parallel num_threads(2) reduction(+ : wrong, covered)
        {
            int nums[MOST], length = part(nums), first = nums[0], place = omp_get_place_num();
            covered += length;
            wrong += length < 1 || place < first || place >= first + length || !on_its_place();
            wrong += omp_get_proc_bind() != omp_proc_bind_close;
            if (places >= 2)
                wrong += length != places / 2 && length != (places + 1) / 2;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
            {
                int inner[MOST];
                wrong += part(inner) != length || inner[0] != first || !on_its_place();
                if (length >= 2)
                    wrong += omp_get_place_num() != place_after(place, omp_get_thread_num(), first, length);
            }
            /* Back in the outer team. */
            wrong += omp_get_place_num() != place || omp_get_partition_num_places() != length;
        }
        CHECK(wrong == 0);
        CHECK(covered == (places >= 2 ? places : 2));
        CHECK(omp_get_partition_num_places() == places);
    }
    return 0;
}
