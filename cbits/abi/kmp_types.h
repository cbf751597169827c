/* Types of libomp's interface, as clang's and flang's compiled code has them (LLVM's openmp/runtime/src/kmp.h defines
 * them). The prototypes of abi.tsv use them. Covered by test/clang, and by every conformance program that clang
 * compiles. */
#pragma once

#include <stdint.h>

struct ompt_start_tool_result_t; /* omp-tools.h */

/* A construct's place in the source, and the compiler's flags for it. */
struct kmp_ident {
    int32_t reserved_1;
    int32_t flags; /* KMP_IDENT_* */
    int32_t reserved_2, reserved_3;
    const char *source; /* ;file;function;line;column;; */
};
enum {
    KMP_IDENT_ATOMIC_REDUCE = 0x10,
    KMP_IDENT_BARRIER_EXPLICIT = 0x20,
    KMP_IDENT_BARRIER_IMPLICIT = 0x40, /* of any construct */
    KMP_IDENT_WORK_LOOP = 0x200,
    KMP_IDENT_WORK_SECTIONS = 0x400,
    KMP_IDENT_WORK_DISTRIBUTE = 0x800
};

/* A region's outlined code. It has the thread's numbers by address, then one word for each shared variable. */
typedef void (*kmp_microtask)(int32_t *global_thread, int32_t *thread_in_team, ...);

/* The memory that compiled code reserves for a critical section's name or a reduction. Zeroed at first. */
typedef int32_t kmp_critical_name[8];

/* One loop of a doacross nest: lower .. upper, both inclusive. */
struct kmp_dim {
    int64_t lower, upper, step;
};

/* One loop of a rectangular nest: from `lower` to `upper`, which the comparison includes or not. Both have the type
   `type`, of 32 or 64 bits, in their low bytes; the loop's variable may be narrower. The words that nests of other
   shapes use are 0. */
struct kmp_loop_bounds {
    int32_t type, variable_type; /* enum kmp_loop_type */
    int32_t comparison;          /* enum kmp_loop_comparison */
    int32_t outer;
    uint64_t lower, lower_by_outer, upper, upper_by_outer;
    int64_t step;
    uint64_t count;              /* written by __kmpc_process_loop_nest_rectang */
};
enum kmp_loop_type {
    KMP_LOOP_UINT8,
    KMP_LOOP_INT8,
    KMP_LOOP_UINT16,
    KMP_LOOP_INT16,
    KMP_LOOP_UINT32,
    KMP_LOOP_INT32,
    KMP_LOOP_UINT64,
    KMP_LOOP_INT64
};
enum kmp_loop_comparison {
    KMP_LOOP_LESS_OR_EQUAL,
    KMP_LOOP_GREATER_OR_EQUAL,
    KMP_LOOP_NOT_EQUAL,
    KMP_LOOP_LESS,
    KMP_LOOP_GREATER
};
