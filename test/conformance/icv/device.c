/* The host is the only device.
   symbols: omp_get_num_devices omp_get_initial_device omp_get_device_num omp_is_initial_device
   symbols: omp_get_default_device omp_set_default_device */
#include <omp.h>

#include "../common.h"

int main(void)
{
    CHECK(omp_get_num_devices() == 0 && omp_get_initial_device() == 0 && omp_get_device_num() == 0);
    CHECK(omp_is_initial_device());
    CHECK(omp_get_default_device() == 0);
    omp_set_default_device(5);
    CHECK(omp_get_default_device() == 5);
#pragma omp parallel num_threads(2)
    {
        CHECK(omp_get_default_device() == 5);
        omp_set_default_device(omp_get_thread_num());
        CHECK(omp_get_default_device() == omp_get_thread_num() && omp_is_initial_device());
    }
    CHECK(omp_get_default_device() == 5);
    omp_set_default_device(-1);
    /* omp_initial_device of OpenMP 5.2; libgomp 12 makes it 0, which is the same device. */
    CHECK(omp_get_default_device() == -1 || omp_get_default_device() == 0);
    /* omp_default_device of OpenMP 6.1, the default device itself; libgomp 12 takes it for a number. */
    omp_set_default_device(3);
    omp_set_default_device(-5);
    CHECK(omp_get_default_device() == 3 || omp_get_default_device() == 0);
    return 0;
}
