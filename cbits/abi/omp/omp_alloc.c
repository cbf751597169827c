/* Memory routines: omp_init_allocator, omp_alloc and the like, their Fortran forms, and the calls that GCC emits for
 * the allocate clause, the allocate directive and Fortran's allocators construct.
 *
 * Each block records its allocator, so the allocator argument of omp_free and GOMP_free is not needed.
 *
 * Called by programs. Covered by test/conformance/alloc.
 */
#include <limits.h>

#include "abi/abi.h"
#include "abi/kmp_alloc.h"
#include "core/memory/alloc.h"
#include "core/memory/alloc_set.h"
#include "core/team/team.h"

_Static_assert(sizeof(omp_alloctrait_t) == sizeof(struct ghcomp_trait) &&
                   offsetof(omp_alloctrait_t, value) == offsetof(struct ghcomp_trait, value),
               "omp_alloctrait_t is what core/memory/alloc.h says");

/* --- allocators --------------------------------------------------------------------------------------------------- */

/* Code by clang binds to another symbol version, with more numbers (kmp/kmp_alloc.c). An archive has no versions, so
   clang's code may call this one, too. */
omp_allocator_handle_t ghcomp_omp_init_allocator_501(omp_memspace_handle_t memspace, int ntraits,
                                                     const omp_alloctrait_t traits[])
{
#ifdef GHCOMP_VERSIONED
    return (omp_allocator_handle_t)ghcomp_allocator_create(memspace, ntraits, (const struct ghcomp_trait *)traits);
#else
    return (omp_allocator_handle_t)ghcomp_kmp_init_allocator(memspace, ntraits, traits);
#endif
}

void ghcomp_omp_destroy_allocator_501(omp_allocator_handle_t allocator)
{
    ghcomp_allocator_destroy(allocator);
}

/* omp_null_allocator stands for the allocator that a program starts with when OMP_ALLOCATOR names none.
   def-allocator-var belongs to the implicit task (OpenMP 5.2, section 2.1): a value that an explicit task sets holds
   for its thread from then on, and for the regions that the task opens, which take the task's copy. */
void omp_set_default_allocator(omp_allocator_handle_t allocator)
{
    struct ghcomp_member *self = ghcomp_self_of_caller();
    uintptr_t value = allocator != omp_null_allocator ? allocator : omp_default_mem_alloc;
    ghcomp_icv_own(&self->implicit)->default_allocator = value;
    if (self->task != &self->implicit)
        ghcomp_icv_own(self->task)->default_allocator = value;
}

omp_allocator_handle_t omp_get_default_allocator(void)
{
    return (omp_allocator_handle_t)ghcomp_asker()->implicit.icv->default_allocator;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

void *omp_alloc(size_t size, omp_allocator_handle_t allocator)
{
    return ghcomp_allocator_alloc(1, size, allocator, false);
}

void *omp_aligned_alloc(size_t alignment, size_t size, omp_allocator_handle_t allocator)
{
    return ghcomp_allocator_alloc(alignment, size, allocator, false);
}

void *omp_calloc(size_t nmemb, size_t size, omp_allocator_handle_t allocator)
{
    return ghcomp_allocator_alloc_array(1, nmemb, size, allocator);
}

void *omp_aligned_calloc(size_t alignment, size_t nmemb, size_t size, omp_allocator_handle_t allocator)
{
    return ghcomp_allocator_alloc_array(alignment, nmemb, size, allocator);
}

/* omp_null_allocator stands for the block's own allocator. */
void *ghcomp_omp_realloc_502(void *ptr, size_t size, omp_allocator_handle_t allocator,
                             omp_allocator_handle_t free_allocator)
{
    (void)free_allocator;
    return ghcomp_allocator_realloc(ptr, size, allocator);
}

void omp_free(void *ptr, omp_allocator_handle_t allocator)
{
    (void)allocator;
    ghcomp_allocator_free(ptr);
}

/* Memory of a clause or directive. Code that GCC emits does not check for NULL, so running out of memory ends the
   program. */
void *GOMP_alloc(size_t alignment, size_t size, uintptr_t allocator)
{
    void *memory = ghcomp_allocator_alloc(alignment, size, allocator, false);
    if (memory == NULL && size != 0)
        ghcomp_allocator_exhausted(size);
    return memory;
}

void GOMP_free(void *ptr, uintptr_t allocator)
{
    (void)allocator;
    ghcomp_allocator_free(ptr);
}

/* Before a Fortran variable is deallocated or resized, GCC's code queries whether its memory came from omp_alloc, to
   choose between omp_free and free. The query removes the address. */
void GOMP_add_alloc(void *ptr)
{
    ghcomp_alloc_set_add(ptr);
}

bool GOMP_is_alloc(void *ptr)
{
    return ghcomp_alloc_set_take(ptr);
}

/* --- Fortran; the memory routines are bind(C) there --------------------------------------------------------------- */

intptr_t ghcomp_omp_init_allocator__501(const intptr_t *memspace, const int32_t *ntraits,
                                        const omp_alloctrait_t *traits)
{
    return (intptr_t)ghcomp_omp_init_allocator_501((omp_memspace_handle_t)*memspace, *ntraits, traits);
}

intptr_t omp_init_allocator_8_(const intptr_t *memspace, const int64_t *ntraits, const omp_alloctrait_t *traits)
{
    int count = *ntraits > INT_MAX ? INT_MAX : *ntraits < 0 ? 0 : (int)*ntraits;
    return (intptr_t)ghcomp_omp_init_allocator_501((omp_memspace_handle_t)*memspace, count, traits);
}

void ghcomp_omp_destroy_allocator__501(const intptr_t *allocator)
{
    ghcomp_omp_destroy_allocator_501((omp_allocator_handle_t)*allocator);
}

void omp_set_default_allocator_(const intptr_t *allocator)
{
    omp_set_default_allocator((omp_allocator_handle_t)*allocator);
}

intptr_t omp_get_default_allocator_(void)
{
    return (intptr_t)omp_get_default_allocator();
}

GHCOMP_ABI_OBJECT(omp_alloc);
