/* KMP_AFFINITY's types as lists of places.
 *
 * compact and scatter order the CPUs by three levels, socket, core of the socket, thread of the core; each CPU in turn
 * gives the place of its granularity. The levels that come first in a comparison change slowest from one thread to the
 * next. compact,0 compares socket, core, thread; a permutation of n moves the n innermost levels to the front, the
 * innermost first. scatter is compact with the permutations counted from the other end. balanced takes the cores in
 * order: a team with fewer threads than cores has one for each, a larger one shares them evenly.
 *
 * Called by affinity.c. Covered by test/unit/kmp_places.c.
 */
#include "core/affinity/kmp_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

enum { LEVELS = 3 };

/* A CPU's index at each level, the outermost first. */
struct entry {
    uint32_t level[LEVELS];
    uint32_t key[LEVELS]; /* the indices in the order in which they are compared */
    const struct ghcomp_topology_cpu *cpu;
};

static int by_key(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    for (int i = 0; i < LEVELS; i++)
        if (a->key[i] != b->key[i])
            return a->key[i] < b->key[i] ? -1 : 1;
    return a->cpu->cpu < b->cpu->cpu ? -1 : a->cpu->cpu > b->cpu->cpu;
}

/* Numbers each CPU at each level. The topology is sorted, so CPUs of one socket or core are adjacent. */
static void number_levels(struct entry *entries, const struct ghcomp_topology *topology)
{
    for (uint32_t i = 0; i < topology->count; i++) {
        const struct ghcomp_topology_cpu *cpu = &topology->cpus[i], *before = i > 0 ? cpu - 1 : NULL;
        struct entry *entry = &entries[i];
        *entry = i > 0 ? entries[i - 1] : (struct entry){{0}, {0}, NULL};
        entry->cpu = cpu;
        if (before == NULL)
            continue;
        if (before->socket != cpu->socket) {
            entry->level[0]++;
            entry->level[1] = entry->level[2] = 0;
        } else if (before->core != cpu->core) {
            entry->level[1]++;
            entry->level[2] = 0;
        } else {
            entry->level[2]++;
        }
    }
}

static void order(struct entry *entries, uint32_t count, const struct ghcomp_kmp_affinity *affinity)
{
    uint32_t moved = affinity->permute < LEVELS ? affinity->permute : LEVELS - 1;
    if (affinity->type == GHCOMP_KMP_AFFINITY_SCATTER)
        moved = LEVELS - 1 - moved;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < LEVELS; k++)
            entries[i].key[k] = entries[i].level[k < moved ? LEVELS - 1 - k : k - moved];
    qsort(entries, count, sizeof *entries, by_key);
}

static uint32_t group_of(const struct ghcomp_topology_cpu *cpu, int granularity)
{
    switch (granularity) {
    case GHCOMP_KMP_THREAD:
        return cpu->cpu;
    case GHCOMP_KMP_CACHE:
        return cpu->cache;
    case GHCOMP_KMP_NODE:
        return cpu->node;
    case GHCOMP_KMP_SOCKET:
        return cpu->socket;
    default:
        return cpu->core;
    }
}

static void add_group(const struct ghcomp_topology *topology, const struct ghcomp_topology_cpu *of, int granularity,
                      struct ghcomp_cpus *place)
{
    for (uint32_t i = 0; i < topology->count; i++)
        if (group_of(&topology->cpus[i], granularity) == group_of(of, granularity))
            ghcomp_cpus_add(place, topology->cpus[i].cpu);
}

static void make_ordered(const struct ghcomp_kmp_affinity *affinity, const struct ghcomp_topology *topology,
                         struct ghcomp_places *places)
{
    struct entry *entries = ghcomp_alloc(topology->count * sizeof *entries);
    bool balanced = affinity->type == GHCOMP_KMP_AFFINITY_BALANCED;
    int granularity = balanced && affinity->granularity == GHCOMP_KMP_THREAD ? GHCOMP_KMP_CORE : affinity->granularity;
    number_levels(entries, topology);
    if (!balanced)
        order(entries, topology->count, affinity);
    places->list = ghcomp_alloc_zeroed(topology->count * sizeof *places->list);
    for (uint32_t i = 0; i < topology->count; i++)
        if (!balanced || entries[i].level[2] == 0)
            add_group(topology, entries[i].cpu, granularity, &places->list[places->count++]);
    free(entries);
}

/* Makes the places of a proclist, each extended to the granularity. */
static const char *make_explicit(const struct ghcomp_kmp_affinity *affinity, const struct ghcomp_topology *topology,
                                 struct ghcomp_places *places)
{
    const char *wrong = ghcomp_places_parse(affinity->places, topology, places);
    for (uint32_t i = 0; wrong == NULL && i < places->count; i++) {
        struct ghcomp_cpus named = places->list[i];
        for (uint32_t k = 0; k < topology->count; k++)
            if (ghcomp_cpus_has(&named, topology->cpus[k].cpu))
                add_group(topology, &topology->cpus[k], affinity->granularity, &places->list[i]);
    }
    return wrong;
}

/* Moves the first `by` places to the end. */
static void rotate(struct ghcomp_places *places, uint32_t by)
{
    by %= places->count;
    if (by == 0)
        return;
    struct ghcomp_cpus *list = ghcomp_alloc(places->count * sizeof *list);
    memcpy(list, places->list + by, (places->count - by) * sizeof *list);
    memcpy(list + places->count - by, places->list, by * sizeof *list);
    free(places->list);
    places->list = list;
}

const char *ghcomp_kmp_places_make(const struct ghcomp_kmp_affinity *affinity, const struct ghcomp_topology *topology,
                                   struct ghcomp_places *places)
{
    *places = (struct ghcomp_places){0};
    if (topology->count == 0)
        return "this process may use no CPU";
    if (affinity->type == GHCOMP_KMP_AFFINITY_EXPLICIT) {
        const char *wrong = make_explicit(affinity, topology, places);
        if (wrong != NULL)
            return wrong;
    } else {
        make_ordered(affinity, topology, places);
    }
    rotate(places, affinity->offset);
    return NULL;
}
