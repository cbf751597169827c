/* Which member of a team gets which place in clang's code: libomp's order, where OpenMP leaves it open. affinity.c has
 * the order for gcc's code.
 *
 * OpenMP leaves open which places get one more thread if there are more threads than places; how long the parts are
 * into which spread divides the places; and what `true` means, which is spread in libomp. A program shows the result by
 * OMP_DISPLAY_AFFINITY or omp_get_place_num().
 *
 *   - More threads than places: consecutive threads share a place, from the master's on; places that get one more are
 *     equally far apart, beginning with the first.
 *   - Spread over all places of the process: parts begin at multiples of (places + 1) / threads, rounded down, counted
 *     from the master's place. The multiples are sums of doubles, as in libomp, so that they are rounded as there.
 *   - Spread over a part of them: parts of places / threads, of which some, equally far apart, are one longer.
 *   - A team of one keeps its master's partition, also with spread.
 *   - By KMP_AFFINITY or GOMP_CPU_AFFINITY: one thread after the other to one place after the
 *     other, round and round; with balanced runs of threads share a place, the first of which are longer. By
 *     KMP_HW_SUBSET there is one place.
 *
 * The state is the caller's, the master that makes a team. Called by affinity.c. Covered by
 * test/clang/places_order.c, test/clang/kmp_affinity_balanced.c.
 */
#include "core/affinity/slots_of_libomp.h"

#include "core/affinity/affinity.h"
#include "core/state/settings.h"

static void start_runs(struct ghcomp_slots_of_libomp *slots, uint32_t whole, uint32_t parts)
{
    slots->length = whole / parts;
    slots->longer = whole % parts;
    slots->gap = slots->longer > 0 ? parts / slots->longer : parts;
    slots->since = slots->gap;
}

void ghcomp_slots_of_libomp_start(struct ghcomp_slots_of_libomp *slots, enum ghcomp_bind bind, uint32_t threads,
                                  struct ghcomp_slot master)
{
    *slots = (struct ghcomp_slots_of_libomp){.bind = bind, .threads = threads, .master = master, .place = master.place};
    bool spread = bind == GHCOMP_BIND_SPREAD;
    if (threads > master.length)
        start_runs(slots, threads, master.length);
    else if (spread)
        start_runs(slots, master.length, threads);
    slots->next = master.place;
    slots->whole = spread && threads <= master.length && master.length == ghcomp_affinity.places.count;
}

/* Moves on by `steps` places, cyclically within the master's partition. */
static void advance(struct ghcomp_slots_of_libomp *slots, uint32_t steps)
{
    const struct ghcomp_slot *master = &slots->master;
    slots->place = master->first + (slots->place - master->first + steps) % master->length;
}

/* Whether the run or part that now begins is longer by one than the others; counts it. */
static bool is_longer(struct ghcomp_slots_of_libomp *slots)
{
    bool longer = slots->longer > 0 && slots->since == slots->gap;
    slots->longer -= longer;
    slots->since = longer ? 1 : slots->since + 1;
    return longer;
}

static void next_of_run(struct ghcomp_slots_of_libomp *slots, struct ghcomp_slot *slot)
{
    if (slots->left == 0) {
        if (slots->tid > 0)
            advance(slots, 1);
        slots->left = slots->length + is_longer(slots);
    }
    slots->left--;
    slot->place = slots->place;
    if (slots->bind == GHCOMP_BIND_SPREAD) {
        slot->first = slots->place;
        slot->length = 1;
    }
}

static void next_of_all(struct ghcomp_slots_of_libomp *slots, struct ghcomp_slot *slot)
{
    int places = (int)slots->master.length, master = (int)slots->master.place;
    double spacing = (double)(places + 1) / (double)slots->threads;
    int first = (int)slots->next, last = (int)(slots->next + spacing) - 1;
    slots->next += spacing;
    if (first >= places) {
        first = master > 0 ? first - places : 0;
        last = master > 0 ? last - places : 0;
        last -= last == master && master > 0;
    }
    if (last >= places)
        last = places - 1;
    slot->place = slot->first = (uint32_t)first;
    slot->length = last > first ? (uint32_t)(last - first) + 1 : 1;
}

static void next_of_part(struct ghcomp_slots_of_libomp *slots, struct ghcomp_slot *slot)
{
    uint32_t end = slots->master.first + slots->master.length, length = slots->length + is_longer(slots);
    slot->place = slot->first = slots->place;
    slot->length = length < end - slots->place ? length : end - slots->place; /* a partition does not wrap around */
    advance(slots, length);
}

/* KMP_AFFINITY=balanced in a team with more threads than places. */
static uint32_t steps_when_balanced(uint32_t tid, uint32_t threads, uint32_t places)
{
    uint32_t run = threads / places, longer = threads % places;
    return tid < longer * (run + 1) ? tid / (run + 1) : (tid - longer) / run;
}

struct ghcomp_slot ghcomp_slots_of_libomp_next(struct ghcomp_slots_of_libomp *slots)
{
    struct ghcomp_slot slot = slots->master;
    if (slots->bind == GHCOMP_BIND_PRIMARY || slots->bind == GHCOMP_BIND_FALSE || slots->threads == 1)
        return slot;
    if (slots->bind == GHCOMP_BIND_TRUE && slots->threads > slot.length &&
        ghcomp_settings.kmp_affinity.type == GHCOMP_KMP_AFFINITY_BALANCED) {
        uint32_t steps = steps_when_balanced(slots->tid, slots->threads, slot.length);
        slot.place = slot.first + (slots->master.place - slot.first + steps) % slot.length;
    } else if (slots->bind == GHCOMP_BIND_TRUE || (slots->bind == GHCOMP_BIND_CLOSE && slots->threads <= slot.length)) {
        slot.place = slots->place;
        advance(slots, 1);
    } else if (slots->threads > slot.length) {
        next_of_run(slots, &slot);
    } else if (slots->whole) {
        next_of_all(slots, &slot);
    } else {
        next_of_part(slots, &slot);
    }
    slots->tid++;
    return slot;
}
