/* Nested regions three deep with different sizes: sizes, levels, ancestors; repeated, so that hot inner teams are
   reused.
   symbols: GOMP_parallel omp_get_level omp_get_active_level omp_get_ancestor_thread_num omp_get_team_size */
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    for (int pass = 0; pass < 30; pass++) {
        int a = 2 + pass % 2, b = 3, c = 2 + pass % 3, leaves = 0;
#pragma omp parallel num_threads(a) reduction(+ : leaves)
        {
            int outer = omp_get_thread_num();
#pragma omp parallel num_threads(b) reduction(+ : leaves)
            {
                int middle = omp_get_thread_num();
#pragma omp parallel num_threads(c) reduction(+ : leaves)
                {
                    CHECK(omp_get_level() == 3 && omp_get_active_level() == 3);
                    CHECK(omp_get_num_threads() == c);
                    CHECK(omp_get_ancestor_thread_num(0) == 0);
                    CHECK(omp_get_ancestor_thread_num(1) == outer);
                    CHECK(omp_get_ancestor_thread_num(2) == middle);
                    CHECK(omp_get_ancestor_thread_num(3) == omp_get_thread_num());
                    CHECK(omp_get_team_size(1) == a && omp_get_team_size(2) == b && omp_get_team_size(3) == c);
                    CHECK(omp_get_ancestor_thread_num(4) == -1 && omp_get_team_size(-1) == -1);
                    leaves += 1;
#pragma omp parallel num_threads(4)
                    {
                        /* Past max-active-levels: a team of one, a level deeper, no more active. */
                        CHECK(omp_get_num_threads() == 1 && omp_get_level() == 4 && omp_get_active_level() == 3);
                    }
                }
            }
        }
        CHECK(leaves == a * b * c);
    }
    return 0;
}
