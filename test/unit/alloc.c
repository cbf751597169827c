/* core/memory/alloc.c: pools used by many threads at once, with a count that must be exact at every moment; fallback
 * chains and their cycles; all alignments; sizes that overflow; blocks that outlive their allocator.
 * core/memory/alloc_pin.c: pages of small blocks. core/memory/alloc_set.c: tables that grow and shrink under several
 * threads.
 *
 * env: OMP_ALLOCATOR=omp_default_mem_space:alignment=256,pool_size=8192,fallback=allocator_fb
 * env: ASAN_OPTIONS=allocator_may_return_null=1 TSAN_OPTIONS=allocator_may_return_null=1
 */
#include "core/memory/alloc.h"

#include <string.h>

#include "core/memory/alloc_pin.h"
#include "core/memory/alloc_set.h"
#include "core/state/types.h"
#include "host/os.h"
#include "unit.h"

enum { THREADS = 6, TURNS = 3000, HEADER = 32 };
enum { NONE = GHCOMP_ALLOCATOR_NULL, PLAIN = GHCOMP_ALLOCATOR_DEFAULT };

#define TRAITS(...) (int)(sizeof((struct ghcomp_trait[]){__VA_ARGS__}) / sizeof(struct ghcomp_trait)), \
                    (struct ghcomp_trait[]){__VA_ARGS__}

static uintptr_t create(int count, const struct ghcomp_trait *traits)
{
    uintptr_t allocator = ghcomp_allocator_create(GHCOMP_SPACE_DEFAULT, count, traits);
    CHECK(allocator != NONE);
    return allocator;
}

static void *get(size_t size, uintptr_t allocator)
{
    return ghcomp_allocator_alloc(1, size, allocator, false);
}

static bool all_are(const void *block, size_t size, int byte)
{
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)block)[i] != (unsigned char)byte)
            return false;
    return true;
}

static void run(void *(*body)(void *), void *argument)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_create(&threads[i], NULL, body, argument));
    for (int i = 0; i < THREADS; i++)
        CHECK_EQUAL(0, pthread_join(threads[i], NULL));
}

/* --- pools -------------------------------------------------------------------------------------------------------- */

/* A pool with room for three blocks, and six threads that want them: never more than three are allocated. */
enum { BLOCK = 100, ROOM = 3 };
static uintptr_t pool;
static _Atomic int out;
static _Atomic uint32_t served, refused;

static void *compete(void *argument)
{
    uint32_t seed = 1;
    for (int turn = 0; turn < TURNS; turn++) {
        char *block = turn % 2 == 0 ? get(BLOCK, pool) : ghcomp_allocator_alloc_array(1, BLOCK / 4, 4, pool);
        if (block == NULL) {
            ghcomp_add_relaxed(&refused, 1u);
            ghcomp_os_yield();
            continue;
        }
        CHECK(ghcomp_add_acqrel(&out, 1) < ROOM);
        CHECK(ghcomp_allocator_used(pool) <= ROOM * (BLOCK + HEADER));
        memset(block, turn, BLOCK);
        seed = seed * 1103515245u + 12345u;
        if (seed >> 30 == 0)
            ghcomp_os_yield();
        CHECK(all_are(block, BLOCK, turn));
        char *resized = ghcomp_allocator_realloc(block, BLOCK / 2, NONE);
        CHECK(resized != NULL && all_are(resized, BLOCK / 2, turn));
        ghcomp_sub_acqrel(&out, 1);
        ghcomp_allocator_free(resized);
        ghcomp_add_relaxed(&served, 1u);
    }
    return argument;
}

