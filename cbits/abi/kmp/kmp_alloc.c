/* Allocators by the entries of clang's and flang's code: omp/omp_alloc.c's functions with a thread number in front,
 * and the numbers of clang's omp.h. Tests: test/clang/{alloc,alloc_*,memory_spaces}.c, test/mixed/allocators.sh.
 *
 * LLVM 20 gave some things other numbers than LLVM 19 and gcc have. Nothing in a program says which omp.h it was
 * compiled with, and it need not, since no number has two meanings between which the host's memory makes a difference:
 *
 *   space 0     19: the default space; 20: no space, which OpenMP 6.0 lets stand for the default one
 *   space 99    20: the default space;    space 5    23: the memory of a contention group. Invalid in 19.
 *   value 7     19: all threads have access; 20: all threads of the device. The host is the device.
 *   values 19 to 22, traits 9 to 14     20 alone
 *
 * So clang's code is served by both sets of numbers at once. Code by gcc, which asks for another version of
 * omp_init_allocator, keeps libgomp's alone, under which the new ones are mistakes.
 *
 * Code with an allocate clause writes to the memory without a check: if the allocator has none, the program ends with
 * one line, as with gcc's code. */
#include <stdlib.h>

#include "abi/abi.h"
#include "abi/kmp_alloc.h"
#include "base/check.h"
#include "core/memory/alloc.h"

/* --- the numbers of LLVM's omp.h that others do not have ---------------------------------------------------------- */

enum { KMP_SPACE_CGROUP = 5, KMP_SPACE_DEFAULT = 99 };

enum {
    KMP_ATK_PIN_DEVICE = 9,
    KMP_ATK_PREFERRED_DEVICE = 10,
    KMP_ATK_DEVICE_ACCESS = 11,
    KMP_ATK_TARGET_ACCESS = 12,
    KMP_ATK_ATOMIC_SCOPE = 13,
    KMP_ATK_PART_SIZE = 14
};

enum { KMP_ATV_DEVICE = 7, KMP_ATV_ALL = 19, KMP_ATV_SINGLE = 20, KMP_ATV_MULTIPLE = 21, KMP_ATV_MEMSPACE = 22 };

static uintptr_t space_of(uintptr_t number)
{
    return number == KMP_SPACE_DEFAULT || number == KMP_SPACE_CGROUP ? GHCOMP_SPACE_DEFAULT : number;
}

enum meaning { PASSED, DROPPED, REFUSED };

static enum meaning drop_if(bool valid)
{
    return valid ? DROPPED : REFUSED;
}

/* Translates a trait. Traits about devices have no effect on the host and are dropped. */
static enum meaning translate(struct ghcomp_trait *trait)
{
    uintptr_t value = trait->value;
    bool by_default = value == GHCOMP_ATV_DEFAULT;
    switch (trait->key) {
    case GHCOMP_ATK_ACCESS:
        if (value == KMP_ATV_ALL || value == KMP_ATV_MEMSPACE)
            trait->value = GHCOMP_ATV_ALL;
        return PASSED;
    case GHCOMP_ATK_PINNED: /* libomp locks no memory: none is missing because of a limit on that */
        if (value == GHCOMP_ATV_TRUE)
            trait->value = GHCOMP_ATV_IF_ALLOWED;
        return PASSED;
    case GHCOMP_ATK_POOL_SIZE: /* 0: no limit */
        return value == 0 ? DROPPED : PASSED;
    case KMP_ATK_PIN_DEVICE:
    case KMP_ATK_PREFERRED_DEVICE:
        return DROPPED;
    case KMP_ATK_PART_SIZE:
        trait->key = GHCOMP_ATK_PART_SIZE;
        return PASSED;
    case KMP_ATK_DEVICE_ACCESS:
    case KMP_ATK_TARGET_ACCESS:
        return drop_if(by_default || value == KMP_ATV_SINGLE || value == KMP_ATV_MULTIPLE);
    case KMP_ATK_ATOMIC_SCOPE:
        return drop_if(by_default || value == KMP_ATV_DEVICE || value == KMP_ATV_ALL);
    default:
        return PASSED;
    }
}

