/* The public types of GCC's omp.h that the exported prototypes need, with the layout of its ABI. The runtime has its
 * own copy because it is also built where no gcc omp.h is installed. A file that includes <omp.h> first gets the types
 * from there instead, and the compiler compares every prototype with the one in omp.h. Included by abi.h only. Covered
 * by test/abi/omp_h.sh. */
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

typedef enum omp_sync_hint_t {
    omp_sync_hint_none = 0,
    omp_sync_hint_uncontended = 1,
    omp_sync_hint_contended = 2,
    omp_sync_hint_nonspeculative = 4,
    omp_sync_hint_speculative = 8
} omp_sync_hint_t;

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
    omp_pause_hard = 2,
    omp_pause_stop_tool = 3 /* OpenMP 6.0 */
} omp_pause_resource_t;

typedef uintptr_t omp_uintptr_t;

typedef enum omp_memspace_handle_t {
    omp_default_mem_space = 0,
    omp_large_cap_mem_space = 1,
    omp_const_mem_space = 2,
    omp_high_bw_mem_space = 3,
    omp_low_lat_mem_space = 4,
    omp_memspace_handle_is_a_word = UINTPTR_MAX
} omp_memspace_handle_t;

typedef enum omp_allocator_handle_t {
    omp_null_allocator = 0,
    omp_default_mem_alloc = 1,
    omp_large_cap_mem_alloc = 2,
    omp_const_mem_alloc = 3,
    omp_high_bw_mem_alloc = 4,
    omp_low_lat_mem_alloc = 5,
    omp_cgroup_mem_alloc = 6,
    omp_pteam_mem_alloc = 7,
    omp_thread_mem_alloc = 8,
    omp_allocator_handle_is_a_word = UINTPTR_MAX
} omp_allocator_handle_t;

typedef struct omp_alloctrait_t {
    unsigned key; /* in omp.h an enum omp_alloctrait_key_t */
    omp_uintptr_t value;
} omp_alloctrait_t;

typedef struct __attribute__((__aligned__(sizeof(void *)))) omp_depend_t {
    char __omp_depend_t__[2 * sizeof(void *)];
} omp_depend_t;
#endif

/* Types that omp.h has only from GCC 15 on. */
#if !defined _OMP_H || (defined __GNUC__ && __GNUC__ < 15)
typedef intptr_t omp_intptr_t;

/* An integer as wide as a pointer. omp.h makes it an enumeration so that types are checked. */
#ifdef __cplusplus
typedef enum omp_interop_t : uintptr_t {
#else
typedef enum omp_interop_t {
#endif
    omp_interop_none = 0,
    omp_interop_widest = UINTPTR_MAX
} omp_interop_t;

typedef enum omp_interop_property_t {
    omp_ipr_fr_id = -1,
    omp_ipr_fr_name = -2,
    omp_ipr_vendor = -3,
    omp_ipr_vendor_name = -4,
    omp_ipr_device_num = -5,
    omp_ipr_platform = -6,
    omp_ipr_device = -7,
    omp_ipr_device_context = -8,
    omp_ipr_targetsync = -9,
    omp_ipr_first = omp_ipr_targetsync
} omp_interop_property_t;

typedef enum omp_interop_rc_t {
    omp_irc_no_value = 1,
    omp_irc_success = 0,
    omp_irc_empty = -1,
    omp_irc_out_of_range = -2,
    omp_irc_type_int = -3,
    omp_irc_type_ptr = -4,
    omp_irc_type_str = -5,
    omp_irc_other = -6
} omp_interop_rc_t;
#endif

/* A nest lock that OMP_1.0's C interface or any Fortran interface has allocated has only eight bytes. */
struct ghcomp_omp_nest_lock8 {
    unsigned char bytes[8] __attribute__((aligned(4)));
};
