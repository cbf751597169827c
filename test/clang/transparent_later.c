/* A thread that waits in a transparent task takes an earlier task, whose end makes a later one ready: the wait must not
   take that one, which waits for the transparent task itself.
   ghcomp-only: libomp ignores the flag
   symbols: __kmpc_omp_task_with_deps */
#include "task_abi.h"

#include <omp.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

enum { DETACHABLE = 0x40, TRANSPARENT = 0x100, NONE = 0 };

void *__kmpc_task_allow_completion_event(ident_t *, int32_t, task_t *);

static int x, y, h;           /* names */
static int waits, began, all;

static task_t *make(int flags, task_fn fn)
{
    return __kmpc_omp_task_alloc(&here, __kmpc_global_thread_num(&here), TIED | flags, sizeof(task_t), 0, fn);
}

static void submit(task_t *task, int *first, int first_kind, int *second, int second_kind)
{
    depend_t list[2] = {{first, 4, (uint8_t)first_kind}, {second, 4, (uint8_t)second_kind}};
    int count = 1 + (second_kind != NONE);
    __kmpc_omp_task_with_deps(&here, __kmpc_global_thread_num(&here), task, count, list, 0, NULL);
}

static int32_t count_it(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    count_up(&all);
    return 0;
}

/* Its child waits for a task that is made before it. */
static int32_t earlier(int32_t thread, task_t *task)
{
    (void)task;
    submit(make(0, count_it), &x, IN, NULL, NONE);
    open_gate(&waits);
    __kmpc_omp_taskwait(&here, thread);
    return 0;
}

/* Its child waits for the one above. */
static int32_t later(int32_t thread, task_t *task)
{
    (void)task;
    open_gate(&began);
    submit(make(0, count_it), &y, IN, NULL, NONE);
    __kmpc_omp_taskwait(&here, thread);
    return 0;
}

/* By one thread; the other one runs the tasks. */
static void make_all(int32_t thread)
{
    task_t *held = make(DETACHABLE, count_it);
    omp_event_handle_t event = (omp_event_handle_t)__kmpc_task_allow_completion_event(&here, thread, held);
    submit(held, &h, OUT, NULL, NONE);
    submit(make(0, count_it), &h, IN, &x, OUT);
    submit(make(TRANSPARENT, earlier), &y, OUT, NULL, NONE);
    wait_for(&waits);
    submit(make(TRANSPARENT, later), &x, IN, NULL, NONE);
    omp_fulfill_event(event);
    wait_for(&began);
    __kmpc_omp_taskwait(&here, thread);
}

int main(void)
{
    omp_set_dynamic(0);
    for (int round = 1; round <= 20; round++) {
        waits = began = 0;
#pragma omp parallel num_threads(2)
#pragma omp masked
        make_all(__kmpc_global_thread_num(&here));
        CHECK(all == 4 * round);
    }
    return 0;
}
