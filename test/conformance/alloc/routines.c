/* omp_alloc, omp_aligned_alloc, omp_calloc, omp_aligned_calloc, omp_realloc and omp_free with predefined allocators and
   with those of omp_init_allocator and omp_destroy_allocator: alignment, contents, sizes of zero and sizes that do not
   fit, pools to the last byte, and fallbacks.
   env: OMP_NUM_THREADS=5 */
#include <omp.h>
#include <stdint.h>

#include "../common.h"

/* Bytes that a block of `size` takes from a pool: a header, and what alignment needs. */
static size_t taken(size_t size, size_t alignment)
{
    return size + 32 + (alignment > 8 ? alignment - 8 : 0);
}

static int all_are(const void *block, size_t size, int byte)
{
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)block)[i] != (unsigned char)byte)
            return 0;
    return 1;
}

/* The alignment that omp_realloc with omp_null_allocator keeps: clang's code takes the default allocator then. */
#ifdef __clang__
#define KEPT(alignment) 1
#else
#define KEPT(alignment) (alignment)
#endif

/* Every routine on one allocator; any of them may free what any gave. */
static void use(omp_allocator_handle_t allocator, size_t alignment)
{
    for (size_t size = 1; size < 20000; size = 3 * size + 1) {
        unsigned char *a = omp_alloc(size, allocator), *b = omp_aligned_alloc(512, size, allocator);
        unsigned char *c = omp_calloc(size, 3, allocator), *d = omp_aligned_calloc(64, 3, size, allocator);
        CHECK(a != NULL && (uintptr_t)a % alignment == 0);
        CHECK(b != NULL && (uintptr_t)b % alignment == 0 && (uintptr_t)b % 512 == 0);
        CHECK(c != NULL && (uintptr_t)c % alignment == 0 && all_are(c, 3 * size, 0));
        CHECK(d != NULL && (uintptr_t)d % alignment == 0 && (uintptr_t)d % 64 == 0 && all_are(d, 3 * size, 0));
        memset(a, 1, size);
        memset(b, 2, size);
        memset(c, 3, 3 * size);
        memset(d, 4, 3 * size);
        a = omp_realloc(a, 2 * size, allocator, allocator);
        b = omp_realloc(b, 2 * size, omp_null_allocator, allocator);
        c = omp_realloc(c, 2 * size, omp_default_mem_alloc, allocator);
        d = omp_realloc(d, 5 * size, allocator, omp_null_allocator);
        CHECK(a != NULL && (uintptr_t)a % alignment == 0 && all_are(a, size, 1));
        CHECK(b != NULL && (uintptr_t)b % KEPT(alignment) == 0 && all_are(b, size, 2));
        CHECK(c != NULL && all_are(c, 2 * size, 3));
        CHECK(d != NULL && (uintptr_t)d % alignment == 0 && all_are(d, 3 * size, 4));
        omp_free(a, allocator);
        omp_free(b, omp_null_allocator);
        omp_free(c, omp_default_mem_alloc);
        CHECK(omp_realloc(d, 0, allocator, allocator) == NULL);
    }
    CHECK(omp_alloc(0, allocator) == NULL && omp_aligned_alloc(64, 0, allocator) == NULL);
    CHECK(omp_calloc(0, 4, allocator) == NULL && omp_calloc(4, 0, allocator) == NULL);
    CHECK(omp_aligned_calloc(64, 0, 4, allocator) == NULL && omp_realloc(NULL, 0, allocator, allocator) == NULL);
    unsigned char *fresh = omp_realloc(NULL, 10, allocator, allocator);
    CHECK(fresh != NULL && (uintptr_t)fresh % alignment == 0);
    omp_free(fresh, allocator);
    omp_free(NULL, allocator);
}

static void predefined(void)
{
    use(omp_null_allocator, 8);
    for (uintptr_t allocator = omp_default_mem_alloc; allocator <= omp_thread_mem_alloc; allocator++)
        use((omp_allocator_handle_t)allocator, 8);
    volatile size_t most = SIZE_MAX; /* the compiler knows such calls for wrong */
    CHECK(omp_alloc(most, omp_default_mem_alloc) == NULL);
    CHECK(omp_alloc(most / 2, omp_thread_mem_alloc) == NULL);
    CHECK(omp_calloc(most, 2, omp_default_mem_alloc) == NULL);
    CHECK(omp_calloc(most / 2 + 2, 2, omp_default_mem_alloc) == NULL);
    CHECK(omp_aligned_alloc(64, most - 40, omp_default_mem_alloc) == NULL);
}

