/* The public types of GCC's omp.h that the exported prototypes need, laid out as its ABI has them. The
 * runtime has its own copy because it is also built where no gcc omp.h is installed. A file that includes
 * <omp.h> first gets that one's types instead: test/abi/omp_h.c does so, and the compiler then compares every
 * prototype of ours with it. Included by abi.h only. */
#pragma once

#ifndef _OMP_H
typedef struct {
    unsigned char _x[4] __attribute__((aligned(4)));
} omp_lock_t;

typedef struct {
    unsigned char _x[16] __attribute__((aligned(8)));
} omp_nest_lock_t;

typedef enum omp_sched_t {
    omp_sched_static = 1,
    omp_sched_dynamic = 2,
    omp_sched_guided = 3,
    omp_sched_auto = 4,
    omp_sched_monotonic = 0x80000000U
} omp_sched_t;

typedef enum omp_proc_bind_t {
    omp_proc_bind_false = 0,
    omp_proc_bind_true = 1,
    omp_proc_bind_primary = 2,
    omp_proc_bind_close = 3,
    omp_proc_bind_spread = 4
} omp_proc_bind_t;

/* The address of the task whose detach clause made the event. */
typedef uintptr_t omp_event_handle_t;
typedef enum omp_pause_resource_t {
    omp_pause_soft = 1,
    omp_pause_hard = 2
} omp_pause_resource_t;
#endif

/* A nest lock has only eight bytes where OMP_1.0's C interface or any Fortran interface allocated it. */
struct ghcomp_omp_nest_lock8 {
    unsigned char bytes[8] __attribute__((aligned(4)));
};
