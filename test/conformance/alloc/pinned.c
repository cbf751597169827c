/* Pinned memory: it is locked as long as it exists, small blocks share pages, and where the limit forbids it the
   fallback decides.
   ghcomp-only: libgomp 12 has no pinned memory */
#define _GNU_SOURCE
#include <omp.h>
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "../../status.h"
#include "../common.h"

static const omp_allocator_handle_t pinned_mem_alloc = (omp_allocator_handle_t)200;

/* KiB of this process that are locked. */
static long locked(void)
{
    return status_number("VmLck");
}

static void limit(size_t bytes)
{
    struct rlimit is;
    CHECK(getrlimit(RLIMIT_MEMLOCK, &is) == 0);
    is.rlim_cur = bytes < is.rlim_max ? bytes : is.rlim_max;
    CHECK(setrlimit(RLIMIT_MEMLOCK, &is) == 0);
}

static omp_allocator_handle_t make(omp_uintptr_t fallback, omp_uintptr_t pool_size)
{
    const omp_alloctrait_t traits[] = {{omp_atk_pinned, omp_atv_true},
                                       {omp_atk_fallback, fallback},
                                       {omp_atk_pool_size, pool_size}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 3, traits);
    CHECK(allocator != omp_null_allocator);
    return allocator;
}

static int zero(const char *block, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (block[i] != 0)
            return 0;
    return 1;
}

static void locks(omp_allocator_handle_t allocator, size_t page)
{
    CHECK(locked() == 0);
    char *block = omp_alloc(page, allocator);
    long one = locked();
    CHECK(block != NULL && one >= (long)page / 1024);
    block[0] = 1;
    block[page - 1] = 2;
    block = omp_realloc(block, 3 * page, allocator, allocator);
    long three = locked();
    CHECK(block != NULL && block[0] == 1 && block[page - 1] == 2 && three > one);
    char *cleared = omp_calloc(3, page, allocator);
    CHECK(cleared != NULL && zero(cleared, 3 * page) && locked() > three);
    omp_free(cleared, allocator);
    CHECK(locked() == three);
    char *loose = omp_realloc(block, page, omp_default_mem_alloc, allocator);
    CHECK(loose != NULL && loose[0] == 1 && loose[page - 1] == 2 && locked() == 0);
    block = omp_realloc(loose, page, allocator, omp_default_mem_alloc);
    CHECK(block != NULL && block[0] == 1 && block[page - 1] == 2 && locked() == one);
    block = omp_realloc(block, 100, allocator, allocator);
    CHECK(block != NULL && block[0] == 1 && locked() > 0 && locked() <= one);
    char *aligned = omp_aligned_alloc(2 * page, 10, allocator);
    CHECK(aligned != NULL && (uintptr_t)aligned % (2 * page) == 0);
    omp_free(aligned, allocator);
    omp_free(block, allocator);
    CHECK(locked() == 0);
}

/* Blocks that fit in a page share one, which is freed with the last of them. */
static void small(omp_allocator_handle_t allocator, size_t page)
{
    char *blocks[200];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 200; i++) {
            blocks[i] = i % 2 ? omp_calloc(1, 10, allocator) : omp_alloc(10, allocator);
            CHECK(blocks[i] != NULL && (i % 2 == 0 || zero(blocks[i], 10)));
            memset(blocks[i], 255, 10);
            CHECK(i > 50 || locked() == (long)page / 1024);
        }
        CHECK(locked() <= 200 * 64 / 1024 + (long)page / 1024);
        for (int i = 0; i < 200; i++) {
            CHECK(locked() > 0);
            omp_free(blocks[i], allocator);
        }
        CHECK(locked() == 0);
    }
}

__attribute__((unused)) static void refused(size_t page)
{
    omp_allocator_handle_t null = make(omp_atv_null_fb, omp_atv_default);
    omp_allocator_handle_t plain = make(omp_atv_default_mem_fb, 64 * page);
    limit(2 * page);
    size_t size = 8 * page;
    CHECK(omp_alloc(size, null) == NULL && omp_calloc(1, size, null) == NULL);
    CHECK(omp_alloc(size, pinned_mem_alloc) == NULL && omp_calloc(1, size, pinned_mem_alloc) == NULL);
    char *a = omp_alloc(size, plain), *b = omp_calloc(1, size, plain);
    CHECK(a != NULL && b != NULL && zero(b, size));
    char *c = omp_alloc(size, omp_default_mem_alloc);
    memset(c, 3, size);
    CHECK(omp_realloc(c, size, null, omp_default_mem_alloc) == NULL && c[size - 1] == 3);
    CHECK(omp_realloc(c, size, pinned_mem_alloc, omp_default_mem_alloc) == NULL && c[size - 1] == 3);
    CHECK(omp_realloc(c, size, plain, omp_default_mem_alloc) == c); /* the fallback has nothing to do */
    CHECK(locked() == 0);
    char *d = omp_alloc(page / 2, null);
    CHECK(d != NULL && (d[0] = 4) && omp_realloc(d, size, null, null) == NULL && d[0] == 4);
    omp_free(a, plain);
    omp_free(b, plain);
    omp_free(c, plain);
    omp_free(d, null);
    limit(0);
    CHECK(omp_alloc(1, null) == NULL);
    char *e = omp_alloc(1, plain);
    CHECK(e != NULL);
    omp_free(e, plain);
    omp_destroy_allocator(null);
    omp_destroy_allocator(plain);
}

int main(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct rlimit is;
    CHECK(getrlimit(RLIMIT_MEMLOCK, &is) == 0);
    if (is.rlim_cur < 32 * page) {
        printf("the limit on locked memory (ulimit -l) is below %zu bytes\n", 32 * page);
        return 77;
    }
    omp_allocator_handle_t unlimited = make(omp_atv_null_fb, omp_atv_default), pool = make(omp_atv_null_fb, 64 * page);
    locks(unlimited, page);
    locks(pool, page);
    locks(pinned_mem_alloc, page);
    small(unlimited, page);
    small(pool, page);
    omp_destroy_allocator(unlimited);
    omp_destroy_allocator(pool);
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) { /* the limit does not apply to root */
        puts("root cannot become another user, and the limit on locked memory does not hold for it");
        return 77;
    }
#ifndef __clang__ /* whose code has other memory then: test/clang/alloc_pinned.c */
    refused(page);
#endif
    return 0;
}
