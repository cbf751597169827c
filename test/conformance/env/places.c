/* A bound thread's mask does not change the number of processors, and the places are shown as they are.
   env: OMP_PLACES=threads OMP_DISPLAY_ENV=true
   expect-stderr: ^  (\[host\] )?OMP_PLACES = '\{[0-9]+\}(,\{[0-9]+\})*'$
   expect-stderr: ^  (\[host\] )?OMP_PROC_BIND = 'TRUE'$
   symbols: omp_get_num_procs */
#include <omp.h>

#include "../common.h"

int main(void)
{
    int processors = omp_get_max_threads();
    CHECK(omp_get_num_procs() == processors && processors <= omp_get_num_places());
    int wrong = 0;
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    wrong += omp_get_num_procs() != processors;
    CHECK(wrong == 0);
    return 0;
}
