/* Fortran forms of Intel's routines, for programs that call them without an interface: `_` after the name, arguments by
 * reference, the length of a character argument as an additional last argument. Through flang's module omp_lib a
 * program calls the C names.
 *
 * Called by programs that flang or Intel's compiler made. Tests: test/clang/fortran_kmp.f90. */
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/observed/control_tool.h"
#include "base/check.h"

/* Without arguments. */
#define GET(type, name)    \
    type name##_(void)     \
    {                      \
        return name();     \
    }
#define CALL(name)         \
    void name##_(void)     \
    {                      \
        name();            \
    }
/* With one value. */
#define SET(type, name)                \
    void name##_(const type *value)    \
    {                                  \
        name(*value);                  \
    }
/* With one mask, which the C form takes by reference, too. */
#define MASK(type, name)               \
    type name##_(void **mask)          \
    {                                  \
        return name(mask);             \
    }
#define MASK_PROC(name)                                 \
    int name##_(const int *proc, void **mask)           \
    {                                                   \
        return name(*proc, mask);                       \
    }

GET(int, kmp_get_blocktime)
GET(int, kmp_get_library)
GET(int, kmp_get_stacksize)
GET(size_t, kmp_get_stacksize_s)
GET(int, kmp_get_affinity_max_proc)
CALL(kmp_set_library_serial)
CALL(kmp_set_library_throughput)
CALL(kmp_set_library_turnaround)
CALL(kmp_set_warnings_off)
CALL(kmp_set_warnings_on)
SET(int, kmp_set_blocktime)
SET(int, kmp_set_disp_num_buffers)
SET(int, kmp_set_library)
SET(int, kmp_set_stacksize)
SET(size_t, kmp_set_stacksize_s)
MASK(void, kmp_create_affinity_mask)
MASK(void, kmp_destroy_affinity_mask)
MASK(int, kmp_get_affinity)
MASK(int, kmp_set_affinity)
MASK_PROC(kmp_get_affinity_mask_proc)
MASK_PROC(kmp_set_affinity_mask_proc)
MASK_PROC(kmp_unset_affinity_mask_proc)

int kmp_get_cancellation_status_(const int *kind)
{
    return kmp_get_cancellation_status(*kind);
}

/* Blanks at the end do not count, because a Fortran variable may be longer than its text. */
void kmp_set_defaults_(const char *settings, size_t length)
{
    while (length > 0 && settings[length - 1] == ' ')
        length--;
    char *text = ghcomp_alloc_text(settings, length);
    kmp_set_defaults(text);
    free(text);
}

/* --- memory: addresses are integers of the size of a pointer ------------------------------------------------------ */

void *kmp_malloc_(const size_t *size)
{
    return kmp_malloc(*size);
}

void *kmp_aligned_malloc_(const size_t *size, const size_t *alignment)
{
    return kmp_aligned_malloc(*size, *alignment);
}

void *kmp_calloc_(const size_t *count, const size_t *size)
{
    return kmp_calloc(*count, *size);
}

void *kmp_realloc_(void *const *block, const size_t *size)
{
    return kmp_realloc(*block, *size);
}

void kmp_free_(void *const *block)
{
    kmp_free(*block);
}

int ghcomp_omp_control_tool__kmp(const int *command, const int *modifier, void *arg)
{
    return ghcomp_control_tool(*command, *modifier, arg, __builtin_return_address(0), __builtin_dwarf_cfa());
}

GHCOMP_ABI_OBJECT(kmp_fortran);
