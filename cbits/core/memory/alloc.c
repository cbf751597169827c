/* Allocators: traits, pools, fallbacks, and blocks that record where they came from.
 *
 * A block is [slack][header][the caller's bytes]. The header, right below the caller's address, has all that is needed
 * to free or move the block, so omp_free needs no allocator argument, and reads no allocator that has no pool.
 *
 * A pool is a limit, and a count of the bytes in use, `used`. Header and alignment slack count, as they do in libgomp,
 * so that a pool holds as many blocks here as there. The count is exact at any moment: bytes are charged (cas) before
 * the memory is requested, given back when there is none, and never exceed the limit.
 *   The count is also the reference count of a destroyed allocator. omp_destroy_allocator sets the bit DESTROYED in it.
 * The operation that leaves only DESTROYED in the word, this one or the free of the last block, frees the allocator.
 * Both are acquire-release operations on the one word, so exactly one of them does, after all other accesses.
 *
 * A shortage walks the chain of fallbacks. The chain ends when it returns to an allocator that it has tried before
 * (fb_data may name any; the default allocator may be the one that falls back). Brent's algorithm detects that without
 * memory.
 *
 * All memory spaces are one, the memory of the host. sync_hint and access are accepted where libgomp accepts them. They
 * change nothing, since malloc serves all threads. partition is alloc_place.c's where there are several NUMA nodes; on
 * one node it changes nothing. A pinned block lies where the requesting thread is, since locking touches its pages.
 *
 * Called by abi/omp/omp_alloc.c and env.c. Covered by test/conformance/alloc and test/unit/alloc.c.
 */
#include "core/memory/alloc.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/memory/alloc_pin.h"
#include "core/memory/alloc_place.h"
#include "core/state/types.h"

/* Handles below this are not addresses but allocators that OpenMP or a version of GCC defines. Unknown ones give
   ordinary memory, as the known ones do. */
enum { PREDEFINED_END = 4096 };

/* Every block is aligned to this. */
enum { LEAST_ALIGNMENT = sizeof(void *) };

/* In `used`: the allocator is destroyed. A pool_size of this or more is a limit that memory cannot reach. */
#define DESTROYED ((size_t)1 << (sizeof(size_t) * CHAR_BIT - 1))

/* Immutable after creation, except `used`. */
struct allocator {
    size_t alignment;
    size_t pool_size;      /* DESTROYED or more: no limit */
    _Atomic size_t used;   /* bytes of live blocks, and DESTROYED; counted only with a limit. cas_weak_relaxed charges;
                              sub_acqrel gives back, pairs with the or_acqrel of destroy and with other subs */
    uintptr_t fb_data;
    size_t part_size;
    uint8_t fallback;      /* GHCOMP_ATV_*_FB */
    uint8_t partition;     /* GHCOMP_ATV_ENVIRONMENT to _INTERLEAVED */
    bool pinned;
    bool may_be_loose;     /* blocks beyond the limit on locked memory are not pinned */
    uint32_t source;       /* PINNED, PLACED, or 0: of blocks that are large enough */
};

/* Where a block comes from: alloc_pin.c, alloc_place.c, else malloc. CHARGED: its allocator has a pool, and exists. */
enum { PINNED = 1, CHARGED = 2, PLACED = 4, SOURCES = PINNED | PLACED };
enum { LIVE = 0x6c6c6121, FREED = 0x21616c6c };

/* Owner only: the thread that may use the block. */
struct header {
    void *base;          /* start of the memory that its source gave */
    size_t bytes;        /* ... and its size, which is also the charge to the pool */
    uintptr_t allocator;
    uint32_t mark;       /* LIVE or FREED; anything else was never a block */
    uint32_t flags;      /* PINNED, PLACED, CHARGED */
};
_Static_assert(sizeof(struct header) == 32, "libgomp's header has as many bytes: pools hold as much");

static struct allocator *made(uintptr_t handle)
{
    return handle >= PREDEFINED_END ? (struct allocator *)handle : NULL;
}

/* The allocator if it has a pool, else NULL. */
static struct allocator *pool_of(uintptr_t handle)
{
    struct allocator *allocator = made(handle);
    return allocator != NULL && allocator->pool_size < DESTROYED ? allocator : NULL;
}