static void pools(void)
{
    pool = create(TRAITS({GHCOMP_ATK_POOL_SIZE, ROOM * (BLOCK + HEADER)}, {GHCOMP_ATK_FALLBACK, GHCOMP_ATV_NULL_FB}));
    void *held[ROOM];
    for (int i = 0; i < ROOM; i++)
        CHECK((held[i] = get(BLOCK, pool)) != NULL);
    CHECK(get(1, pool) == NULL); /* full to the byte */
    CHECK_EQUAL(ROOM * (BLOCK + HEADER), ghcomp_allocator_used(pool));
    for (int i = 0; i < ROOM; i++)
        ghcomp_allocator_free(held[i]);
    CHECK_EQUAL(0, ghcomp_allocator_used(pool));
    run(compete, NULL);
    CHECK_EQUAL(THREADS * TURNS, ghcomp_load_relaxed(&served) + ghcomp_load_relaxed(&refused));
    CHECK(ghcomp_load_relaxed(&served) > 0);
    CHECK_EQUAL(0, ghcomp_allocator_used(pool));

    /* Realloc's charges to the pool. */
    char *block = get(BLOCK, pool);
    CHECK(ghcomp_allocator_realloc(block, ROOM * (BLOCK + HEADER), NONE) == NULL);
    CHECK_EQUAL(BLOCK + HEADER, ghcomp_allocator_used(pool));
    CHECK((block = ghcomp_allocator_realloc(block, ROOM * (BLOCK + HEADER) - HEADER, NONE)) != NULL);
    CHECK_EQUAL(ROOM * (BLOCK + HEADER), ghcomp_allocator_used(pool));
    CHECK((block = ghcomp_allocator_realloc(block, 8, NONE)) != NULL);
    CHECK_EQUAL(8 + HEADER, ghcomp_allocator_used(pool));
    CHECK((block = ghcomp_allocator_realloc(block, 8, PLAIN)) != NULL);
    CHECK_EQUAL(0, ghcomp_allocator_used(pool));
    CHECK((block = ghcomp_allocator_realloc(block, 16, pool)) != NULL);
    CHECK_EQUAL(16 + HEADER, ghcomp_allocator_used(pool));
    CHECK(ghcomp_allocator_realloc(block, 0, NONE) == NULL);
    CHECK_EQUAL(0, ghcomp_allocator_used(pool));
    ghcomp_allocator_destroy(pool);
}

/* Blocks of a destroyed allocator: freeing the last one frees the allocator too (the address sanitizer checks). */
static void *orphans[THREADS];
static _Atomic uint32_t next_orphan;

static void *adopt(void *argument)
{
    ghcomp_allocator_free(orphans[ghcomp_add_relaxed(&next_orphan, 1u)]);
    return argument;
}

static void outlived(void)
{
    for (int round = 0; round < 50; round++) {
        uintptr_t doomed = create(TRAITS({GHCOMP_ATK_POOL_SIZE, 100000}));
        for (int i = 0; i < THREADS; i++)
            orphans[i] = get((size_t)i + 1, doomed);
        ghcomp_allocator_destroy(doomed);
        ghcomp_store_relaxed(&next_orphan, 0u);
        run(adopt, NULL);
    }
}

/* --- fallbacks ---------------------------------------------------------------------------------------------------- */

static struct ghcomp_trait small_pool(size_t size)
{
    return (struct ghcomp_trait){GHCOMP_ATK_POOL_SIZE, size};
}

static void fallbacks(void)
{
    struct ghcomp_trait to_other = {GHCOMP_ATK_FALLBACK, GHCOMP_ATV_ALLOCATOR_FB};
    struct ghcomp_trait to_none = {GHCOMP_ATK_FALLBACK, GHCOMP_ATV_NULL_FB};
    uintptr_t last = create(TRAITS(small_pool(4096), to_none, {GHCOMP_ATK_ALIGNMENT, 512}));
    uintptr_t first = last;
    uintptr_t chain[100];
    for (int i = 0; i < 100; i++)
        first = chain[i] = create(TRAITS(small_pool(64), to_other, {GHCOMP_ATK_FB_DATA, first}));
    void *block = get(1000, first);
    CHECK(block != NULL && (uintptr_t)block % 512 == 0);
    CHECK_EQUAL(1000 + HEADER + 512 - 8, ghcomp_allocator_used(last));
    CHECK(get(4096, first) == NULL);
    void *grown = ghcomp_allocator_realloc(get(8, first), 1000, NONE);
    CHECK(grown != NULL && (uintptr_t)grown % 512 == 0);
    ghcomp_allocator_free(grown);
    ghcomp_allocator_free(block);
    CHECK_EQUAL(0, ghcomp_allocator_used(last));
    for (int i = 0; i < 100; i++)
        ghcomp_allocator_destroy(chain[i]);
    ghcomp_allocator_destroy(last);

    /* Endless fallback chains: to itself (the task's allocator, here OMP_ALLOCATOR's), and in a cycle. */
    CHECK_EQUAL(ghcomp_global.initial.default_allocator, ghcomp_self()->task->icv->default_allocator);
    block = get(64, NONE);
    CHECK(block != NULL && (uintptr_t)block % 256 == 0);
    CHECK_EQUAL(64 + HEADER + 256 - 8, ghcomp_allocator_used(ghcomp_global.initial.default_allocator));
    CHECK(get(8192, NONE) == NULL);
    CHECK(ghcomp_allocator_realloc(block, 8192, NONE) == NULL);
    ghcomp_allocator_free(block);
    /* A chain from one allocator into a cycle of five. A handle cannot name an allocator that is not made yet, so the
       cycle is closed through the task's allocator. */
    struct ghcomp_icvs *icv = ghcomp_icv_own(ghcomp_self()->task);
    uintptr_t ring[6], before = icv->default_allocator;
    ring[0] = create(TRAITS(small_pool(40), to_other)); /* falls back to the task's allocator */
    for (int i = 1; i < 6; i++)
        ring[i] = create(TRAITS(small_pool(40), to_other, {GHCOMP_ATK_FB_DATA, ring[i - 1]}));
    icv->default_allocator = ring[4];
    CHECK(get(64, ring[5]) == NULL);
    CHECK(get(64, ring[2]) == NULL);
    CHECK(get(64, NONE) == NULL);
    icv->default_allocator = PLAIN;
    CHECK((block = get(64, ring[5])) != NULL);
    ghcomp_allocator_free(block);
    icv->default_allocator = before;
    for (int i = 0; i < 6; i++)
        ghcomp_allocator_destroy(ring[i]);
}

