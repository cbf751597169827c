/* A set of addresses, in SHARDS hash tables that have a lock each: threads that allocate at the same time meet only if
 * their addresses are in the same shard. (libgomp has one tree and no lock: there only one thread may do this.)
 *
 * Why a lock for each shard is enough: an address belongs to one shard for ever, and an operation concerns one address.
 * The shard's lock orders operations on one address; those on different addresses need no order. The program orders
 * `add` before `take` of the same block, and `take` before the allocator may hand out the address again.
 *
 * A program without such variables still queries the set at every deallocation, so `members` gives the result without a
 * lock when all tables are empty. A thread whose address was added is ordered after that add (see above), and cannot
 * read 0.
 *
 * A table uses open addressing with linear probing, and is at most half full, so that a probe always ends at an empty
 * slot. Removal moves later members of the run up instead of leaving a tombstone, so tables do not fill with those.
 *
 * Called by abi/omp/omp_alloc.c. Covered by test/unit/alloc.c and test/conformance/alloc/fortran_set.c.
 */
#include "core/memory/alloc_set.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

enum { SHARD_BITS = 4, SHARDS = 1 << SHARD_BITS, FIRST_CAPACITY = 32 };

struct shard {
    pthread_mutex_t lock;
    uintptr_t *slots;   /* lock: [capacity], 0 = empty; NULL before the first add */
    size_t capacity;    /* lock: a power of two */
    size_t count;       /* lock */
} GHCOMP_ALIGNED;

static struct shard shards[SHARDS] = {[0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};
static _Atomic size_t members GHCOMP_ALIGNED; /* of all shards; atomic(relaxed): see above */

/* Fibonacci hashing: the high bits choose the shard, those below them the slot. */
static uint64_t hash(uintptr_t address)
{
    return (uint64_t)address * 0x9e3779b97f4a7c15u;
}

static struct shard *shard_of(uintptr_t address)
{
    return &shards[hash(address) >> (64 - SHARD_BITS)];
}

static size_t home_of(const struct shard *shard, uintptr_t address)
{
    return (size_t)(hash(address) >> 20) & (shard->capacity - 1);
}

/* The address's slot, or the empty one where it belongs. */
static size_t find(const struct shard *shard, uintptr_t address)
{
    size_t at = home_of(shard, address);
    while (shard->slots[at] != 0 && shard->slots[at] != address)
        at = (at + 1) & (shard->capacity - 1);
    return at;
}

/* Handlers that run when a shortage ends the program may free variables: they must find the lock free. */
static void grow(struct shard *shard)
{
    struct shard old = *shard;
    size_t capacity = old.capacity != 0 ? 2 * old.capacity : FIRST_CAPACITY;
    uintptr_t *slots = calloc(capacity, sizeof *slots);
    if (slots == NULL) {
        pthread_mutex_unlock(&shard->lock);
        ghcomp_fatal("out of memory: cannot allocate %zu bytes; raise the memory limit", capacity * sizeof *slots);
    }
    shard->capacity = capacity;
    shard->slots = slots;
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i] != 0)
            shard->slots[find(shard, old.slots[i])] = old.slots[i];
    free(old.slots);
}

void ghcomp_alloc_set_add(const void *address)
{
    uintptr_t key = (uintptr_t)address;
    if (key == 0)
        return;
    struct shard *shard = shard_of(key);
    pthread_mutex_lock(&shard->lock);
    if (2 * (shard->count + 1) > shard->capacity)
        grow(shard);
    size_t at = find(shard, key);
    if (shard->slots[at] == 0) {
        shard->slots[at] = key;
        shard->count++;
        ghcomp_add_relaxed(&members, (size_t)1);
    }
    pthread_mutex_unlock(&shard->lock);
}

/* Empties the slot, and moves up each later member of the run that could not be found behind the hole. */
static void remove_at(struct shard *shard, size_t hole)
{
    size_t mask = shard->capacity - 1;
    for (size_t at = (hole + 1) & mask; shard->slots[at] != 0; at = (at + 1) & mask) {
        size_t home = home_of(shard, shard->slots[at]);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            shard->slots[hole] = shard->slots[at];
            hole = at;
        }
    }
    shard->slots[hole] = 0;
    shard->count--;
    ghcomp_sub_relaxed(&members, (size_t)1);
}

bool ghcomp_alloc_set_take(const void *address)
{
    uintptr_t key = (uintptr_t)address;
    if (key == 0 || ghcomp_load_relaxed(&members) == 0)
        return false;
    struct shard *shard = shard_of(key);
    pthread_mutex_lock(&shard->lock);
    bool found = false;
    if (shard->capacity != 0) {
        size_t at = find(shard, key);
        found = shard->slots[at] == key;
        if (found)
            remove_at(shard, at);
    }
    pthread_mutex_unlock(&shard->lock);
    return found;
}

/* fork(): the child's tables are consistent, because no thread is changing one while the process is copied. */
static void fork_prepare(void)
{
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_lock(&shards[i].lock);
}

static void fork_parent(void)
{
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_unlock(&shards[i].lock);
}

static void fork_child(void)
{
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&shards[i].lock, NULL);
}

__attribute__((constructor(102))) static void set_init(void)
{
    ghcomp_at_fork(fork_prepare, fork_parent, fork_child);
}