/* The source of the allocator's blocks of so many bytes. */
static uint32_t source_of(uintptr_t handle, size_t bytes)
{
    const struct allocator *allocator = made(handle);
    if (allocator == NULL)
        return handle == GHCOMP_ALLOCATOR_PINNED ? PINNED : 0;
    if (ghcomp_unlikely(allocator->source == PLACED) && !ghcomp_place_worth(bytes))
        return 0;
    return allocator->source;
}

/* --- traits ------------------------------------------------------------------------------------------------------- */

/* Replaces omp_atv_default by `otherwise`; then whether the value is in [first, last]. */
static bool one_of(uintptr_t *value, uintptr_t first, uintptr_t last, uintptr_t otherwise)
{
    if (*value == GHCOMP_ATV_DEFAULT)
        *value = otherwise;
    return *value >= first && *value <= last;
}

static bool apply(struct allocator *allocator, struct ghcomp_trait trait)
{
    uintptr_t value = trait.value;
    switch (trait.key) {
    case GHCOMP_ATK_SYNC_HINT:
        return one_of(&value, GHCOMP_ATV_CONTENDED, GHCOMP_ATV_PRIVATE, GHCOMP_ATV_CONTENDED);
    case GHCOMP_ATK_ACCESS:
        return one_of(&value, GHCOMP_ATV_ALL, GHCOMP_ATV_CGROUP, GHCOMP_ATV_ALL);
    case GHCOMP_ATK_PARTITION:
        if (!one_of(&value, GHCOMP_ATV_ENVIRONMENT, GHCOMP_ATV_INTERLEAVED, GHCOMP_ATV_ENVIRONMENT))
            return false;
        allocator->partition = (uint8_t)value;
        return true;
    case GHCOMP_ATK_PART_SIZE:
        allocator->part_size = value != GHCOMP_ATV_DEFAULT ? value : 0;
        return true;
    case GHCOMP_ATK_ALIGNMENT:
        allocator->alignment = value == GHCOMP_ATV_DEFAULT ? 1 : value;
        return allocator->alignment != 0 && (allocator->alignment & (allocator->alignment - 1)) == 0;
    case GHCOMP_ATK_POOL_SIZE:
        allocator->pool_size = value; /* omp_atv_default is the greatest number: no limit */
        return true;
    case GHCOMP_ATK_FALLBACK:
        if (!one_of(&value, GHCOMP_ATV_DEFAULT_MEM_FB, GHCOMP_ATV_ALLOCATOR_FB, GHCOMP_ATV_DEFAULT_MEM_FB))
            return false;
        allocator->fallback = (uint8_t)value;
        return true;
    case GHCOMP_ATK_FB_DATA:
        allocator->fb_data = value;
        return true;
    case GHCOMP_ATK_PINNED:
        allocator->may_be_loose = value == GHCOMP_ATV_IF_ALLOWED;
        if (allocator->may_be_loose)
            value = GHCOMP_ATV_TRUE;
        if (!one_of(&value, GHCOMP_ATV_FALSE, GHCOMP_ATV_TRUE, GHCOMP_ATV_FALSE))
            return false;
        allocator->pinned = value == GHCOMP_ATV_TRUE;
        return true;
    default:
        return false;
    }
}

uintptr_t ghcomp_allocator_create(uintptr_t space, int count, const struct ghcomp_trait *traits)
{
    if (space > GHCOMP_SPACE_LOW_LAT && space != GHCOMP_SPACE_MANAGED)
        return GHCOMP_ALLOCATOR_NULL;
    struct allocator allocator = {.alignment = 1,
                                  .pool_size = SIZE_MAX,
                                  .fallback = GHCOMP_ATV_DEFAULT_MEM_FB,
                                  .partition = GHCOMP_ATV_ENVIRONMENT};
    for (int i = 0; i < count; i++)
        if (!apply(&allocator, traits[i]))
            return GHCOMP_ALLOCATOR_NULL;
    if (allocator.alignment < LEAST_ALIGNMENT)
        allocator.alignment = LEAST_ALIGNMENT;
    if (allocator.pinned)
        allocator.source = PINNED;
    else if (allocator.partition != GHCOMP_ATV_ENVIRONMENT && ghcomp_place_possible())
        allocator.source = PLACED;
    return (uintptr_t)memcpy(ghcomp_alloc(sizeof allocator), &allocator, sizeof allocator);
}

