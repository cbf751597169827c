/* Predefined allocators and memory spaces as constants: code by clang 10 and older, and programs that declare them as
 * libomp's first omp.h did, refer to them as objects. A program that is linked by copy relocations has them in its own
 * memory, so their size is part of the interface. Test: test/clang/alloc_data.c. */
#include "abi/abi.h"

/* libomp's own numbers, which this runtime's allocators and spaces do not use; and those of LLVM 20 (kmp_alloc.c). The
   default space has the number that it had when compilers emitted these. */
enum { KMP_MAX_MEM_ALLOC = 1024, KMP_MAX_MEM_SPACE = 1024, KMP_NULL_MEM_SPACE = 0, KMP_CGROUP_MEM_SPACE = 5 };

const uintptr_t ghcomp_data_omp_null_allocator = omp_null_allocator;
const uintptr_t ghcomp_data_omp_default_mem_alloc = omp_default_mem_alloc;
const uintptr_t ghcomp_data_omp_large_cap_mem_alloc = omp_large_cap_mem_alloc;
const uintptr_t ghcomp_data_omp_const_mem_alloc = omp_const_mem_alloc;
const uintptr_t ghcomp_data_omp_high_bw_mem_alloc = omp_high_bw_mem_alloc;
const uintptr_t ghcomp_data_omp_low_lat_mem_alloc = omp_low_lat_mem_alloc;
const uintptr_t ghcomp_data_omp_cgroup_mem_alloc = omp_cgroup_mem_alloc;
const uintptr_t ghcomp_data_omp_pteam_mem_alloc = omp_pteam_mem_alloc;
const uintptr_t ghcomp_data_omp_thread_mem_alloc = omp_thread_mem_alloc;
const uintptr_t ghcomp_data_kmp_max_mem_alloc = KMP_MAX_MEM_ALLOC;
const uintptr_t ghcomp_data_omp_default_mem_space = omp_default_mem_space;
const uintptr_t ghcomp_data_omp_large_cap_mem_space = omp_large_cap_mem_space;
const uintptr_t ghcomp_data_omp_const_mem_space = omp_const_mem_space;
const uintptr_t ghcomp_data_omp_high_bw_mem_space = omp_high_bw_mem_space;
const uintptr_t ghcomp_data_omp_low_lat_mem_space = omp_low_lat_mem_space;
const uintptr_t ghcomp_data_omp_null_mem_space = KMP_NULL_MEM_SPACE;
const uintptr_t ghcomp_data_omp_cgroup_mem_space = KMP_CGROUP_MEM_SPACE;
const uintptr_t ghcomp_data_kmp_max_mem_space = KMP_MAX_MEM_SPACE;

GHCOMP_ABI_OBJECT(kmp_alloc_data);
