/* Fortran forms of the affinity routines. A character argument has a hidden length and no zero byte at its end; a
 * character result is padded with blanks. Trailing blanks of a format count, as in libgomp. Arrays of eight-byte
 * integers are filled by way of four-byte ones.
 *
 * Called by programs that gfortran compiles. Covered by test/conformance/fortran/affinity.f90 and affinity_8.f90.
 */
#include <limits.h>
#include <stdlib.h>

#include "abi/abi.h"
#include "abi/fortran_string.h"
#include "base/check.h"

static int clip(int64_t value)
{
    return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

/* --- places ------------------------------------------------------------------------------------------------------- */

int32_t ghcomp_omp_get_proc_bind__40(void)
{
    return (int32_t)ghcomp_omp_get_proc_bind_40();
}

int32_t ghcomp_omp_get_num_places__45(void)
{
    return ghcomp_omp_get_num_places_45();
}

int32_t ghcomp_omp_get_place_num__45(void)
{
    return ghcomp_omp_get_place_num_45();
}

int32_t ghcomp_omp_get_place_num_procs__45(const int32_t *place_num)
{
    return ghcomp_omp_get_place_num_procs_45(*place_num);
}

int32_t omp_get_place_num_procs_8_(const int64_t *place_num)
{
    return ghcomp_omp_get_place_num_procs_45(clip(*place_num));
}

int32_t ghcomp_omp_get_partition_num_places__45(void)
{
    return ghcomp_omp_get_partition_num_places_45();
}

/* Copies `count` numbers to eight-byte integers, and frees the originals. */
static void widen(int *numbers, int count, int64_t *wide)
{
    for (int i = 0; i < count; i++)
        wide[i] = numbers[i];
    free(numbers);
}

void ghcomp_omp_get_place_proc_ids__45(const int32_t *place_num, int32_t *ids)
{
    ghcomp_omp_get_place_proc_ids_45(*place_num, ids);
}

void omp_get_place_proc_ids_8_(const int64_t *place_num, int64_t *ids)
{
    int place = clip(*place_num), count = ghcomp_omp_get_place_num_procs_45(place);
    int *numbers = ghcomp_alloc((size_t)count * sizeof *numbers);
    ghcomp_omp_get_place_proc_ids_45(place, numbers);
    widen(numbers, count, ids);
}

void ghcomp_omp_get_partition_place_nums__45(int32_t *place_nums)
{
    ghcomp_omp_get_partition_place_nums_45(place_nums);
}

void omp_get_partition_place_nums_8_(int64_t *place_nums)
{
    int count = ghcomp_omp_get_partition_num_places_45();
    int *numbers = ghcomp_alloc((size_t)count * sizeof *numbers);
    ghcomp_omp_get_partition_place_nums_45(numbers);
    widen(numbers, count, place_nums);
}

/* --- the affinity format ------------------------------------------------------------------------------------------ */

void omp_set_affinity_format_(const char *format, size_t format_len)
{
    ghcomp_fortran_take(omp_set_affinity_format, format, format_len);
}

int32_t ghcomp_omp_get_affinity_format__50(char *buffer, size_t buffer_len)
{
    return ghcomp_fortran_get(omp_get_affinity_format, buffer, buffer_len);
}

void ghcomp_omp_display_affinity__50(const char *format, size_t format_len)
{
    ghcomp_fortran_take(omp_display_affinity, format, format_len);
}

int32_t ghcomp_omp_capture_affinity__50(char *buffer, const char *format, size_t buffer_len, size_t format_len)
{
    return ghcomp_fortran_capture(omp_capture_affinity, buffer, buffer_len, format, format_len);
}

GHCOMP_ABI_OBJECT(omp_fortran_affinity);
