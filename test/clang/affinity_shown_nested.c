/* OMP_DISPLAY_AFFINITY in clang's code, as on libomp: a team is shown when one of its threads has shown another level
   or size last, and so again after regions inside.
   env: OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="%L/%N" OMP_MAX_ACTIVE_LEVELS=3
   expect-stdout: \A1/1\n2/1\n1/1\n(1/2\n){2}1/1\n\Z */
#include <omp.h>

static int members;

static void region(int size)
{
#pragma omp parallel num_threads(size)
    __atomic_fetch_add(&members, 1, __ATOMIC_RELAXED);
}

int main(void)
{
#pragma omp parallel num_threads(1)
    {
        region(1);
        region(1);
    }
    region(1);
    region(1);
    region(2);
    region(2);
#pragma omp parallel num_threads(1)
    members++;
    return 0;
}
