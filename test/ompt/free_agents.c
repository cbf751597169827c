/* Events of tasks with threadset(omp_pool) that free agents run: a tool gets the task's events on the agent's thread,
 * which is a worker, and no events of an implicit task there. What stands for that in the events has no word of the
 * tool. The program calls the entries of clang's code, by gcc, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../clang/task_abi.h"
#include "check.h"
#include "start.h"

enum { POOL = 0x80, TASKS = 50 };

static __thread int worker, implicit, in_task;
static atomic_int created, started, ended, on_agents, done;
static ompt_get_task_info_t get_task_info;
static ompt_get_thread_data_t get_thread_data;

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *data)
{
    worker = kind == ompt_thread_worker;
    data->value = 77;
}

static void on_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                        unsigned index, int flags)
{
    (void)parallel, (void)size, (void)index, (void)flags;
    if (endpoint == ompt_scope_begin)
        task->value = 5;
    implicit += endpoint == ompt_scope_begin ? 1 : -1;
}

static void on_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependent,
                      const void *address)
{
    (void)parent, (void)frame, (void)dependent, (void)address;
    CHECK((flags & ompt_task_explicit) && !(flags & ompt_task_undeferred));
    task->value = 1000;
    created++;
}

static void on_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    CHECK(prior != NULL && next != NULL);
    bool ends = status == ompt_task_complete;
    ompt_data_t *task = ends ? prior : next, *other = ends ? next : prior;
    CHECK(task->value == 1000 && get_thread_data()->value == 77);
    CHECK(other->value == (worker ? 0 : 5));
    CHECK(in_task == (status == ompt_task_complete));
    in_task = status != ompt_task_complete;
    if (status == ompt_task_complete) {
        ended++;
        return;
    }
    started++;
    on_agents += worker;
    CHECK(!worker || implicit == 0);
}

static int initialize(ompt_function_lookup_t look, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)look("ompt_set_callback");
    get_task_info = (ompt_get_task_info_t)look("ompt_get_task_info");
    get_thread_data = (ompt_get_thread_data_t)look("ompt_get_thread_data");
    set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit);
    set(ompt_callback_task_create, (ompt_callback_t)on_create);
    set(ompt_callback_task_schedule, (ompt_callback_t)on_schedule);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    CHECK(created == TASKS && started == TASKS && ended == TASKS && on_agents >= 1);
    puts("finalized");
    fflush(stdout);
}

static int32_t body(int32_t thread, task_t *task)
{
    int flags, number = 0;
    ompt_data_t *data = NULL;
    (void)thread, (void)task;
    CHECK(get_task_info(0, &flags, &data, NULL, NULL, &number) == 2 && data->value == 1000);
    CHECK((flags & ompt_task_explicit) && number == omp_get_thread_num() && (number == -2) == worker);
    done++;
    return 0;
}

#define ENTRY(name) __typeof__(&name) name##_ = (__typeof__(&name))dlvsym(RTLD_DEFAULT, #name, "VERSION")

int main(int argc, char **argv)
{
    (void)argc;
    if (getenv("OMP_THREADS_RESERVE") == NULL) {
        setenv("OMP_THREADS_RESERVE", "free_agent(1)", 1);
        execv("/proc/self/exe", argv);
        CHECK(!"execv");
    }
    ENTRY(__kmpc_global_thread_num);
    ENTRY(__kmpc_omp_task_alloc);
    ENTRY(__kmpc_omp_task);
    ENTRY(__kmpc_omp_taskwait);
    int self = __kmpc_global_thread_num_(&here);
    for (int i = 0; i < TASKS; i++) {
        __kmpc_omp_task_(&here, self, __kmpc_omp_task_alloc_(&here, self, TIED | POOL, sizeof(task_t), 0, body));
        while (i == 0 && done == 0)
            sched_yield(); /* no task scheduling point: an agent runs it */
    }
    __kmpc_omp_taskwait_(&here, self);
    CHECK(done == TASKS);
    return 0;
}
