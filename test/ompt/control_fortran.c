/* omp_control_tool as Fortran calls it: gfortran 17 passes two arguments by reference, the second of four or eight
 * bytes; flang and others pass a third one by the name that libomp has. Each version of the name gets what it passes.
 * symbols: omp_control_tool_ omp_control_tool_8_ */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "record.h"

static void at_finalize(void)
{
}

static void *found(const char *name, const char *version)
{
    void *address = dlvsym(RTLD_DEFAULT, name, version);
    CHECK(address != NULL);
    return address;
}

int main(void)
{
    CHECK(omp_get_num_threads() == 1); /* the linker takes the runtime where it is needed */
    int (*of_gcc)(const int *, const int *) = (int (*)(const int *, const int *))found("omp_control_tool_", "OMP_6.0");
    int (*of_gcc_8)(const int *, const int64_t *) =
        (int (*)(const int *, const int64_t *))found("omp_control_tool_8_", "OMP_6.0");
    int (*of_libomp)(const int *, const int *, void *) =
        (int (*)(const int *, const int *, void *))found("omp_control_tool_", "VERSION");
    int (*in_c)(int, int, void *) = (int (*)(int, int, void *))found("omp_control_tool", "OMP_6.0");
    int command = 2, modifier = 5;
    int64_t wide = 5;
    /* record.h answers with the sum. */
    CHECK(of_gcc(&command, &modifier) == 7);
    CHECK(of_gcc_8(&command, &wide) == 7);
    CHECK(of_libomp(&command, &modifier, NULL) == 7);
    CHECK(in_c(3, 5, NULL) == 8);
    CHECK(COUNT(CONTROL) == 4);
    return 0;
}
