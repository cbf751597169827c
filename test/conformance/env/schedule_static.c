/* OMP_SCHEDULE=static is monotonic, and has no chunk.
   env: OMP_SCHEDULE=static
   symbols: omp_get_schedule */
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK((unsigned)kind == (omp_sched_static | 0x80000000u) && chunk == 0);
    return 0;
}
