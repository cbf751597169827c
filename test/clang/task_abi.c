/* Calls of libomp's task interface by hand: parts submitted by either entry, tasks for devices, and shareds behind
   the private variables. */
#include "task_abi.h"

#include "../conformance/common.h"
#include "../conformance/gate.h"

static int parts, ends;

/* Five parts, each of which submits the next one. */
static int32_t in_parts(int32_t thread, task_t *task)
{
    CHECK(thread == __kmpc_global_thread_num(&here));
    count_up(&parts);
    CHECK(task->own[0] == 100 + task->part);
    if (task->part++ < 4) {
        task->own[0]++;
        if (task->part % 2)
            __kmpc_omp_task_parts(&here, thread, task);
        else
            __kmpc_omp_task(&here, thread, task);
        return 0;
    }
    count_up(&ends);
    return 0;
}

static int32_t with_shareds(int32_t thread, task_t *task)
{
    (void)thread;
    int **shared = task->shareds;
    CHECK((char *)shared >= (char *)(task + 1));
    count_up(shared[0]);
    count_up(shared[1]);
    return 0;
}

static void make(void)
{
    int thread = __kmpc_global_thread_num(&here), a = 0, b = 0;
    parts = ends = 0;
    for (int i = 0; i < 20; i++) {
        task_t *task = __kmpc_omp_task_alloc(&here, thread, 0, sizeof *task, 0, in_parts);
        CHECK(task->shareds == NULL && task->part == 0 && (uintptr_t)task % 16 == 0);
        task->own[0] = 100;
        __kmpc_omp_task_parts(&here, thread, task);
        task = __kmpc_omp_target_task_alloc(&here, thread, TIED, sizeof *task, 2 * sizeof(int *), with_shareds, 0);
        ((int **)task->shareds)[0] = &a;
        ((int **)task->shareds)[1] = &b;
        __kmpc_omp_task(&here, thread, task);
    }
    __kmpc_omp_taskwait(&here, thread);
    CHECK(parts == 100 && ends == 20 && a == 20 && b == 20);
}

int main(void)
{
    make();
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        make();
    }
    return 0;
}
