/* A bad OMP_PLACES is reported in one line and changes nothing else: the bind list still applies, with one place for
 * each CPU.
 *
 * env: OMP_PLACES="{0:2},nonsense" OMP_PROC_BIND=spread GHCOMP_CPU_QUOTA=ignore
 * expect-stderr: ^ghc-openmp: warning: OMP_PLACES='\{0:2\},nonsense': .*; using one place for each CPU$
 * cflags: -D_GNU_SOURCE
 */
#include "affinity.h"

int main(void)
{
    int wrong = 0;
    CHECK(omp_get_proc_bind() == omp_proc_bind_spread);
    CHECK(omp_get_num_places() == omp_get_num_procs());
#pragma omp parallel num_threads(2) reduction(+ : wrong)
    wrong += !on_its_place();
    CHECK(wrong == 0);
    return 0;
}
