/* Interoperability routines by their Fortran names at libomp's version, which take what the C routines take; gcc's
   of the same names take other arguments.
   ghcomp-only: LLVM 19's libomp lacks some of these names
   symbols: omp_get_num_interop_properties_ omp_get_interop_int_ omp_get_interop_ptr_ omp_get_interop_str_
   symbols: omp_get_interop_name_ omp_get_interop_type_desc_ omp_get_interop_rc_desc_ */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "kmp.h"

static void *routine(const char *name)
{
    void *address = dlvsym(RTLD_DEFAULT, name, "VERSION");
    CHECK(address != NULL);
    return address;
}

int main(void)
{
    CHECK(region_size() >= 1); /* the linker takes the runtime where it is needed */
    CHECK(((int (*)(void *))routine("omp_get_num_interop_properties_"))(NULL) == 0);
    CHECK(((intptr_t(*)(void *, int, int *))routine("omp_get_interop_int_"))(NULL, -5, NULL) == 0);
    CHECK(((void *(*)(void *, int, int *))routine("omp_get_interop_ptr_"))(NULL, -6, NULL) == NULL);
    CHECK(((const char *(*)(void *, int, int *))routine("omp_get_interop_str_"))(NULL, -4, NULL) == NULL);
    const char *name = ((const char *(*)(void *, int))routine("omp_get_interop_name_"))(NULL, -3);
    CHECK(strcmp(name, "vendor") == 0);
    CHECK(((const char *(*)(void *, int))routine("omp_get_interop_type_desc_"))(NULL, -3) == NULL);
    CHECK(((const char *(*)(void *, int))routine("omp_get_interop_rc_desc_"))(NULL, 0) != NULL);
    return 0;
}
