/* Where omp_target_memcpy_rect returns an error, the asynchronous copy can only end the program.
   ghcomp-only: libgomp 12 lacks the routine
   symbols: omp_target_memcpy_rect_async
   expect-exit: 1
   expect-stderr: \Aghc-openmp: omp_target_memcpy_rect_async: the sizes or offsets .*\n\Z */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

#pragma weak omp_target_memcpy_rect_async
int omp_target_memcpy_rect_async(void *, const void *, size_t, int, const size_t *, const size_t *, const size_t *,
                                 const size_t *, const size_t *, int, int, int, omp_depend_t *);

int main(void)
{
    char to[16] = "", from[16] = "";
    const size_t one[] = {1, 1}, huge[] = {2, SIZE_MAX / 2};
    CHECK(omp_get_num_devices() == 0);
    CHECK(omp_target_memcpy_rect_async(to, from, 4, 2, one, one, one, huge, one, 0, 0, 0, NULL) == 0);
#pragma omp taskwait
    puts("here");
    return 0;
}
