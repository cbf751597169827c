/* Members that wait in a reduction run the tasks that a late member makes: those wait for each other, so as many
   threads are needed. Small teams, whose members combine in turn, and larger ones, which use a tree.
   symbols: __kmpc_reduce __kmpc_end_reduce __kmpc_reduce_nowait __kmpc_end_reduce_nowait
   limit: 60 */
#include <omp.h>

#include "../conformance/gate.h"
#include "kmp.h"

static int before, met;

/* What the member of the number does; the late one's result. */
static int part(int number, int threads, int late)
{
    if (number != late) {
        count_up(&before);
        return number;
    }
    wait_until(&before, threads - 1); /* the others are in the reduction, or soon */
    for (int k = 0; k < threads; k++)
#pragma omp task
        meet(&met, threads);
#pragma omp taskwait
    return number + met;
}

static void late_member(int threads, int late)
{
    int sum = 0, whole = threads * (threads - 1) / 2 + threads;
    before = met = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static, 1) num_threads(threads)
    for (int i = 0; i < threads; i++)
        sum += part(i, threads, late);
    CHECK(sum == whole);
    sum = before = met = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for reduction(+ : sum) schedule(static, 1)
        for (int i = 0; i < threads; i++)
            sum += part(i, threads, late);
        CHECK(sum == whole);
    }
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 2; threads <= 9; threads++)
        for (int late = 0; late < threads; late++)
            late_member(threads, late);
    return 0;
}
