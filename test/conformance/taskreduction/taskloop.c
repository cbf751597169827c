/* taskloop reduction, and in_reduction of a group around it, with and without nogroup; nested; zero iterations.
   limit: 60
   symbols: GOMP_taskloop GOMP_taskloop_ull GOMP_taskgroup_reduction_register GOMP_taskgroup_reduction_unregister */
#include <omp.h>

#include "../common.h"

static void one(int n)
{
    long sum = 3, outer = 0;
    unsigned low = 1000;
    double list[4] = {1, 1, 1, 1};
#pragma omp taskloop reduction(+ : sum) reduction(min : low) grainsize(7)
    for (int i = 0; i < n; i++) {
        sum += i;
        low = low < (unsigned)i + 2 ? low : (unsigned)i + 2;
    }
    CHECK(sum == 3 + (long)n * (n - 1) / 2 && low == (n > 0 ? 2 : 1000));
#pragma omp taskloop reduction(+ : list[:4]) num_tasks(5)
    for (unsigned long long i = 0; i < (unsigned long long)n; i++)
        list[i % 4] += 1;
    CHECK(list[0] == 1 + (n + 3) / 4 && list[3] == 1 + n / 4);
    /* Zero iterations. */
#pragma omp taskloop reduction(+ : sum)
    for (int i = n; i < n; i++)
        sum += 100;
    CHECK(sum == 3 + (long)n * (n - 1) / 2);
    /* The tasks' own tasks take part too. */
    sum = 0;
#pragma omp taskloop reduction(+ : sum) num_tasks(6)
    for (int i = 0; i < n; i++) {
#pragma omp task in_reduction(+ : sum)
        sum += 2;
        sum += 1;
    }
    CHECK(sum == 3L * n);
#pragma omp taskgroup task_reduction(+ : outer)
    {
#pragma omp taskloop in_reduction(+ : outer) nogroup
        for (int i = 0; i < n; i++)
            outer += i;
#pragma omp taskloop in_reduction(+ : outer)
        for (int i = 0; i < n; i++) {
            long inner = 0;
#pragma omp taskloop reduction(+ : inner) num_tasks(2)
            for (int j = 0; j < 4; j++)
                inner += j;
            outer += inner;
        }
#pragma omp task in_reduction(+ : outer)
        outer += 5;
    }
    CHECK(outer == (long)n * (n - 1) / 2 + 6L * n + 5);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 10; pass++) {
            long total = 0;
#pragma omp parallel num_threads(threads)
            {
#pragma omp single nowait
                one(100);
                one(10 + omp_get_thread_num());
                one(0);
#pragma omp task
                one(33);
            }
            /* A region's reduction and a taskloop's in one. */
#pragma omp parallel num_threads(threads) reduction(task, + : total)
#pragma omp master
#pragma omp taskloop in_reduction(+ : total)
            for (int i = 0; i < 50; i++)
                total += i;
            CHECK(total == 1225);
            total = 0;
#pragma omp parallel master taskloop num_threads(threads) reduction(+ : total) num_tasks(9)
            for (int i = 0; i < 50; i++)
                total += i;
            CHECK(total == 1225);
        }
    }
    return 0;
}
