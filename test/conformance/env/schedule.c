/* OMP_SCHEDULE with a modifier and a chunk.
   env: OMP_SCHEDULE="Monotonic : guided , 7"
   symbols: omp_get_schedule */
#include <omp.h>

#include "../common.h"

int main(void)
{
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    CHECK((unsigned)kind == (omp_sched_guided | 0x80000000u) && chunk == 7);
    return 0;
}
