/* Device memory routines with devices that do not exist, NULL, and sizes that no memory has.
 * limit: 60 */
#include <errno.h>
#include <limits.h>
#include <omp.h>
#include <stdint.h>

#include "../../conformance/common.h"

static const int devices[] = {1, 7, INT_MAX, -3, INT_MIN};
enum { DEVICES = sizeof devices / sizeof *devices };

int main(void)
{
    char from[64], to[64] = "to";
    memset(from, 5, sizeof from);
    int host = omp_get_initial_device();
    for (int i = 0; i < DEVICES; i++) {
        int device = devices[i];
        CHECK(omp_target_alloc(8, device) == NULL);
        omp_target_free(NULL, device);
        CHECK(!omp_target_is_present(from, device));
        CHECK(omp_target_memcpy(to, from, 8, 0, 0, device, host) == EINVAL);
        CHECK(omp_target_memcpy(to, from, 8, 0, 0, host, device) == EINVAL);
        CHECK(omp_target_associate_ptr(from, to, 8, 0, device) == EINVAL);
        CHECK(omp_target_disassociate_ptr(from, device) == EINVAL);
        size_t one[] = {1}, zero[] = {0};
        CHECK(omp_target_memcpy_rect(to, from, 1, 1, one, zero, zero, one, one, device, host) == EINVAL);
    }
    CHECK(strcmp(to, "to") == 0);
    CHECK(omp_target_alloc(SIZE_MAX, host) == NULL);
    omp_target_free(NULL, host);
    CHECK(omp_target_memcpy(NULL, NULL, 0, 0, 0, host, host) == 0);
    CHECK(omp_target_memcpy(to, from, 0, 0, 0, host, host) == 0 && strcmp(to, "to") == 0);
    CHECK(omp_target_associate_ptr(NULL, NULL, 0, 0, host) == EINVAL);
    CHECK(omp_target_disassociate_ptr(NULL, host) == EINVAL);

    /* The number of dimensions: none, too few, and sizes and offsets that do not fit in memory. */
    CHECK(omp_target_memcpy_rect(NULL, NULL, 1, 0, NULL, NULL, NULL, NULL, NULL, host, host) >= 3);
    size_t two[] = {2, 2}, zero[] = {0, 0}, eight[] = {8, 8}, huge[] = {SIZE_MAX, SIZE_MAX};
    CHECK(omp_target_memcpy_rect(to, from, 2, 1, huge, zero, zero, eight, eight, host, host) == EINVAL);
    CHECK(omp_target_memcpy_rect(to, from, 2, 1, two, huge, zero, eight, eight, host, host) == EINVAL);
    CHECK(omp_target_memcpy_rect(to, from, 2, 2, two, zero, huge, eight, eight, host, host) == EINVAL);
    CHECK(strcmp(to, "to") == 0);
    CHECK(omp_target_memcpy_rect(to, from, 1, 2, two, zero, zero, eight, eight, host, host) == 0);
    CHECK(to[0] == 5 && to[1] == 5 && to[2] == 0 && to[8] == 5 && to[10] == 0);
    CHECK(omp_get_device_num() == host && omp_get_num_devices() >= 0);
    return 0;
}
