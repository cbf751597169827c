/* What a proc_bind clause leaves to the regions inside: in gcc's code, as on libgomp, it is their bind-var where
   bind-var's list has no further level; in clang's, as on libomp, it is for its region alone.
   env: OMP_PLACES=threads OMP_PROC_BIND=spread,close OMP_MAX_ACTIVE_LEVELS=3
   symbols: omp_get_proc_bind */
#include <omp.h>

#include "../common.h"

#ifdef __clang__
#define THIRD omp_proc_bind_close
#else
#define THIRD omp_proc_bind_primary
#endif

int main(void)
{
    int wrong = 0;
    omp_set_dynamic(0);
    for (int turn = 0; turn < 3; turn++) {
        CHECK(omp_get_proc_bind() == omp_proc_bind_spread);
#pragma omp parallel num_threads(2) proc_bind(primary) reduction(+ : wrong)
        {
            wrong += omp_get_proc_bind() != omp_proc_bind_close; /* the list's next */
#pragma omp parallel num_threads(2) reduction(+ : wrong)
            wrong += omp_get_proc_bind() != omp_proc_bind_close;
#pragma omp parallel num_threads(2) proc_bind(primary) reduction(+ : wrong)
            {
                wrong += omp_get_proc_bind() != THIRD;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
                wrong += omp_get_proc_bind() != THIRD;
            }
        }
        CHECK(wrong == 0);
    }
    return 0;
}
