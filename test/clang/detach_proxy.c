/* Proxy tasks: complete when their function has returned and completion was reported, in either order, by a thread of
   the team or by a foreign one. Dependences and taskwaits wait for both.
   limit: 60
   ldflags: -pthread */
#include <pthread.h>
#include <unistd.h>

#include "task_abi.h"

#include "../conformance/common.h"
#include "../conformance/gate.h"

static int told, after;
static pthread_t foreign[40];

static void *complete(void *task)
{
    usleep(1000);
    count_up(&told);
    __kmpc_proxy_task_completed_ooo(task);
    return NULL;
}

/* A foreign thread tells it, later most of the time. */
static int32_t by_foreign(int32_t thread, task_t *task)
{
    (void)thread;
    CHECK(pthread_create(&foreign[task->own[0]], NULL, complete, task) == 0);
    return 0;
}

static int32_t tell(int32_t thread, task_t *task)
{
    count_up(&told);
    __kmpc_proxy_task_completed(thread, (task_t *)task->own[0]);
    return 0;
}

/* Another task of the team does. */
static int32_t by_team(int32_t thread, task_t *task)
{
    task_t *other = __kmpc_omp_task_alloc(&here, thread, TIED, sizeof *other, 0, tell);
    other->own[0] = (long)task;
    __kmpc_omp_task(&here, thread, other);
    return 0;
}

static int32_t successor(int32_t thread, task_t *task)
{
    (void)thread;
    CHECK(look(&told) >= task->own[0] + 1);
    count_up(&after);
    return 0;
}

static void proxies(void)
{
    enum { TASKS = 40 };
    int thread = __kmpc_global_thread_num(&here), x;
    told = after = 0;
    for (int i = 0; i < TASKS; i++) {
        depend_t out = {&x, 4, INOUT}, in = {&x, 4, IN};
        task_t *task = __kmpc_omp_task_alloc(&here, thread, TIED | PROXY, sizeof *task, 0,
                                             i % 2 ? by_foreign : by_team);
        task->own[0] = i;
        __kmpc_omp_task_with_deps(&here, thread, task, 1, &out, 0, NULL);
        task = __kmpc_omp_task_alloc(&here, thread, TIED, sizeof *task, 0, successor);
        task->own[0] = i;
        __kmpc_omp_task_with_deps(&here, thread, task, 1, &in, 0, NULL);
    }
    __kmpc_omp_taskwait(&here, thread);
    CHECK(told == TASKS && after == TASKS);
    for (int i = 1; i < TASKS; i += 2)
        pthread_join(foreign[i], NULL);
}

int main(void)
{
    for (int threads = 2; threads <= 4; threads += 2) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        proxies();
    }
    return 0;
}
