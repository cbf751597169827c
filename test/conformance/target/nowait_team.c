/* Target tasks that all threads of a team make and run, in barriers and at the end of the region.
   ghcomp-only: libgomp 12 hangs now and then when several threads run target tasks in the same barrier
   symbols: GOMP_target_ext */
#include <omp.h>

#include "../common.h"
#include "launch.h"

int main(void)
{
    for (int round = 0; round < 20; round++) {
#pragma omp parallel num_threads(4)
        {
            for (int i = omp_get_thread_num(); i < 40; i += 4)
                launch(i);
#pragma omp barrier
#pragma omp single
            check_results();
#pragma omp single nowait
            for (int i = 0; i < 40; i++)
                launch(i);
        }
        check_results();
    }
    return 0;
}
