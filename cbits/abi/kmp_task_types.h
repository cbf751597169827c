/* Types of libomp's task interface, as clang's and flang's compiled code has them. The prototypes of abi.tsv use them.
 * Covered by test/clang/{task,depend,detach}*. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct kmp_task;

/* A task's code. Arguments: the executing thread's number, and the task with its data. */
typedef int32_t (*kmp_task_fn)(int32_t thread, struct kmp_task *task);

union kmp_task_word {
    int32_t priority;
    kmp_task_fn destructors;
};

/* A task, as compiled code sees it. Its private variables follow; then the addresses of shared ones, at `shareds`. */
struct kmp_task {
    void *shareds;
    kmp_task_fn fn;                  /* NULL: no code (taskwait nowait) */
    int32_t part;                    /* where an untied task continues; belongs to compiled code */
    union kmp_task_word destructors; /* of the private variables, with KMP_TASK_DESTRUCTORS */
    union kmp_task_word priority;    /* with KMP_TASK_PRIORITY */
};

/* Flags of __kmpc_omp_task_alloc. */
enum {
    KMP_TASK_TIED = 0x1,
    KMP_TASK_FINAL = 0x2,
    KMP_TASK_MERGEABLE = 0x4,
    KMP_TASK_DESTRUCTORS = 0x8,
    KMP_TASK_PROXY = 0x10,           /* complete only after a call of __kmpc_proxy_task_completed, too */
    KMP_TASK_PRIORITY = 0x20,
    KMP_TASK_DETACHABLE = 0x40,
    KMP_TASK_POOL = 0x80,            /* threadset(omp_pool): free agents may run it. Without meaning for
                                        __kmpc_omp_target_task_alloc, to which libomptarget passes it */
    KMP_TASK_TRANSPARENT = 0x100,    /* OpenMP 6.0; the clause's argument is not passed */
    KMP_TASK_ALIGNED = 0x4000,       /* not the ABI's: the struct is on a cache line */
    KMP_TASK_TARGET = 0x8000         /* not the ABI's: a target task, which runs aside */
};

/* One item of a depend clause. */
struct kmp_depend_info {
    void *address;
    size_t bytes;
    uint8_t kind;                    /* KMP_DEPEND_* */
};
enum {
    KMP_DEPEND_IN = 0x1,
    KMP_DEPEND_OUT = 0x2,
    KMP_DEPEND_INOUT = 0x3,
    KMP_DEPEND_MUTEXINOUTSET = 0x4,
    KMP_DEPEND_INOUTSET = 0x8,
    KMP_DEPEND_ALL_MEMORY = 0x80
};

/* One item of a task_reduction clause, or of a reduction clause with the task modifier. */
struct kmp_taskred_input {
    void *shared;                    /* the threads' copies are combined into it */
    void *original;                  /* omp_orig of an initializer */
    size_t bytes;
    void (*init)(void *copy, void *original); /* NULL: zeroes */
    void (*finish)(void *copy);
    void (*combine)(void *into, void *from);
    uint32_t flags;
};
/* The form before clang 9, without the original. */
struct kmp_task_red_input {
    void *shared;
    size_t bytes;
    void (*init)(void *copy);
    void (*finish)(void *copy);
    void (*combine)(void *into, void *from);
    uint32_t flags;
};

/* One item of an affinity clause. */
struct kmp_task_affinity {
    void *address;
    size_t bytes;
    uint32_t flags;
};
