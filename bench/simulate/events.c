/* What happens next: a heap of events by time, and by the order in which they were added. */
#include <stdlib.h>

#include "sim.h"

static struct event *heap;
static size_t count, room;
static uint64_t order;

static bool before(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

void events_add(uint64_t at, enum event_kind kind, uint32_t who, uint32_t generation)
{
    if (count == room) {
        room = room ? 2 * room : 1024;
        heap = realloc(heap, room * sizeof *heap);
        if (heap == NULL)
            abort();
    }
    struct event event = {at, order++, kind, who, generation};
    size_t i = count++;
    for (; i > 0 && before(&event, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = event;
}

struct event events_next(void)
{
    struct event first = heap[0], last = heap[--count];
    size_t i = 0, child;
    while ((child = 2 * i + 1) < count) {
        if (child + 1 < count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return first;
}

uint64_t events_first(void)
{
    return count > 0 ? heap[0].at : NEVER;
}
