/* Flags of transparent tasks (OpenMP 6.0, ompt_task_flag_t): a task whose clause imports and exports has both, when it
 * is created and in ompt_get_task_info; others have neither. With dependences, without, and with an if clause that is
 * false; in a team, and outside. The program calls the entries of clang's code, by gcc, too. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp-tools.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "../clang/task_abi.h"
#include "check.h"
#include "start.h"

enum { TRANSPARENT = 0x100, BOTH = ompt_task_importing | ompt_task_exporting };
void __kmpc_omp_task_begin_if0(ident_t *, int32_t, task_t *);
void __kmpc_omp_task_complete_if0(ident_t *, int32_t, task_t *);

static atomic_int created, opened, begun;
static ompt_get_task_info_t get_task_info;

static void on_create(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags, int dependent,
                      const void *address)
{
    (void)parent, (void)frame, (void)dependent, (void)address;
    CHECK((flags & BOTH) == 0 || (flags & BOTH) == BOTH);
    task->value = (uint64_t)(flags & BOTH);
    created++;
    opened += (flags & BOTH) == BOTH;
}

static int initialize(ompt_function_lookup_t look, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)look("ompt_set_callback");
    get_task_info = (ompt_get_task_info_t)look("ompt_get_task_info");
    set(ompt_callback_task_create, (ompt_callback_t)on_create);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    puts("finalized");
    fflush(stdout);
}

static int32_t body(int32_t thread, task_t *task)
{
    int flags, number = 0;
    ompt_data_t *data = NULL;
    (void)thread, (void)task;
    CHECK(get_task_info(0, &flags, &data, NULL, NULL, &number) == 2);
    CHECK((uint64_t)(flags & BOTH) == data->value);
    begun++;
    return 0;
}

#define ENTRY(name) __typeof__(&name) name##_ = (__typeof__(&name))dlvsym(RTLD_DEFAULT, #name, "VERSION")

/* Six tasks, three of them transparent. */
static void make(void)
{
    ENTRY(__kmpc_global_thread_num);
    ENTRY(__kmpc_omp_task_alloc);
    ENTRY(__kmpc_omp_task);
    ENTRY(__kmpc_omp_task_with_deps);
    ENTRY(__kmpc_omp_task_begin_if0);
    ENTRY(__kmpc_omp_task_complete_if0);
    ENTRY(__kmpc_omp_taskwait);
    static char word;
    int self = __kmpc_global_thread_num_(&here), before = opened;
    for (int flags = TIED; flags <= (TIED | TRANSPARENT); flags += TRANSPARENT) {
        depend_t depend = {&word, sizeof word, INOUT};
        __kmpc_omp_task_(&here, self, __kmpc_omp_task_alloc_(&here, self, flags, sizeof(task_t), 0, body));
        __kmpc_omp_task_with_deps_(&here, self, __kmpc_omp_task_alloc_(&here, self, flags, sizeof(task_t), 0, body), 1,
                                   &depend, 0, NULL);
        task_t *task = __kmpc_omp_task_alloc_(&here, self, flags, sizeof(task_t), 0, body);
        __kmpc_omp_task_begin_if0_(&here, self, task);
        body(self, task);
        __kmpc_omp_task_complete_if0_(&here, self, task);
        CHECK(opened == before + (flags & TRANSPARENT ? 3 : 0));
    }
    __kmpc_omp_taskwait_(&here, self);
}

int main(void)
{
    make();
#pragma omp parallel num_threads(2)
#pragma omp single
    make();
    CHECK(created == 12 && opened == 6 && begun == 12);
    return 0;
}
