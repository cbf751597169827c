/* Second names of routines of omp.h and of Intel's, with kmpc_ or ompc_, which libomp has, too. Tests:
 * test/clang/names.c. */
#include "abi/abi.h"

/* A routine with a result, and one without. */
#define GIVES(type, name, other, parameters, arguments) \
    type name parameters                                \
    {                                                   \
        return other arguments;                         \
    }
#define DOES(name, other, parameters, arguments) \
    void name parameters                         \
    {                                            \
        other arguments;                         \
    }

GIVES(void *, kmpc_malloc, kmp_malloc, (size_t size), (size))
GIVES(void *, kmpc_calloc, kmp_calloc, (size_t count, size_t size), (count, size))
GIVES(void *, kmpc_realloc, kmp_realloc, (void *block, size_t size), (block, size))
GIVES(void *, kmpc_aligned_malloc, kmp_aligned_malloc, (size_t size, size_t alignment), (size, alignment))
DOES(kmpc_free, kmp_free, (void *block), (block))

DOES(kmpc_set_blocktime, kmp_set_blocktime, (int milliseconds), (milliseconds))
DOES(kmpc_set_defaults, kmp_set_defaults, (const char *settings), (settings))
DOES(kmpc_set_disp_num_buffers, kmp_set_disp_num_buffers, (int count), (count))
DOES(kmpc_set_library, kmp_set_library, (int mode), (mode))
DOES(kmpc_set_stacksize, kmp_set_stacksize, (int size), (size))
DOES(kmpc_set_stacksize_s, kmp_set_stacksize_s, (size_t size), (size))

GIVES(int, kmpc_set_affinity_mask_proc, kmp_set_affinity_mask_proc, (int proc, void **mask), (proc, mask))
GIVES(int, kmpc_unset_affinity_mask_proc, kmp_unset_affinity_mask_proc, (int proc, void **mask), (proc, mask))
GIVES(int, kmpc_get_affinity_mask_proc, kmp_get_affinity_mask_proc, (int proc, void **mask), (proc, mask))

DOES(ompc_set_num_threads, omp_set_num_threads, (int num_threads), (num_threads))
DOES(ompc_set_dynamic, omp_set_dynamic, (int dynamic), (dynamic))
DOES(ompc_set_nested, ghcomp_omp_set_nested_kmp, (int nested), (nested))
DOES(ompc_set_max_active_levels, ghcomp_omp_set_max_active_levels_kmp, (int levels), (levels))
DOES(ompc_set_schedule, ghcomp_omp_set_schedule_kmp, (omp_sched_t kind, int chunk_size), (kind, chunk_size))
GIVES(int, ompc_get_ancestor_thread_num, omp_get_ancestor_thread_num, (int level), (level))
GIVES(int, ompc_get_team_size, omp_get_team_size, (int level), (level))

GHCOMP_ABI_OBJECT(kmp_names);
