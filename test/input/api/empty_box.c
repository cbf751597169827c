/* omp_target_memcpy_rect of a box with nothing in it, but with many rows: it ends at once. No dimensions:
 * an error.
 * ghcomp-only: libgomp 12 walks over the rows, and takes no dimensions for one
 * limit: 60 */
#include <errno.h>
#include <omp.h>
#include <stdint.h>

#include "../../conformance/common.h"

int main(void)
{
    char from[8] = {1}, to[8] = {2};
    int host = omp_get_initial_device();
    size_t many[] = {SIZE_MAX, SIZE_MAX, 1}, thin[] = {SIZE_MAX / 2, SIZE_MAX / 2, 0};
    size_t zero[] = {0, 0, 0}, one[] = {1, 1, 1},
           huge[] = {1, SIZE_MAX, SIZE_MAX};
    CHECK(omp_target_memcpy_rect(to, from, 0, 3, many, zero, zero, one, one, host, host) == 0);
    CHECK(omp_target_memcpy_rect(to, from, 1, 3, thin, zero, zero, one, one, host, host) == 0);
    CHECK(omp_target_memcpy_rect(to, from, 1, 3, thin, zero, zero, huge, one, host, host) == EINVAL);
    CHECK(omp_target_memcpy_rect(to, from, 1, 0, one, zero, zero, one, one, host, host) == EINVAL);
    CHECK(omp_target_memcpy_rect(to, from, 1, -1, one, zero, zero, one, one, host, host) == EINVAL);
    CHECK(to[0] == 2);
    return 0;
}