/* --- alignment and size ------------------------------------------------------------------------------------------- */

static void alignments(void)
{
    for (size_t alignment = 0; alignment <= (size_t)1 << 21; alignment = alignment == 0 ? 1 : 2 * alignment) {
        size_t multiple = alignment < 8 ? 8 : alignment;
        for (size_t size = 1; size <= 4097; size = 4 * size + (size == 1024)) {
            char *block = ghcomp_allocator_alloc(alignment, size, PLAIN, true);
            CHECK(block != NULL && (uintptr_t)block % multiple == 0 && all_are(block, size, 0));
            memset(block, 7, size);
            block = ghcomp_allocator_realloc(block, 3 * size, NONE);
            CHECK(block != NULL && (uintptr_t)block % 8 == 0 && all_are(block, size, 7));
            memset(block, 8, 3 * size);
            ghcomp_allocator_free(block);
            if (alignment == 0)
                continue;
            uintptr_t allocator = create(TRAITS({GHCOMP_ATK_ALIGNMENT, alignment}));
            block = ghcomp_allocator_realloc(NULL, size, allocator);
            CHECK(block != NULL && (uintptr_t)block % multiple == 0);
            memset(block, 9, size);
            block = ghcomp_allocator_realloc(block, 2 * size, NONE);
            CHECK(block != NULL && (uintptr_t)block % multiple == 0 && all_are(block, size, 9));
            ghcomp_allocator_free(block);
            ghcomp_allocator_destroy(allocator);
        }
    }
    char *odd = ghcomp_allocator_alloc(24, 10, PLAIN, false); /* not a power of two: rounded up to the next one */
    CHECK((uintptr_t)odd % 32 == 0);
    ghcomp_allocator_free(odd);
}

