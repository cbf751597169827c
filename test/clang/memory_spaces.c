/* Memory spaces and traits by the numbers of both omp.h that clang has had: LLVM 20 gave the default space another
   number, and added spaces, traits and values. A program of either gets what it asked for, here both in one process.
   The numbers are passed by hand, so that any clang compiles this.
   ghcomp-only: each libomp knows the numbers of its own omp.h alone
   symbols: omp_init_allocator omp_init_allocator_ __kmpc_init_allocator */
#include <stdint.h>

#include "kmp.h"

struct trait {
    int key;
    uintptr_t value;
};

uintptr_t omp_init_allocator(uintptr_t space, int count, const struct trait *traits);
intptr_t omp_init_allocator_(const intptr_t *space, const int32_t *count, const struct trait *traits);
uintptr_t __kmpc_init_allocator(int32_t thread, uintptr_t space, int32_t count, const struct trait *traits);
void omp_destroy_allocator(uintptr_t allocator);
void *omp_alloc(size_t size, uintptr_t allocator);
void omp_free(void *block, uintptr_t allocator);

enum { ALIGNMENT = 2, ACCESS = 3, POOL_SIZE = 4, FALLBACK = 5, NULL_FB = 12, DEVICE_BUT_ALL_BEFORE = 7, ALL = 19 };
#define by_default UINTPTR_MAX

/* The three ways to make an allocator. */
enum { ROUTINE, FORTRAN, COMPILED, WAYS };
static uintptr_t make(int way, uintptr_t space, int count, const struct trait *traits)
{
    intptr_t word = (intptr_t)space;
    int32_t length = count;
    return way == ROUTINE   ? omp_init_allocator(space, count, traits)
           : way == FORTRAN ? (uintptr_t)omp_init_allocator_(&word, &length, traits)
                            : __kmpc_init_allocator(0, space, count, traits);
}

/* An allocator of a space, with this trait in front of others, has their alignment and their pool. */
static void has_its_traits(int way, uintptr_t space, struct trait trait)
{
    const struct trait traits[] = {{ALIGNMENT, 4096}, trait, {POOL_SIZE, 16384}, {FALLBACK, NULL_FB}};
    uintptr_t allocator = make(way, space, 4, traits);
    CHECK(allocator != 0);
    char *block = omp_alloc(100, allocator);
    CHECK(block != NULL && (uintptr_t)block % 4096 == 0);
    memset(block, 1, 100);
    CHECK(omp_alloc(16384, allocator) == NULL);
    omp_free(block, allocator);
    omp_destroy_allocator(allocator);
}

static void is_refused(int way, uintptr_t space, struct trait trait)
{
    const struct trait traits[] = {{ALIGNMENT, 64}, trait};
    CHECK(make(way, space, 2, traits) == 0);
}

static void without_traits(int way, uintptr_t space)
{
    uintptr_t allocator = make(way, space, 0, NULL);
    CHECK(allocator != 0);
    void *block = omp_alloc(10, allocator);
    CHECK(block != NULL);
    omp_free(block, 0);
    omp_destroy_allocator(allocator);
}

static void spaces(int way)
{
    /* Large capacity, const, low latency; the default one before LLVM 20, where it is none, and since;
       the contention group's. */
    static const uintptr_t known[] = {1, 2, 4, 0, 99, 5};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        has_its_traits(way, known[i], (struct trait){ACCESS, ALL});
        has_its_traits(way, known[i], (struct trait){ACCESS, DEVICE_BUT_ALL_BEFORE});
        without_traits(way, known[i]);
    }
    /* The first is that of high bandwidth, of which libomp, too, has no memory without memkind. */
    static const uintptr_t unknown[] = {3, 6, 98, 103, 1024, 4095};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        is_refused(way, unknown[i], (struct trait){ACCESS, ALL});
}

/* The new traits, each with its values: what a host can give, it gives. */
static void traits(int way)
{
    static const struct {
        int key;
        uintptr_t values[8];
    } known[] = {
        {ACCESS, {by_default, 19, 22, 7, 8, 9, 10, 19}},
        {9, {by_default, 0, 1, by_default, 0, 1, 0, 0}},         /* pin_device */
        {10, {by_default, 0, 1, by_default, 0, 1, 0, 0}},        /* preferred_device */
        {11, {by_default, 20, 21, by_default, 20, 21, 20, 21}},  /* device_access */
        {12, {by_default, 20, 21, by_default, 20, 21, 20, 21}},  /* target_access */
        {13, {by_default, 7, 19, by_default, 7, 19, 7, 19}},     /* atomic_scope */
        {14, {by_default, 4096, 1, by_default, 4096, 1, 1, 1}},  /* part_size */
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (int j = 0; j < 8; j++) {
            has_its_traits(way, 99, (struct trait){known[i].key, known[i].values[j]});
            has_its_traits(way, 0, (struct trait){known[i].key, known[i].values[j]});
        }
    static const struct trait unknown[] = {{ACCESS, 11}, {ACCESS, 20}, {11, 19}, {12, 22}, {13, 20}, {15, 0}, {0, 0}};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        is_refused(way, 99, unknown[i]);
}

int main(void)
{
    for (int way = 0; way < WAYS; way++) {
        spaces(way);
        traits(way);
    }
    return 0;
}
