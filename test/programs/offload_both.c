/* The program of offload_gcc.c, by clang: its own target regions run on the devices. Memory that the one compiler's
 * code has allocated on a device is used by the other's. */
#include <omp.h>
#include <stdio.h>

int gcc_part(int devices);

int main(void)
{
    int devices = omp_get_num_devices(), on_host = -1;
#pragma omp target map(from : on_host) device(devices - 1)
    on_host = omp_is_initial_device();
    int wrong = gcc_part(devices);
    printf("devices %s, %s, wrong %d\n", devices > 0 ? "some" : "none", on_host ? "on the host" : "on a device", wrong);
    return wrong != 0 || on_host != 0;
}