static void own(void)
{
    for (size_t alignment = 1; alignment <= 4096; alignment *= 4) {
        const omp_alloctrait_t traits[] = {{omp_atk_alignment, alignment},
                                           {omp_atk_access, omp_atv_all},
                                           {omp_atk_sync_hint, omp_atv_private}};
        omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 3, traits);
        CHECK(allocator != omp_null_allocator);
        use(allocator, alignment < 8 ? 8 : alignment);
#pragma omp parallel
        use(allocator, alignment < 8 ? 8 : alignment);
        omp_destroy_allocator(allocator);
    }
    omp_destroy_allocator(omp_null_allocator);
}

static void pools(void)
{
    const size_t room = taken(100, 1) + taken(1000, 128);
    const omp_alloctrait_t traits[] = {{omp_atk_pool_size, room}, {omp_atk_fallback, omp_atv_null_fb}};
    omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 2, traits);
    CHECK(pool != omp_null_allocator);
    CHECK(omp_alloc(room, pool) == NULL && omp_alloc(room - 31, pool) == NULL);
    char *whole = omp_alloc(room - 32, pool);
    CHECK(whole != NULL && omp_alloc(1, pool) == NULL);
    omp_free(whole, pool);
    for (int again = 0; again < 3; again++) {
        char *a = omp_alloc(100, pool);
        char *b = omp_aligned_alloc(128, 1000, pool);
        CHECK(a != NULL && b != NULL && omp_alloc(1, pool) == NULL);
        CHECK(omp_realloc(a, 101, pool, pool) == NULL);
        CHECK((a = omp_realloc(a, 50, pool, pool)) != NULL && omp_calloc(1, 19, pool) == NULL);
        char *c = omp_calloc(1, 18, pool); /* 50 and 18, and one more header */
        CHECK(c != NULL && omp_alloc(1, pool) == NULL);
        omp_free(c, pool);
        CHECK((a = omp_realloc(a, 100, pool, pool)) != NULL);
        omp_free(a, pool);
        omp_free(b, pool);
    }
    /* 200 bytes in the pool: it has no room for the other pool's block, until its own is freed. */
    omp_allocator_handle_t other = omp_init_allocator(omp_large_cap_mem_space, 2, traits);
    char *a = omp_alloc(room - 32 - 100, pool), *b = omp_alloc(100, other);
    CHECK(a != NULL && b != NULL && omp_realloc(b, 100, pool, other) == NULL);
    omp_free(a, pool);
    CHECK((b = omp_realloc(b, room - 32, pool, other)) != NULL);
    CHECK((a = omp_alloc(room - 32, other)) != NULL);
    omp_free(a, other);
    omp_free(b, other);
    omp_destroy_allocator(pool);
    omp_destroy_allocator(other);
}

static void fallbacks(void)
{
    const omp_alloctrait_t to_default[] = {{omp_atk_pool_size, 100}, {omp_atk_alignment, 64}};
    omp_allocator_handle_t first = omp_init_allocator(omp_default_mem_space, 2, to_default);
    use(first, 8);
    const omp_alloctrait_t to_first[] = {{omp_atk_fallback, omp_atv_allocator_fb},
                                         {omp_atk_fb_data, (omp_uintptr_t)first},
                                         {omp_atk_pool_size, 1000},
                                         {omp_atk_alignment, 256}};
    omp_allocator_handle_t second = omp_init_allocator(omp_const_mem_space, 4, to_first);
    use(second, 8);
    char *a = omp_alloc(600, second), *b = omp_alloc(5, second), *c = omp_alloc(900, second);
    CHECK(a != NULL && (uintptr_t)a % 256 == 0);
    CHECK(b != NULL && (uintptr_t)b % 64 == 0); /* the first one's room is enough for one such block */
    CHECK(c != NULL);
    omp_free(a, second);
    omp_free(b, second);
    omp_free(c, second);
    omp_destroy_allocator(second);
    omp_destroy_allocator(first);
}

int main(void)
{
    predefined();
    own();
    pools();
    fallbacks();
    return 0;
}
