/* Dependences in calls by hand: both lists, void items, an address in two ways, omp_all_memory in both its forms, and
   __kmpc_omp_wait_deps. */
#include "task_abi.h"

#include "../conformance/common.h"
#include "../conformance/gate.h"

static int32_t add(int32_t thread, task_t *task)
{
    (void)thread;
    int *counter = (int *)task->own[0];
    CHECK(look(counter) == (int)task->own[1]);
    for (int spin = 0; spin < 1000; spin++)
        __asm__ volatile("" ::: "memory");
    __atomic_store_n(counter, (int)task->own[1] + 1, __ATOMIC_RELEASE);
    return 0;
}

static void order(int which)
{
    int thread = __kmpc_global_thread_num(&here), counter = 0, x, y, z;
    enum { TASKS = 100 };
    for (int i = 0; i < TASKS; i++) {
        task_t *task = __kmpc_omp_task_alloc(&here, thread, TIED, sizeof *task, 0, add);
        task->own[0] = (long)&counter;
        task->own[1] = i;
        depend_t first[3] = {{&x, 4, INOUT}, {NULL, 4, OUT}, {&y, 4, IN}};
        depend_t second[2] = {{&z, 4, IN}, {&z, 4, MUTEXINOUTSET}};
        depend_t all[1] = {{NULL, 0, ALL_MEMORY}}, also_all[1] = {{(void *)UINTPTR_MAX, 0, INOUT}};
        switch (which == 0 ? i % 4 : 0) {
        case 0:
            __kmpc_omp_task_with_deps(&here, thread, task, 3, first, 0, NULL);
            break;
        case 1:
            __kmpc_omp_task_with_deps(&here, thread, task, 1, all, 0, NULL);
            break;
        case 2:
            __kmpc_omp_task_with_deps(&here, thread, task, 3, first, 2, second);
            break;
        case 3:
            __kmpc_omp_task_with_deps(&here, thread, task, 1, also_all, 0, NULL);
        }
    }
    depend_t empty = {&x, 4, INOUT}; /* a task without code: taskwait nowait */
    __kmpc_omp_task_with_deps(&here, thread, __kmpc_omp_task_alloc(&here, thread, TIED, sizeof(task_t), 0, NULL), 1,
                              &empty, 0, NULL);
    depend_t last = {&x, 4, IN};
    if (which == 0) {
        __kmpc_omp_wait_deps(&here, thread, 1, &last, 0, NULL);
    } else {
        last.kind = MUTEXINOUTSET;
        __kmpc_omp_wait_deps(&here, thread, 0, NULL, 1, &last);
    }
    CHECK(counter == TASKS);
    __kmpc_omp_taskwait(&here, thread);
}

int main(void)
{
    order(0);
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        {
            order(0);
            order(1);
        }
    }
    return 0;
}
