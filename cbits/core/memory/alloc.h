/* Allocators and the memory that they give: omp_init_allocator, omp_alloc and their like. Protocol: alloc.c.
 *
 * A handle is an omp_allocator_handle_t: 0 for none, a small number for an allocator that OpenMP or GCC defines, else
 * the address of one that ghcomp_allocator_create made. Any thread may call anything here.
 */
#pragma once

#include "base/atomic.h"

/* omp_alloctrait_key_t. */
enum {
    GHCOMP_ATK_SYNC_HINT = 1,
    GHCOMP_ATK_ALIGNMENT = 2,
    GHCOMP_ATK_ACCESS = 3,
    GHCOMP_ATK_POOL_SIZE = 4,
    GHCOMP_ATK_FALLBACK = 5,
    GHCOMP_ATK_FB_DATA = 6,
    GHCOMP_ATK_PINNED = 7,
    GHCOMP_ATK_PARTITION = 8,
    GHCOMP_ATK_PART_SIZE = 1 << 20 /* of OpenMP 6.0; no number of a program's: libgomp has none, LLVM's has 14 */
};

/* omp_alloctrait_value_t. */
#define GHCOMP_ATV_DEFAULT UINTPTR_MAX
enum {
    GHCOMP_ATV_FALSE = 0,
    GHCOMP_ATV_TRUE = 1,
    GHCOMP_ATV_CONTENDED = 3,
    GHCOMP_ATV_UNCONTENDED = 4,
    GHCOMP_ATV_SERIALIZED = 5,
    GHCOMP_ATV_PRIVATE = 6,
    GHCOMP_ATV_ALL = 7,
    GHCOMP_ATV_THREAD = 8,
    GHCOMP_ATV_PTEAM = 9,
    GHCOMP_ATV_CGROUP = 10,
    GHCOMP_ATV_DEFAULT_MEM_FB = 11,
    GHCOMP_ATV_NULL_FB = 12,
    GHCOMP_ATV_ABORT_FB = 13,
    GHCOMP_ATV_ALLOCATOR_FB = 14,
    GHCOMP_ATV_ENVIRONMENT = 15,
    GHCOMP_ATV_NEAREST = 16,
    GHCOMP_ATV_BLOCKED = 17,
    GHCOMP_ATV_INTERLEAVED = 18,
    GHCOMP_ATV_IF_ALLOWED = 1 << 20 /* of the trait pinned, from clang's code: true, or false beyond the limit */
};

/* omp_memspace_handle_t. */
enum {
    GHCOMP_SPACE_DEFAULT = 0,
    GHCOMP_SPACE_LARGE_CAP = 1,
    GHCOMP_SPACE_CONST = 2,
    GHCOMP_SPACE_HIGH_BW = 3,
    GHCOMP_SPACE_LOW_LAT = 4,
    GHCOMP_SPACE_MANAGED = 200 /* GCC 16's ompx_gnu_managed_mem_space: memory that devices may access */
};

/* omp_allocator_handle_t. */
enum {
    GHCOMP_ALLOCATOR_NULL = 0,
    GHCOMP_ALLOCATOR_DEFAULT = 1,
    GHCOMP_ALLOCATOR_LARGE_CAP = 2,
    GHCOMP_ALLOCATOR_CONST = 3,
    GHCOMP_ALLOCATOR_HIGH_BW = 4,
    GHCOMP_ALLOCATOR_LOW_LAT = 5,
    GHCOMP_ALLOCATOR_CGROUP = 6,
    GHCOMP_ALLOCATOR_PTEAM = 7,
    GHCOMP_ALLOCATOR_THREAD = 8,
    GHCOMP_ALLOCATOR_PINNED = 200, /* GCC 14's ompx_gnu_pinned_mem_alloc */
    GHCOMP_ALLOCATOR_MANAGED = 201 /* GCC 16's ompx_gnu_managed_mem_alloc */
};

/* omp_alloctrait_t. */
struct ghcomp_trait {
    int key;
    uintptr_t value;
};

/* The handle of a new allocator; GHCOMP_ALLOCATOR_NULL when libgomp would not accept the space or a trait. */
uintptr_t ghcomp_allocator_create(uintptr_t space, int count, const struct ghcomp_trait *traits);
/* Ends the program when the handle is a predefined allocator's. Blocks that still exist stay valid until they are
   freed. */
void ghcomp_allocator_destroy(uintptr_t handle);

/* `size` bytes at a multiple of `alignment` and of the allocator's alignment, zeroed on request. NULL when size is 0,
   or when neither the allocator nor its fallbacks have memory. GHCOMP_ALLOCATOR_NULL stands for the task's
   def-allocator-var. */
void *ghcomp_allocator_alloc(size_t alignment, size_t size, uintptr_t handle, bool zeroed);
/* The same for an array; a total that does not fit in size_t is a shortage like any other. */
void *ghcomp_allocator_alloc_array(size_t alignment, size_t count, size_t size, uintptr_t handle);
/* As realloc. GHCOMP_ALLOCATOR_NULL stands for the block's own allocator. If the result is NULL the block remains,
   unless size is 0, which frees it. */
void *ghcomp_allocator_realloc(void *block, size_t size, uintptr_t handle);
/* Frees a block that any of these three gave; NULL does nothing. */
void ghcomp_allocator_free(void *block);

/* Ends the program with libgomp's message for a shortage. */
void ghcomp_allocator_exhausted(size_t size) __attribute__((noreturn, cold));

/* Bytes in use of an allocator with a pool_size (for tests). */
size_t ghcomp_allocator_used(uintptr_t handle);
