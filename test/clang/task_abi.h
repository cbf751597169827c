/* The part of libomp's task interface that no compiler on this machine emits, for programs that call it themselves. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct task {
    void *shareds;
    int32_t (*fn)(int32_t thread, struct task *task);
    int32_t part;
    union {
        int32_t priority;
        int32_t (*destructors)(int32_t thread, struct task *task);
    } data1, data2;
    long own[8];
} task_t;
typedef int32_t (*task_fn)(int32_t thread, task_t *task);

typedef struct {
    int32_t reserved_1, flags, reserved_2, reserved_3;
    const char *source;
} ident_t;
static ident_t here = {0, 2, 0, 0, ";unknown;unknown;0;0;;"};

typedef struct {
    void *address;
    size_t bytes;
    uint8_t kind;
} depend_t;

enum { TIED = 1, DESTRUCTORS = 8, PROXY = 0x10, PRIORITY = 0x20 };
enum { IN = 1, OUT = 2, INOUT = 3, MUTEXINOUTSET = 4, INOUTSET = 8, ALL_MEMORY = 0x80 };

#ifdef __cplusplus
extern "C" {
#endif
int32_t __kmpc_global_thread_num(ident_t *);
task_t *__kmpc_omp_task_alloc(ident_t *, int32_t, int32_t flags, size_t bytes, size_t shareds, task_fn);
task_t *__kmpc_omp_target_task_alloc(ident_t *, int32_t, int32_t flags, size_t bytes, size_t shareds, task_fn, int64_t);
int32_t __kmpc_omp_task(ident_t *, int32_t, task_t *);
int32_t __kmpc_omp_task_parts(ident_t *, int32_t, task_t *);
int32_t __kmpc_omp_task_with_deps(ident_t *, int32_t, task_t *, int32_t, depend_t *, int32_t, depend_t *);
void __kmpc_omp_wait_deps(ident_t *, int32_t, int32_t, depend_t *, int32_t, depend_t *);
int32_t __kmpc_omp_taskwait(ident_t *, int32_t);
void __kmpc_proxy_task_completed(int32_t, task_t *);
void __kmpc_proxy_task_completed_ooo(task_t *);
void __kmpc_taskloop(ident_t *, int32_t, task_t *, int32_t condition, uint64_t *, uint64_t *, int64_t step,
                     int32_t nogroup, int32_t schedule, uint64_t amount, void *duplicate);
void __kmpc_taskloop_5(ident_t *, int32_t, task_t *, int32_t condition, uint64_t *, uint64_t *, int64_t step,
                       int32_t nogroup, int32_t schedule, uint64_t amount, int32_t modifier, void *duplicate);
void *__kmpc_task_reduction_init(int32_t, int32_t, void *);
void *__kmpc_task_reduction_modifier_init(ident_t *, int32_t, int32_t worksharing, int32_t, void *);
void __kmpc_task_reduction_modifier_fini(ident_t *, int32_t, int32_t worksharing);
void *__kmpc_task_reduction_get_th_data(int32_t, void *group, void *data);
#ifdef __cplusplus
}
#endif
