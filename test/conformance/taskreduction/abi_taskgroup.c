/* Task reductions of taskgroups as compilers request them: the memory, and what an address is remapped to, that of an
   original or of any thread's copy, in nested taskgroups with and without reductions of their own.
   symbols: GOMP_taskgroup_reduction_register GOMP_taskgroup_reduction_unregister GOMP_task_reduction_remap */
#include <omp.h>

#include "abi_arrays.h"

static long a, b, c;

static void one_group(int threads)
{
    uintptr_t array[TWO_ITEMS];
    for (uintptr_t align = 64; align <= 4096; align *= 4) {
        fill(array, align, &a, &b);
        GOMP_taskgroup_start();
        GOMP_taskgroup_reduction_register(array);
        CHECK(array[MEMORY] % align == 0);
        CHECK(zeroed(array, threads));
        for (int i = 0; i < 100; i++)
#pragma omp task firstprivate(i) shared(array)
        {
            int me = omp_get_thread_num();
            void *both[4] = {&b, &a, NULL, NULL};
            GOMP_task_reduction_remap(2, 2, both);
            CHECK(both[0] == copy_of(array, me, 1) && both[1] == copy_of(array, me, 0));
            CHECK(both[2] == &b && both[3] == &a);
            *(long *)both[1] += i;
            *(long *)both[0] += 1;
            /* A task below it, given the addresses that its parent sees. */
#pragma omp task firstprivate(both) shared(array)
            {
                void *again[5] = {both[1], &b, both[0], NULL, NULL};
                GOMP_task_reduction_remap(3, 2, again);
                int mine = omp_get_thread_num();
                CHECK(again[0] == copy_of(array, mine, 0) && again[1] == copy_of(array, mine, 1));
                CHECK(again[2] == again[1]);
                CHECK(again[3] == &a && again[4] == &b);
                *(long *)again[0] += 1000;
            }
        }
        GOMP_taskgroup_end();
        CHECK(sum(array, threads, 0) == 4950 + 100 * 1000 && sum(array, threads, 1) == 100);
        GOMP_taskgroup_reduction_unregister(array);
    }
}

/* Groups in groups: the innermost registration of an item counts, in whatever order the items are asked for. */
static void nested_groups(int threads)
{
    uintptr_t outer[TWO_ITEMS], inner[TWO_ITEMS];
    fill(outer, 64, &a, &b);
    GOMP_taskgroup_start();
    GOMP_taskgroup_reduction_register(outer);
    /* No reductions of its own. */
#pragma omp taskgroup
    for (int i = 0; i < 20; i++)
#pragma omp task shared(outer)
    {
        CHECK(find(&a) == copy_of(outer, omp_get_thread_num(), 0));
        *find(&b) += 1;
    }
    CHECK(sum(outer, threads, 1) == 20);

    fill(inner, 64, &b, &c);
    GOMP_taskgroup_start();
    GOMP_taskgroup_reduction_register(inner);
    for (int i = 0; i < 20; i++)
#pragma omp task shared(outer, inner)
    {
        int me = omp_get_thread_num();
        void *all[6] = {&a, &b, &c, NULL, NULL, NULL};
        GOMP_task_reduction_remap(3, 3, all);
        CHECK(all[0] == copy_of(outer, me, 0) && all[1] == copy_of(inner, me, 0) && all[2] == copy_of(inner, me, 1));
        CHECK(all[3] == &a && all[4] == &b && all[5] == &c);
        void *copies[4] = {copy_of(outer, 0, 1), copy_of(inner, threads - 1, 1), NULL, NULL};
        GOMP_task_reduction_remap(2, 2, copies);
        CHECK(copies[0] == copy_of(outer, me, 1) && copies[1] == copy_of(inner, me, 1));
        CHECK(copies[2] == &b && copies[3] == &c);
        CHECK(find((char *)copy_of(inner, 0, 0) + 9) == (void *)((char *)copy_of(inner, me, 0) + 9));
        *find(&b) += 5;
    }
    GOMP_taskgroup_end();
    CHECK(sum(inner, threads, 0) == 100 && sum(outer, threads, 1) == 20);
    GOMP_taskgroup_reduction_unregister(inner);

    /* The outer one is there again. */
#pragma omp task shared(outer)
    CHECK(find(&b) == copy_of(outer, omp_get_thread_num(), 1));
    GOMP_taskgroup_end();
    GOMP_taskgroup_reduction_unregister(outer);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 0; round < 5; round++)
        for (int threads = 1; threads <= 5; threads += 2)
#pragma omp parallel num_threads(threads)
        {
#pragma omp single
            {
                one_group(threads);
                nested_groups(threads);
            }
            /* Each thread a group of its own. */
            nested_groups(threads);
        }
    /* Outside of all regions: last, since libgomp 12 crashes in regions behind this. */
    one_group(1);
    nested_groups(1);
    return 0;
}
