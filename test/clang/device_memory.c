/* Memory spaces and allocators of devices, and group-private memory, which LLVM's omp.h has had since 20 and 23:
   without a device there are none. A predefined space has one resource, and is its own subspace. As on libomp 23.
   ghcomp-only: LLVM 19's libomp lacks these routines
   symbols: omp_get_devices_memspace omp_get_devices_memspace_ omp_get_devices_and_host_memspace
   symbols: omp_get_devices_and_host_memspace_ omp_get_device_memspace omp_get_device_memspace_
   symbols: omp_get_device_and_host_memspace omp_get_device_and_host_memspace_ omp_get_devices_all_memspace
   symbols: omp_get_devices_all_memspace_ omp_get_devices_allocator omp_get_devices_allocator_
   symbols: omp_get_devices_and_host_allocator omp_get_devices_and_host_allocator_ omp_get_device_allocator
   symbols: omp_get_device_allocator_ omp_get_device_and_host_allocator omp_get_device_and_host_allocator_
   symbols: omp_get_devices_all_allocator omp_get_devices_all_allocator_ omp_get_memspace_num_resources
   symbols: omp_get_memspace_num_resources_ omp_get_submemspace omp_get_submemspace_ omp_get_dyn_gprivate_ptr
   symbols: omp_get_dyn_gprivate_nofb_ptr omp_get_dyn_gprivate_size omp_get_dyn_gprivate_memspace */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>

#include "kmp.h"

static void *routine(const char *name, const char *form)
{
    char whole[100];
    snprintf(whole, sizeof whole, name, form);
    void *address = dlvsym(RTLD_DEFAULT, whole, "VERSION");
    CHECK(address != NULL);
    return address;
}

typedef uintptr_t of_several(int, const int *, uintptr_t);
typedef uintptr_t of_one(int, uintptr_t);
typedef uintptr_t of_all(uintptr_t);
typedef intptr_t of_several_by_reference(const int *, const int *, const intptr_t *);
typedef intptr_t of_one_by_reference(const int *, const intptr_t *);
typedef intptr_t of_all_by_reference(const intptr_t *);

static void nothing_of_devices(const char *what, uintptr_t space)
{
    static const char *const several[] = {"omp_get_devices_%s", "omp_get_devices_and_host_%s"};
    static const char *const one[] = {"omp_get_device_%s", "omp_get_device_and_host_%s"};
    const int devices[] = {-1, omp_get_initial_device()};
    char by_reference[30];
    snprintf(by_reference, sizeof by_reference, "%s_", what);
    intptr_t word = (intptr_t)space;
    for (int i = 0; i < 2; i++) {
        of_several *routine_of_several = (of_several *)routine(several[i], what);
        of_one *routine_of_one = (of_one *)routine(one[i], what);
        for (int count = 0; count <= 2; count++) {
            CHECK(routine_of_several(count, devices, space) == 0);
            CHECK(((of_several_by_reference *)routine(several[i], by_reference))(&count, devices, &word) == 0);
        }
        CHECK(routine_of_several(0, NULL, space) == 0);
        for (int device = -2; device < 3; device++) {
            CHECK(routine_of_one(device, space) == 0);
            CHECK(((of_one_by_reference *)routine(one[i], by_reference))(&device, &word) == 0);
        }
    }
    CHECK(((of_all *)routine("omp_get_devices_all_%s", what))(space) == 0);
    CHECK(((of_all_by_reference *)routine("omp_get_devices_all_%s", by_reference))(&word) == 0);
}

static void parts(uintptr_t space, uintptr_t expected)
{
    int (*resources)(uintptr_t) = (int (*)(uintptr_t))routine("omp_get_memspace_num_resources%s", "");
    uintptr_t (*part)(uintptr_t, int, int *) =
        (uintptr_t(*)(uintptr_t, int, int *))routine("omp_get_submemspace%s", "");
    int (*resources_)(const intptr_t *) = (int (*)(const intptr_t *))routine("omp_get_memspace_num_resources%s", "_");
    intptr_t (*part_)(const intptr_t *, const int *, int *) =
        (intptr_t(*)(const intptr_t *, const int *, int *))routine("omp_get_submemspace%s", "_");
    int numbers[] = {0, 1}, one = 1;
    intptr_t word = (intptr_t)space;
    CHECK(resources(space) == (expected != 0) && resources_(&word) == (expected != 0));
    CHECK(part(space, 1, numbers) == expected && part(space, 2, numbers) == expected);
    CHECK(part(space, 0, NULL) == expected && part_(&word, &one, numbers) == (intptr_t)expected);
}

int main(void)
{
    static const uintptr_t spaces[] = {0, 1, 2, 3, 4, 5, 99, 100, 102};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        nothing_of_devices("memspace", spaces[i]);
        nothing_of_devices("allocator", spaces[i]);
        parts(spaces[i], spaces[i]);
    }
    for (int group = 0; group < 2; group++) {
        CHECK(((void *(*)(size_t, int))routine("omp_get_dyn_gprivate_%s", "ptr"))(0, group) == NULL);
        CHECK(((void *(*)(size_t, int))routine("omp_get_dyn_gprivate_%s", "nofb_ptr"))(8, group) == NULL);
        CHECK(((size_t(*)(int))routine("omp_get_dyn_gprivate_%s", "size"))(group) == 0);
        CHECK(((uintptr_t(*)(int))routine("omp_get_dyn_gprivate_%s", "memspace"))(group) == 0);
    }
    return 0;
}
