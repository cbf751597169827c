/* Fortran forms of the affinity routines. A character argument has a hidden length and no zero byte at its end; a
 * character result is padded with blanks. Trailing blanks of a format count, as in libgomp. Arrays of eight-byte
 * integers are filled by way of four-byte ones.
 *
 * Called by programs that gfortran compiles. Covered by test/conformance/fortran/affinity.f90 and affinity_8.f90.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "base/check.h"

static int clip(int64_t value)
{
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

int32_t omp_get_proc_bind_(void)
{
    return (int32_t)omp_get_proc_bind();
}

int32_t omp_get_num_places_(void)
{
    return omp_get_num_places();
}

int32_t omp_get_place_num_(void)
{
    return omp_get_place_num();
}

int32_t omp_get_place_num_procs_(const int32_t *place_num)
{
    return omp_get_place_num_procs(*place_num);
}

int32_t omp_get_place_num_procs_8_(const int64_t *place_num)
{
    return omp_get_place_num_procs(clip(*place_num));
}

int32_t omp_get_partition_num_places_(void)
{
    return omp_get_partition_num_places();
}

/* Copies `count` numbers to eight-byte integers, and frees the originals. */
static void widen(int *numbers, int count, int64_t *wide)
{
    for (int i = 0; i < count; i++)
        wide[i] = numbers[i];
    free(numbers);
}

void omp_get_place_proc_ids_(const int32_t *place_num, int32_t *ids)
{
    omp_get_place_proc_ids(*place_num, ids);
}

void omp_get_place_proc_ids_8_(const int64_t *place_num, int64_t *ids)
{
    int place = clip(*place_num), count = omp_get_place_num_procs(place);
    int *numbers = ghcomp_alloc((size_t)count * sizeof *numbers);
    omp_get_place_proc_ids(place, numbers);
    widen(numbers, count, ids);
}

void omp_get_partition_place_nums_(int32_t *place_nums)
{
    omp_get_partition_place_nums(place_nums);
}

void omp_get_partition_place_nums_8_(int64_t *place_nums)
{
    int count = omp_get_partition_num_places();
    int *numbers = ghcomp_alloc((size_t)count * sizeof *numbers);
    omp_get_partition_place_nums(numbers);
    widen(numbers, count, place_nums);
}

/* --- the affinity format ------------------------------------------------------------------------------------------ */

/* A copy of a Fortran string as a C string; the caller frees it. */
static char *c_string(const char *text, size_t length)
{
    char *copy = ghcomp_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Moves a C string into a Fortran variable of `length` characters, and frees it. */
static void give_back(char *text, char *buffer, size_t length)
{
    size_t used = strnlen(text, length);
    memcpy(buffer, text, used);
    memset(buffer + used, ' ', length - used);
    free(text);
}

void omp_set_affinity_format_(const char *format, size_t format_len)
{
    char *copy = c_string(format, format_len);
    omp_set_affinity_format(copy);
    free(copy);
}

int32_t omp_get_affinity_format_(char *buffer, size_t buffer_len)
{
    char *text = ghcomp_alloc_zeroed(buffer_len + 1);
    size_t length = omp_get_affinity_format(text, buffer_len + 1);
    give_back(text, buffer, buffer_len);
    return (int32_t)length;
}

void omp_display_affinity_(const char *format, size_t format_len)
{
    char *copy = c_string(format, format_len);
    omp_display_affinity(copy);
    free(copy);
}

int32_t omp_capture_affinity_(char *buffer, const char *format, size_t buffer_len, size_t format_len)
{
    char *copy = c_string(format, format_len), *text = ghcomp_alloc_zeroed(buffer_len + 1);
    size_t length = omp_capture_affinity(text, buffer_len + 1, copy);
    free(copy);
    give_back(text, buffer, buffer_len);
    return (int32_t)length;
}

GHCOMP_ABI_OBJECT(omp_fortran_affinity);
