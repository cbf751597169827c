/* Memory under total store order (explore.c): which words threads share, what words hold, and the store buffers. A word
 * that turns out to be shared sets `learned`, and the search begins again. C11's orders are in history.c. */
#include <stdio.h>
#include <stdlib.h>

#include "state.h"

static struct address *address_of(uintptr_t address)
{
    unsigned slot = (unsigned)((address >> 2) * 0x9e3779b1u >> 16) % ADDRESSES;
    while (X->addresses[slot].address != address && X->addresses[slot].address != 0)
        slot = (slot + 1) % ADDRESSES;
    if (X->addresses[slot].address == 0) {
        if (++X->shared_count > ADDRESSES / 2) {
            fprintf(stderr, "too many addresses\n");
            exit(1);
        }
        X->addresses[slot].address = address;
    }
    return &X->addresses[slot];
}

static bool is_ignored(uintptr_t address)
{
    for (unsigned i = 0; i < X->ignored_count; i++)
        if (address >= X->ignored[i].first && address < X->ignored[i].end)
            return true;
    return false;
}

void explore_ignore(const volatile void *memory, size_t size)
{
    if (X->ignored_count == RANGES || X->running)
        return;
    for (unsigned i = 0; i < X->ignored_count; i++)
        if (X->ignored[i].first == (uintptr_t)memory)
            return;
    X->ignored[X->ignored_count].first = (uintptr_t)memory;
    X->ignored[X->ignored_count++].end = (uintptr_t)memory + size;
}

/* Notes the use; true: other threads use the word, too, and it is written. */
bool memory_shared(uintptr_t address, bool writes)
{
    struct address *a = address_of(address);
    uint32_t me = 1u << X->current;
    if (!(a->users & me) || (writes && !(a->writers & me))) {
        a->users |= me;
        if (writes)
            a->writers |= me;
        if (!a->shared && a->writers != 0 && (a->users & (a->users - 1)) != 0 && !is_ignored(address)) {
            a->shared = true;
            X->learned = true;
        }
    }
    return a->shared;
}

struct store *buffer_newest(struct fiber *me, uintptr_t address)
{
    for (unsigned i = me->stores; i-- > 0;) {
        struct store *store = &me->buffer[(me->first + i) % BUFFER];
        if (store->what.address == address)
            return store;
    }
    return NULL;
}

void buffer_flush_one(unsigned who)
{
    struct fiber *fiber = &X->fiber[who];
    struct store *store = &fiber->buffer[fiber->first];
    fiber->first = (fiber->first + 1) % BUFFER;
    fiber->stores--;
    memory_write(store->what.address, store->size, store->value, fiber);
    struct pending what = store->what;
    what.op = OP_FLUSH;
    trace_step(who, what, store->value);
}

void buffer_flush_all(unsigned who)
{
    while (X->fiber[who].stores > 0)
        buffer_flush_one(who);
}
