/* Task reductions of parallel regions as compilers request them: the entry returns the team's size, all members and
   their tasks find the memory; nested regions have their own.
   symbols: GOMP_parallel_reductions */
#include <omp.h>

#include "abi_arrays.h"

struct data {
    uintptr_t *array;
    int threads, depth;
};

static long a, b;

static void region(int threads, int depth);

static void body(void *arg)
{
    struct data *data = arg;
    uintptr_t *array = data->array;
    CHECK(omp_get_num_threads() == data->threads);
    *find(&a) += 1;
    for (int i = 0; i < 30; i++)
#pragma omp task firstprivate(array)
    {
        void *both[4] = {&a, &b, NULL, NULL};
        int me = omp_get_thread_num();
        GOMP_task_reduction_remap(2, 2, both);
        CHECK(both[0] == copy_of(array, me, 0) && both[1] == copy_of(array, me, 1));
        CHECK(both[2] == &a && both[3] == &b);
        *(long *)both[1] += 1;
    }
#pragma omp taskgroup
    {
#pragma omp task firstprivate(array)
        *find(&a) += 1;
    }
    if (data->depth > 0)
        region(2, data->depth - 1);
    CHECK(find(&b) == copy_of(array, omp_get_thread_num(), 1));
}

static void region(int threads, int depth)
{
    uintptr_t array[TWO_ITEMS];
    fill(array, 64, &a, &b);
    struct data data = {array, threads, depth};
    CHECK(GOMP_parallel_reductions(body, &data, (unsigned)threads, 0) == (unsigned)threads);
    CHECK(sum(array, threads, 0) == 2 * threads && sum(array, threads, 1) == 30 * threads);
    GOMP_taskgroup_reduction_unregister(array);
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(3);
    for (int threads = 1; threads <= 7; threads += 2) {
        region(threads, 0);
        region(threads, 1);
        /* In a region without reductions, and with one around it. */
#pragma omp parallel num_threads(2)
        region(threads, 0);
    }
    return 0;
}
