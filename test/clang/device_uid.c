/* Unique identifiers of devices, which LLVM's omp.h has had since 22: the host has one, and is found by it under its
   own number, whichever of its numbers was asked for.
   ghcomp-only: LLVM 19's libomp lacks these routines
   symbols: omp_get_uid_from_device omp_get_uid_from_device_ omp_get_device_from_uid omp_get_device_from_uid_ */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>

#include "kmp.h"

static void *routine(const char *name)
{
    void *address = dlvsym(RTLD_DEFAULT, name, "VERSION");
    CHECK(address != NULL);
    return address;
}

int main(void)
{
    static const char *const forms[][2] = {{"omp_get_uid_from_device", "omp_get_device_from_uid"},
                                           {"omp_get_uid_from_device_", "omp_get_device_from_uid_"}};
    for (int i = 0; i < 2; i++) {
        const char *(*uid_of)(int) = (const char *(*)(int))routine(forms[i][0]);
        int (*device_of)(const char *) = (int (*)(const char *))routine(forms[i][1]);
        const char *uid = uid_of(omp_get_initial_device());
        CHECK(uid != NULL && strcmp(uid, uid_of(-1)) == 0);
        int device = device_of(uid);
        CHECK(device == omp_get_initial_device());
        CHECK(uid_of(omp_get_initial_device() + 1) == NULL);
        device = device_of("no device has this name");
        CHECK(device != -1 && device != omp_get_initial_device());
    }
    return 0;
}