static void sizes(void)
{
    uintptr_t bounded = create(TRAITS({GHCOMP_ATK_POOL_SIZE, 1 << 20}, {GHCOMP_ATK_FALLBACK, GHCOMP_ATV_NULL_FB}));
    uintptr_t high = create(TRAITS({GHCOMP_ATK_ALIGNMENT, (size_t)1 << 63}, {GHCOMP_ATK_FALLBACK, GHCOMP_ATV_NULL_FB}));
    static const size_t huge[] = {SIZE_MAX, SIZE_MAX - 7, SIZE_MAX - HEADER, SIZE_MAX - HEADER + 1, SIZE_MAX / 2 + 1,
                                  (size_t)1 << 62};
    uintptr_t allocators[] = {PLAIN, bounded, GHCOMP_ALLOCATOR_PINNED, high};
    for (size_t a = 0; a < sizeof allocators / sizeof *allocators; a++)
        for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
            CHECK(get(huge[i], allocators[a]) == NULL);
            CHECK(ghcomp_allocator_alloc(4096, huge[i], allocators[a], true) == NULL);
            CHECK(ghcomp_allocator_alloc((size_t)1 << 63, huge[i], allocators[a], true) == NULL);
            CHECK(ghcomp_allocator_alloc(SIZE_MAX, 1, allocators[a], true) == NULL);
            char *block = get(16, PLAIN);
            memset(block, 3, 16);
            CHECK(ghcomp_allocator_realloc(block, huge[i], allocators[a]) == NULL);
            CHECK(all_are(block, 16, 3));
            ghcomp_allocator_free(block);
            CHECK(get(0, allocators[a]) == NULL);
        }
    CHECK(ghcomp_allocator_alloc_array(1, SIZE_MAX / 8 + 2, 8, PLAIN) == NULL); /* 8 modulo 2^64 */
    CHECK(ghcomp_allocator_alloc_array(1, (size_t)1 << 32, (size_t)1 << 32, PLAIN) == NULL); /* 0 */
    CHECK(ghcomp_allocator_alloc_array(1, 0, 8, PLAIN) == NULL);
    CHECK(ghcomp_allocator_alloc_array(1, 8, 0, PLAIN) == NULL);
    CHECK_EQUAL(0, ghcomp_allocator_used(bounded));
    /* A pool that promises more than the machine has: nothing stays charged. */
    uintptr_t boastful =
        create(TRAITS({GHCOMP_ATK_POOL_SIZE, (size_t)1 << 62}, {GHCOMP_ATK_FALLBACK, GHCOMP_ATV_NULL_FB}));
    CHECK(get((size_t)1 << 61, boastful) == NULL);
    CHECK_EQUAL(0, ghcomp_allocator_used(boastful));
    char *kept = get(16, boastful);
    CHECK(ghcomp_allocator_realloc(kept, (size_t)1 << 61, NONE) == NULL);
    CHECK_EQUAL(16 + HEADER, ghcomp_allocator_used(boastful));
    ghcomp_allocator_free(kept);
    ghcomp_allocator_destroy(boastful);
    ghcomp_allocator_free(NULL);
    ghcomp_allocator_destroy(bounded);
    ghcomp_allocator_destroy(high);
    ghcomp_allocator_destroy(NONE);
}

/* --- pinned memory ------------------------------------------------------------------------------------------------ */

static void *pin_and_unpin(void *argument)
{
    for (size_t turn = 0; turn < 500; turn++) {
        size_t size = 1 + turn * 37 % 3000;
        unsigned char *memory = ghcomp_pin_alloc(size), *more;
        if (memory == NULL)
            continue; /* ulimit -l; test/conformance/alloc/pinned.c asks for what it needs */
        CHECK((uintptr_t)memory % 16 == 0 && all_are(memory, size, 0));
        memset(memory, (int)turn, size);
        if ((more = ghcomp_pin_resize(memory, size, size / 2 + 700)) != NULL) {
            memory = more;
            CHECK(all_are(memory, size < size / 2 + 700 ? size : size / 2 + 700, (int)turn));
            size = size / 2 + 700;
        }
        ghcomp_pin_free(memory, size);
    }
    return argument;
}

/* --- the set ------------------------------------------------------------------------------------------------------ */

enum { KEYS = 4000 };
static _Atomic uint32_t set_users;

static void *use_set(void *argument)
{
    uintptr_t base = ((uintptr_t)ghcomp_add_relaxed(&set_users, 1u) + 1) << 32;
    for (int round = 0; round < 3; round++) {
        for (uintptr_t i = 0; i < KEYS; i++)
            ghcomp_alloc_set_add((void *)(base + 16 * i));
        ghcomp_alloc_set_add((void *)base); /* adding twice is like adding once */
        for (uintptr_t i = KEYS; i-- > 0;) {
            CHECK(!ghcomp_alloc_set_take((void *)(base + 16 * i + 8)));
            if (i % 2 == (unsigned)round % 2)
                CHECK(ghcomp_alloc_set_take((void *)(base + 16 * i)));
        }
        for (uintptr_t i = 0; i < KEYS; i++)
            CHECK_EQUAL(i % 2 != (unsigned)round % 2, ghcomp_alloc_set_take((void *)(base + 16 * i)));
    }
    return argument;
}

static void set(void)
{
    CHECK(!ghcomp_alloc_set_take(&pool));
    ghcomp_alloc_set_add(NULL);
    CHECK(!ghcomp_alloc_set_take(NULL));
    run(use_set, NULL);
    CHECK_EQUAL(THREADS, ghcomp_load_relaxed(&set_users));
}

int main(void)
{
    pools();
    outlived();
    fallbacks();
    alignments();
    sizes();
    run(pin_and_unpin, NULL);
    set();
    return 0;
}
