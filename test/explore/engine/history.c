/* Loads of old values: C11's orders for the explorer, where a thread may read a word as it was, as long as nothing that
 * it has seen says otherwise. The model is that of CDSChecker (Norris, Demsky, "Checking Concurrent Data Structures
 * Written with C/C++ Atomics", 2013), without its fences.
 *
 * Each word has its last stores, in the order of the schedule. Each thread has a vector clock: what happens before its
 * next step. A thread may read any store but those that are older than one
 *
 *   - that happens before the read,
 *   - that was read by a read which happens before this one, or
 *   - for a sequentially consistent read, that was sequentially consistent itself or was read by such a read: the
 *     schedule is the order of these.
 *
 * A release store carries its thread's clock, and a read-modify-write that of the store before it, whatever its own
 * order; an acquiring read takes over the clock that the store carries. A read-modify-write reads the newest store.
 * After a fence of all threads each has seen the stores that any had.
 *
 * What the model leaves out: a store is newer than those before it in the schedule, though C11 might order two
 * unrelated ones otherwise; a load does not read what is stored later; a cas that fails reads the newest store. A word
 * that plain code has changed (a new team's memory, say) starts anew, and all have seen that. */
#include "history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { KEPT = 8, WORDS = 1 << 14, NOBODY = HISTORY_THREADS };

typedef uint32_t clock[HISTORY_THREADS];

struct store {
    uint64_t value;
    unsigned writer;             /* NOBODY: all have seen it */
    uint32_t at;                 /* the writer's clock */
    bool sequential;             /* by a sequentially consistent access, or read by one */
    clock carried;
    clock first_read;            /* each thread's clock when it first read this one; 0: it has not */
};

struct word {
    uintptr_t address;
    uint64_t schedule;           /* the word was used in this one; else it is empty */
    unsigned count;
    struct store stores[KEPT];   /* the last ones, the newest at count - 1 */
};

static struct history {
    uint64_t schedule;
    unsigned used;
    clock seen[HISTORY_THREADS];
    struct word words[WORDS];
} *H;

void history_begin(void)
{
    H = mmap(NULL, sizeof *H, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void history_start(void)
{
    H->schedule++;
    memset(H->seen, 0, sizeof H->seen);
}

static void join(clock into, const clock other)
{
    for (unsigned i = 0; i < HISTORY_THREADS; i++)
        if (into[i] < other[i])
            into[i] = other[i];
}

void history_thread(unsigned made, unsigned by)
{
    memcpy(H->seen[made], H->seen[by], sizeof H->seen[made]);
    H->seen[by][by]++;
}

void history_fence_all(void)
{
    clock all = {0};
    for (unsigned i = 0; i < HISTORY_THREADS; i++)
        join(all, H->seen[i]);
    for (unsigned i = 0; i < HISTORY_THREADS; i++)
        memcpy(H->seen[i], all, sizeof all);
}

static struct store *append(struct word *word)
{
    if (word->count == KEPT)
        memmove(&word->stores[0], &word->stores[1], --word->count * sizeof word->stores[0]);
    return memset(&word->stores[word->count++], 0, sizeof word->stores[0]);
}

/* The word, whose newest store is what it holds. */
static struct word *find(uintptr_t address, uint64_t now)
{
    unsigned at = (unsigned)((address >> 2) * 0x9e3779b1u >> 16) % WORDS;
    while (H->words[at].address != address && H->words[at].address != 0)
        at = (at + 1) % WORDS;
    struct word *word = &H->words[at];
    if (word->address == 0 && ++H->used > WORDS / 2) {
        fprintf(stderr, "too many words\n");
        exit(1);
    }
    word->address = address;
    if (word->schedule != H->schedule || word->stores[word->count - 1].value != now) {
        word->schedule = H->schedule;
        word->count = 0;
        struct store *store = append(word);
        store->value = now;
        store->writer = NOBODY;
    }
    return word;
}

static bool hides_older(const struct store *store, unsigned who, enum explore_order order)
{
    if (store->writer == NOBODY || store->at <= H->seen[who][store->writer] ||
        (order == EXPLORE_SEQCST && store->sequential))
        return true;
    for (unsigned i = 0; i < HISTORY_THREADS; i++)
        if (store->first_read[i] != 0 && store->first_read[i] <= H->seen[who][i])
            return true;
    return false;
}

static bool acquires(enum explore_order order)
{
    return order == EXPLORE_ACQUIRE || order == EXPLORE_ACQREL || order == EXPLORE_SEQCST;
}

static bool releases(enum explore_order order)
{
    return order == EXPLORE_RELEASE || order == EXPLORE_ACQREL || order == EXPLORE_SEQCST;
}

static void read_store(struct store *store, unsigned who, enum explore_order order)
{
    if (store->first_read[who] == 0)
        store->first_read[who] = H->seen[who][who];
    if (acquires(order))
        join(H->seen[who], store->carried);
    store->sequential |= order == EXPLORE_SEQCST;
}

uint64_t history_load(unsigned who, uintptr_t address, uint64_t now, enum explore_order order,
                      unsigned (*choose)(unsigned count))
{
    struct word *word = find(address, now);
    unsigned newest = word->count - 1, oldest = newest;
    H->seen[who][who]++;
    while (oldest > 0 && !hides_older(&word->stores[oldest], who, order))
        oldest--;
    unsigned chosen = newest;
    if (choose != NULL && oldest < newest)
        chosen -= choose(newest - oldest + 1);
    read_store(&word->stores[chosen], who, order);
    return word->stores[chosen].value;
}

static void write_store(struct word *word, unsigned who, uint64_t value, enum explore_order order, const clock before)
{
    struct store *store = append(word);
    store->value = value;
    store->writer = who;
    store->at = H->seen[who][who];
    store->sequential = order == EXPLORE_SEQCST;
    if (before != NULL)
        join(store->carried, before);
    if (releases(order))
        join(store->carried, H->seen[who]);
}

void history_store(unsigned who, uintptr_t address, uint64_t before, uint64_t after, enum explore_order order)
{
    struct word *word = find(address, before);
    H->seen[who][who]++;
    write_store(word, who, after, order, NULL);
}

void history_change(unsigned who, uintptr_t address, uint64_t before, uint64_t after, enum explore_order order)
{
    struct word *word = find(address, before);
    struct store *newest = &word->stores[word->count - 1];
    clock carried;
    H->seen[who][who]++;
    memcpy(carried, newest->carried, sizeof carried);
    read_store(newest, who, order);
    write_store(word, who, after, order, carried);
}
