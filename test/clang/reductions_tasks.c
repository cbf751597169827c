/* Members that wait in a reduction run the tasks that a late member makes: those wait for each other, so as many
   threads are needed. Small teams, whose members combine in turn, and larger ones, which use a tree.
   symbols: __kmpc_reduce __kmpc_end_reduce
   limit: 60 */
#include <omp.h>

#include "../conformance/gate.h"
#include "kmp.h"

static void late_member(int threads, int late)
{
    int met = 0, sum = 0, before = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static, 1) num_threads(threads)
    for (int i = 0; i < threads; i++) {
        sum += i;
        if (i != late) {
            count_up(&before);
            continue;
        }
        wait_until(&before, threads - 1); /* the others are in the reduction, or soon */
        for (int k = 0; k < threads; k++)
#pragma omp task shared(met)
            meet(&met, threads);
#pragma omp taskwait
        sum += met;
    }
    CHECK(sum == threads * (threads - 1) / 2 + threads);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 2; threads <= 9; threads++)
        for (int late = 0; late < threads; late++)
            late_member(threads, late);
    return 0;
}