void ghcomp_allocator_destroy(uintptr_t handle)
{
    if (handle == GHCOMP_ALLOCATOR_NULL)
        return;
    struct allocator *allocator = made(handle);
    if (allocator == NULL)
        ghcomp_fatal("omp_destroy_allocator: %lu is a predefined allocator; destroy only what omp_init_allocator made",
                     (unsigned long)handle);
    if (ghcomp_or_acqrel(&allocator->used, DESTROYED) == 0)
        free(allocator);
}

/* --- pools -------------------------------------------------------------------------------------------------------- */

static bool charge(struct allocator *pool, size_t bytes)
{
    size_t used = ghcomp_load_relaxed(&pool->used);
    do {
        size_t now = used & ~DESTROYED;
        if (now > pool->pool_size || bytes > pool->pool_size - now)
            return false;
    } while (!ghcomp_cas_weak_relaxed(&pool->used, &used, used + bytes));
    return true;
}

static void give_back(struct allocator *pool, size_t bytes)
{
    if (ghcomp_sub_acqrel(&pool->used, bytes) - bytes == DESTROYED)
        free(pool);
}

size_t ghcomp_allocator_used(uintptr_t handle)
{
    return ghcomp_load_relaxed(&made(handle)->used) & ~DESTROYED;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

static struct header *header_of(void *block, const char *routine)
{
    struct header *header = (struct header *)block - 1;
    if (ghcomp_unlikely(header->mark != LIVE))
        ghcomp_fatal("%s: %p is not a block of omp_alloc and its kind, or was freed before; free a block once, with "
                     "the routine that belongs to its allocation",
                     routine, block);
    return header;
}

/* The size of a whole block; false when it does not fit in size_t. */
static bool whole_size(size_t alignment, size_t size, size_t *bytes)
{
    return !__builtin_add_overflow(size, sizeof(struct header) + (alignment - LEAST_ALIGNMENT), bytes);
}

/* The alignment of the block: the caller's or the allocator's, whichever is larger. One that is not a power of two is
   an error of the program that libgomp accepts; it is rounded up to the next power of two. */
static size_t round_alignment(size_t wanted, uintptr_t handle)
{
    size_t alignment = made(handle) != NULL ? made(handle)->alignment : LEAST_ALIGNMENT;
    while (alignment < wanted && alignment < DESTROYED)
        alignment *= 2;
    return alignment;
}

/* Writes the header of a block in [base, base + bytes), where base is a multiple of LEAST_ALIGNMENT. The first multiple
   of `alignment` with space for the header below it is at most sizeof(header) + alignment - LEAST_ALIGNMENT away. */
static void *lay_out(void *base, size_t bytes, size_t alignment, uintptr_t handle, uint32_t source)
{
    size_t distance = sizeof(struct header) + (alignment - LEAST_ALIGNMENT);
    distance -= ((uintptr_t)base + distance) & (alignment - 1);
    char *block = (char *)base + distance;
    ((struct header *)block)[-1] = (struct header){
        .base = base,
        .bytes = bytes,
        .allocator = handle,
        .mark = LIVE,
        .flags = source | (pool_of(handle) != NULL ? CHARGED : 0),
    };
    return block;
}

struct memory {
    void *base; /* NULL: there is none */
    uint32_t source;
};

/* Whether blocks of an allocator that pins may come from malloc instead. */
static bool may_be_loose(uintptr_t handle)
{
    return made(handle) != NULL && made(handle)->may_be_loose;
}

/* Of the source PINNED or PLACED; of malloc where there are no more mappings, or no more memory may be locked. */
static __attribute__((noinline)) struct memory take_apart(size_t bytes, uintptr_t handle, uint32_t source)
{
    void *base = source == PINNED
                     ? ghcomp_pin_alloc(bytes)
                     : ghcomp_place_alloc(bytes, made(handle)->partition, made(handle)->part_size);
    if (base != NULL || (source == PINNED && !may_be_loose(handle)))
        return (struct memory){base, source};
    return (struct memory){calloc(1, bytes), 0};
}

/* Memory of the allocator's source. */
static struct memory take(size_t bytes, uintptr_t handle, bool zeroed)
{
    uint32_t source = source_of(handle, bytes);
    if (ghcomp_unlikely(source != 0))
        return take_apart(bytes, handle, source);
    return (struct memory){zeroed ? calloc(1, bytes) : malloc(bytes), 0};
}

static void give(void *base, size_t bytes, uint32_t source)
{
    if (ghcomp_likely(source == 0))
        free(base);
    else if (source == PINNED)
        ghcomp_pin_free(base, bytes);
    else
        ghcomp_place_free(base, bytes);
}

/* A block of this allocator, without its fallbacks; NULL when it has no memory. */
static void *try_alloc(size_t wanted_alignment, size_t size, uintptr_t handle, bool zeroed)
{
    size_t alignment = round_alignment(wanted_alignment, handle), bytes;
    if (!whole_size(alignment, size, &bytes))
        return NULL;
    struct allocator *pool = pool_of(handle);
    if (pool != NULL && !charge(pool, bytes))
        return NULL;
    struct memory memory = take(bytes, handle, zeroed);
    if (memory.base != NULL)
        return lay_out(memory.base, bytes, alignment, handle, memory.source);
    if (pool != NULL)
        give_back(pool, bytes);
    return NULL;
}

/* Frees the block of this header, which may be a copy. */
static void release(const struct header *header)
{
    give(header->base, header->bytes, header->flags & SOURCES);
    if (header->flags & CHARGED)
        give_back(made(header->allocator), header->bytes);
}

void ghcomp_allocator_free(void *block)
{
    if (block == NULL)
        return;
    struct header *header = header_of(block, "omp_free");
    struct header copy = *header;
    /* volatile: else the compiler drops a store to memory that is freed next. */
    *(volatile uint32_t *)&header->mark = FREED;
    release(&copy);
}

/* --- fallbacks ---------------------------------------------------------------------------------------------------- */

/* The allocators that a request tries, one after the other. */
struct chain {
    uintptr_t now;
    uintptr_t null_means;  /* what GHCOMP_ALLOCATOR_NULL is for: the block's allocator; NULL: the thread's default */
    uintptr_t seen;        /* an allocator tried before: if it recurs, there is a cycle */
    uint32_t left;         /* steps until `seen` moves up to `now` */
    uint32_t lap;          /* ... and how many there were at first this time; doubles each time */
};

static uintptr_t resolve(uintptr_t handle, uintptr_t null_means)
{
    if (handle == GHCOMP_ALLOCATOR_NULL)
        handle = null_means;
    return handle != GHCOMP_ALLOCATOR_NULL ? handle : ghcomp_self()->implicit.icv->default_allocator;
}

static struct chain start(uintptr_t handle, uintptr_t null_means)
{
    uintptr_t first = resolve(handle, null_means);
    return (struct chain){.now = first, .null_means = null_means, .seen = first, .left = 1, .lap = 1};
}

void ghcomp_allocator_exhausted(size_t size)
{
    ghcomp_fatal_compat("Out of memory allocating %lu bytes", (unsigned long)size);
}

/* After a shortage: moves on to the next allocator; false when there is none. */
static bool next(struct chain *chain, size_t size)
{
    const struct allocator *allocator = made(chain->now);
    if (allocator == NULL || allocator->fallback == GHCOMP_ATV_NULL_FB)
        return false; /* predefined ones use the default allocator's memory, or must not use it (pinned) */
    if (allocator->fallback == GHCOMP_ATV_ABORT_FB)
        ghcomp_allocator_exhausted(size);
    uintptr_t to = GHCOMP_ALLOCATOR_DEFAULT;
    if (allocator->fallback == GHCOMP_ATV_ALLOCATOR_FB)
        to = resolve(allocator->fb_data, chain->null_means);
    if (to == chain->seen)
        return false;
    if (--chain->left == 0) {
        chain->seen = to;
        chain->left = chain->lap *= 2;
    }
    chain->now = to;
    return true;
}

void *ghcomp_allocator_alloc(size_t alignment, size_t size, uintptr_t handle, bool zeroed)
{
    if (size == 0)
        return NULL;
    struct chain chain = start(handle, GHCOMP_ALLOCATOR_NULL);
    do {
        void *block = try_alloc(alignment, size, chain.now, zeroed);
        if (ghcomp_likely(block != NULL))
            return block;
    } while (next(&chain, size));
    return NULL;
}

void *ghcomp_allocator_alloc_array(size_t alignment, size_t count, size_t size, uintptr_t handle)
{
    size_t product;
    if (__builtin_mul_overflow(count, size, &product))
        product = SIZE_MAX; /* no allocator has that much */
    return ghcomp_allocator_alloc(alignment, product, handle, true);
}

/* --- realloc ------------------------------------------------------------------------------------------------------ */

/* Resizes a block's memory, also from malloc's to placed memory and back. Placed memory is always new: parts of a block
   belong to its size. NULL: nothing has changed. */
static struct memory change(const struct header *old, size_t bytes, uintptr_t handle)
{
    uint32_t before = old->flags & SOURCES;
    if (before == PINNED) {
        void *base = ghcomp_pin_resize(old->base, old->bytes, bytes);
        if (base != NULL || !may_be_loose(handle))
            return (struct memory){base, PINNED};
    }
    if (before == 0 && source_of(handle, bytes) == 0)
        return (struct memory){realloc(old->base, bytes), 0};
    struct memory memory = take(bytes, handle, false);
    if (memory.base != NULL) {
        memcpy(memory.base, old->base, bytes < old->bytes ? bytes : old->bytes);
        give(old->base, old->bytes, before);
    }
    return memory;
}

/* Resizes the block: for blocks without slack, which begin with the header. Both allocators pin, or neither. */
static void *try_resize(const struct header *old, size_t size, uintptr_t handle)
{
    size_t bytes;
    if (!whole_size(LEAST_ALIGNMENT, size, &bytes))
        return NULL;
    struct allocator *pool = pool_of(handle);
    bool same_pool = pool != NULL && (old->flags & CHARGED) && old->allocator == handle;
    size_t before = same_pool ? old->bytes : 0;
    size_t more = bytes > before ? bytes - before : 0;
    if (pool != NULL && !charge(pool, more))
        return NULL;
    struct memory memory = change(old, bytes, handle);
    if (memory.base == NULL) {
        if (pool != NULL)
            give_back(pool, more);
        return NULL;
    }
    if (same_pool)
        give_back(pool, before + more - bytes);
    else if (old->flags & CHARGED)
        give_back(made(old->allocator), old->bytes);
    return lay_out(memory.base, bytes, LEAST_ALIGNMENT, handle, memory.source);
}

static void *try_move(void *block, size_t size, uintptr_t handle)
{
    const struct header *header = (struct header *)block - 1;
    void *moved = try_alloc(1, size, handle, false);
    if (moved == NULL)
        return NULL;
    size_t has = (size_t)((char *)header->base + header->bytes - (char *)block);
    memcpy(moved, block, has < size ? has : size);
    ghcomp_allocator_free(block);
    return moved;
}

void *ghcomp_allocator_realloc(void *block, size_t size, uintptr_t handle)
{
    if (block == NULL)
        return ghcomp_allocator_alloc(1, size, handle, false);
    const struct header old = *header_of(block, "omp_realloc");
    if (size == 0) {
        ghcomp_allocator_free(block);
        return NULL;
    }
    struct chain chain = start(handle, old.allocator);
    do {
        bool resizes = (char *)block - (char *)old.base == sizeof old &&
                       round_alignment(1, chain.now) == LEAST_ALIGNMENT &&
                       (source_of(chain.now, size) == PINNED) == !!(old.flags & PINNED);
        void *moved = resizes ? try_resize(&old, size, chain.now) : try_move(block, size, chain.now);
        if (ghcomp_likely(moved != NULL))
            return moved;
    } while (next(&chain, size));
    return NULL;
}
