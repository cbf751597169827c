/* Taskgroups in clang's code: their end waits for descendants of any depth and for nothing else; cancelling one
   discards the tasks that have not started, parts of untied tasks included, and no others.
   env: OMP_CANCELLATION=true
   symbols: __kmpc_taskgroup __kmpc_end_taskgroup
   limit: 60 */
#include <omp.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

static void descendants(void)
{
    int count = 0, gate = 0, outside = 0;
    if (omp_get_num_threads() > 1)
#pragma omp task shared(gate, outside)
    {
        wait_for(&gate);
        outside = 1;
    }
#pragma omp taskgroup
    {
        for (int i = 0; i < 20; i++)
#pragma omp task shared(count)
        {
#pragma omp task shared(count)
            {
#pragma omp task shared(count)
                count_up(&count);
            }
        }
    }
    CHECK(count == 20 && outside == 0);
    open_gate(&gate);
#pragma omp taskwait
    CHECK(outside == (omp_get_num_threads() > 1));
}

static void cancelled(void)
{
    int ran = 0, other = 0, ended = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(other)
        {
#pragma omp taskgroup
            {
                for (int i = 0; i < 10; i++)
#pragma omp task shared(other)
                    count_up(&other);
            }
        }
#pragma omp taskwait
        for (int i = 0; i < 200; i++)
#pragma omp task shared(ran, ended) untied firstprivate(i)
        {
            if (count_up(&ran) == 5) {
#pragma omp cancel taskgroup
            }
#pragma omp taskyield
#pragma omp cancellation point taskgroup
            count_up(&ended);
        }
    }
    CHECK(other == 10 && ran >= 5 && ended < 200 && ended < ran);
    CHECK(omp_get_num_threads() > 1 || ran < 200);
#pragma omp task shared(other)
    other++;
#pragma omp taskwait
    CHECK(other == 11);
}

int main(void)
{
    for (int threads = 1; threads <= 4; threads += 3) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        for (int i = 0; i < 20; i++) {
            descendants();
            cancelled();
        }
    }
    return 0;
}