uintptr_t ghcomp_kmp_init_allocator(uintptr_t space, int count, const omp_alloctrait_t *traits)
{
    if (space == GHCOMP_SPACE_HIGH_BW)
        return GHCOMP_ALLOCATOR_NULL; /* as libomp says where memkind finds none; libgomp 16 takes other memory */
    if (count <= 0)
        return ghcomp_allocator_create(space_of(space), 0, NULL);
    struct ghcomp_trait *passed = ghcomp_alloc((size_t)count * sizeof *passed);
    enum meaning meaning = DROPPED;
    int length = 0;
    for (int i = 0; i < count && meaning != REFUSED; i++) {
        passed[length] = ((const struct ghcomp_trait *)traits)[i];
        meaning = translate(&passed[length]);
        length += meaning == PASSED;
    }
    uintptr_t made = GHCOMP_ALLOCATOR_NULL;
    if (meaning != REFUSED)
        made = ghcomp_allocator_create(space_of(space), length, passed);
    free(passed);
    return made;
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

void *__kmpc_alloc(int32_t thread, size_t size, omp_allocator_handle_t allocator)
{
    (void)thread;
    return GOMP_alloc(1, size, (uintptr_t)allocator);
}

void *__kmpc_aligned_alloc(int32_t thread, size_t alignment, size_t size, omp_allocator_handle_t allocator)
{
    (void)thread;
    return GOMP_alloc(alignment, size, (uintptr_t)allocator);
}

void *__kmpc_calloc(int32_t thread, size_t count, size_t size, omp_allocator_handle_t allocator)
{
    (void)thread;
    return omp_calloc(count, size, allocator);
}

/* omp_null_allocator stands for the default allocator, in gcc's code for the block's own. */
void *ghcomp_omp_realloc_kmp(void *ptr, size_t size, omp_allocator_handle_t allocator,
                             omp_allocator_handle_t free_allocator)
{
    (void)free_allocator;
    if (allocator == omp_null_allocator)
        allocator = omp_get_default_allocator();
    return ghcomp_allocator_realloc(ptr, size, allocator);
}

void *__kmpc_realloc(int32_t thread, void *block, size_t size, omp_allocator_handle_t allocator,
                     omp_allocator_handle_t free_allocator)
{
    (void)thread;
    return ghcomp_omp_realloc_kmp(block, size, allocator, free_allocator);
}

void __kmpc_free(int32_t thread, void *block, omp_allocator_handle_t allocator)
{
    (void)thread;
    omp_free(block, allocator);
}

omp_allocator_handle_t __kmpc_init_allocator(int32_t thread, omp_memspace_handle_t space, int32_t count,
                                             omp_alloctrait_t *traits)
{
    (void)thread;
    return (omp_allocator_handle_t)ghcomp_kmp_init_allocator(space, count, traits);
}

omp_allocator_handle_t ghcomp_omp_init_allocator_kmp(omp_memspace_handle_t memspace, int ntraits,
                                                     const omp_alloctrait_t traits[])
{
    return (omp_allocator_handle_t)ghcomp_kmp_init_allocator(memspace, ntraits, traits);
}

intptr_t ghcomp_omp_init_allocator__kmp(const intptr_t *memspace, const int32_t *ntraits,
                                        const omp_alloctrait_t *traits)
{
    return (intptr_t)ghcomp_kmp_init_allocator((uintptr_t)*memspace, *ntraits, traits);
}

/* libomp ignores a predefined allocator. */
void ghcomp_omp_destroy_allocator_kmp(omp_allocator_handle_t allocator)
{
    enum { GREATEST_PREDEFINED = 1024 };
    if ((uintptr_t)allocator > GREATEST_PREDEFINED)
        ghcomp_allocator_destroy(allocator);
}

void ghcomp_omp_destroy_allocator__kmp(const intptr_t *allocator)
{
    ghcomp_omp_destroy_allocator_kmp((omp_allocator_handle_t)*allocator);
}

void __kmpc_destroy_allocator(int32_t thread, omp_allocator_handle_t allocator)
{
    (void)thread;
    ghcomp_omp_destroy_allocator_kmp(allocator);
}

omp_allocator_handle_t __kmpc_get_default_allocator(int32_t thread)
{
    (void)thread;
    return omp_get_default_allocator();
}

void __kmpc_set_default_allocator(int32_t thread, omp_allocator_handle_t allocator)
{
    (void)thread;
    omp_set_default_allocator(allocator);
}

GHCOMP_ABI_OBJECT(kmp_alloc);
