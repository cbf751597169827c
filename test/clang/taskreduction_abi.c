/* The entries for task reductions of clang before version 9, in calls by hand: an initializer with one argument,
   none at all, a finisher, addresses of copies, and the modifier of regions. */
#include <omp.h>

#include "task_abi.h"

#include "../conformance/common.h"
#include "../conformance/gate.h"

void __kmpc_taskgroup(ident_t *, int32_t);
void __kmpc_end_taskgroup(ident_t *, int32_t);

typedef struct {
    void *shared;
    size_t bytes;
    void (*init)(void *copy);
    void (*finish)(void *copy);
    void (*combine)(void *into, void *from);
    uint32_t flags;
} input_t;

static int begun, finished;

static void init(void *copy)
{
    count_up(&begun);
    *(long *)copy = 1000;
}

static void finish(void *copy)
{
    CHECK(*(long *)copy >= 1000);
    count_up(&finished);
}

static void combine_long(void *into, void *from)
{
    *(long *)into += *(long *)from - 1000;
}

static void combine_int(void *into, void *from)
{
    *(int *)into += *(int *)from;
}

static int32_t add(int32_t thread, task_t *task)
{
    long *mine = __kmpc_task_reduction_get_th_data(thread, (void *)task->own[0], (void *)task->own[1]);
    CHECK(mine == __kmpc_task_reduction_get_th_data(thread, NULL, mine));
    ++*mine;
    int *other = __kmpc_task_reduction_get_th_data(thread, NULL, (void *)task->own[2]);
    ++*other;
    return 0;
}

static void make(int tasks, void *group, long *first, int *second)
{
    int thread = __kmpc_global_thread_num(&here);
    for (int i = 0; i < tasks; i++) {
        task_t *task = __kmpc_omp_task_alloc(&here, thread, TIED, sizeof *task, 0, add);
        task->own[0] = (long)group;
        task->own[1] = (long)first;
        task->own[2] = (long)second;
        __kmpc_omp_task(&here, thread, task);
    }
}

static void group(void)
{
    int thread = __kmpc_global_thread_num(&here), second = 5;
    long first = 0;
    input_t inputs[2] = {{&first, sizeof first, init, finish, combine_long, 0},
                         {&second, sizeof second, NULL, NULL, combine_int, 0}};
    __kmpc_taskgroup(&here, thread);
    void *handle = __kmpc_task_reduction_init(thread, 2, inputs);
    make(300, handle, &first, &second);
    __kmpc_end_taskgroup(&here, thread);
    CHECK(first == 300 && second == 305);
}

int main(void)
{
    long total = 0;
    int seconds = 0;
    for (int threads = 1; threads <= 4; threads += 3) {
        begun = finished = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
        group();
        CHECK(begun == finished);
    }
    begun = finished = 0;
#pragma omp parallel num_threads(4)
    {
        int thread = __kmpc_global_thread_num(&here), second = 0;
        long first = 0;
        input_t inputs[2] = {{&first, sizeof first, init, finish, combine_long, 0},
                             {&second, sizeof second, NULL, NULL, combine_int, 0}};
        void *handle = __kmpc_task_reduction_modifier_init(&here, thread, 0, 2, inputs);
        make(50, handle, &first, &second);
        __kmpc_task_reduction_modifier_fini(&here, thread, 0);
#pragma omp atomic
        total += first;
#pragma omp atomic
        seconds += second;
    }
    CHECK(total == 200 && seconds == 200 && begun == finished && begun >= 1);
    return 0;
}
