/* Allocators and memory spaces as objects, as code by clang 10 and older has them: read at run time, by copies in the
   program (cflags: -fno-PIE makes them) and by their address.
   cflags: -fno-PIE
   ldflags: -no-pie */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1); \
        } \
    } while (0)

typedef uintptr_t omp_allocator_handle_t, omp_memspace_handle_t;
extern const omp_allocator_handle_t omp_null_allocator, omp_default_mem_alloc, omp_large_cap_mem_alloc,
    omp_const_mem_alloc, omp_high_bw_mem_alloc, omp_low_lat_mem_alloc, omp_cgroup_mem_alloc, omp_pteam_mem_alloc,
    omp_thread_mem_alloc, kmp_max_mem_alloc;
extern const omp_memspace_handle_t omp_default_mem_space, omp_large_cap_mem_space, omp_const_mem_space,
    omp_high_bw_mem_space, omp_low_lat_mem_space;
void *omp_alloc(size_t size, omp_allocator_handle_t allocator);
void omp_free(void *block, omp_allocator_handle_t allocator);

static int is(const char *name, const uintptr_t *here, uintptr_t value)
{
    const uintptr_t *found = dlsym(RTLD_DEFAULT, name);
    if (found != NULL && *found == value && *here == value)
        return 1;
    printf("%s is wrong\n", name);
    return 0;
}
#define IS(name, value) CHECK(is(#name, &name, value))

int main(void)
{
    /* LLVM 20 and newer have these, too: omp_null_mem_space omp_cgroup_mem_space kmp_max_mem_space. */
    const uintptr_t *further[] = {dlsym(RTLD_DEFAULT, "omp_null_mem_space"),
                                  dlsym(RTLD_DEFAULT, "omp_cgroup_mem_space"),
                                  dlsym(RTLD_DEFAULT, "kmp_max_mem_space")};
    CHECK(further[0] == NULL || (*further[0] == 0 && *further[1] == 5 && *further[2] == 1024));
    IS(omp_null_allocator, 0);
    IS(omp_default_mem_alloc, 1);
    IS(omp_large_cap_mem_alloc, 2);
    IS(omp_const_mem_alloc, 3);
    IS(omp_high_bw_mem_alloc, 4);
    IS(omp_low_lat_mem_alloc, 5);
    IS(omp_cgroup_mem_alloc, 6);
    IS(omp_pteam_mem_alloc, 7);
    IS(omp_thread_mem_alloc, 8);
    IS(kmp_max_mem_alloc, 1024);
    IS(omp_default_mem_space, 0);
    IS(omp_large_cap_mem_space, 1);
    IS(omp_const_mem_space, 2);
    IS(omp_high_bw_mem_space, 3);
    IS(omp_low_lat_mem_space, 4);
    const omp_allocator_handle_t all[] = {omp_null_allocator,   omp_default_mem_alloc, omp_large_cap_mem_alloc,
                                          omp_const_mem_alloc,  omp_high_bw_mem_alloc, omp_low_lat_mem_alloc,
                                          omp_cgroup_mem_alloc, omp_pteam_mem_alloc,   omp_thread_mem_alloc};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char *block = omp_alloc(100, all[i]);
        CHECK(block != NULL);
        block[99] = 1;
        omp_free(block, all[i]);
    }
    return 0;
}
