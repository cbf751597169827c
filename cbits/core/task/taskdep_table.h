/* The parent's hash table of addresses that its unfinished children depend on. For taskdep.c; only the executor of the
 * parent uses it. Covered by test/unit/{taskdep,taskdep_memory}.c and test/conformance/depend (graph.c: many
 * addresses). */
#pragma once

#include <stdlib.h>

#include "base/check.h"
#include "core/task/taskdep_clause.h"
#include "core/task/taskdep_node.h"

struct ghcomp_depend_entry {
    void *address;
    struct ghcomp_depend_node *before; /* complete when the set before is; NULL = it is */
    struct ghcomp_depend_node *member; /* the last set: its newest member */
    struct ghcomp_depend_list *others; /* ... and its other members that may be incomplete */
    struct ghcomp_depend_mutex *mutex; /* MUTEXINOUTSET: the set's */
    enum ghcomp_depend_kind kind;      /* of the last set; never INOUT, which is OUT here */
};

/* Open addressing; entries are removed only all at once. All fields: owner only. */
struct ghcomp_depend_table {
    struct ghcomp_depend_heap *heap;
    struct ghcomp_depend_node *all;    /* the last task that named omp_all_memory; NULL = it is complete */
    uint32_t used;                     /* entries in use */
    uint32_t bits;                     /* log2 of the slots */
    struct ghcomp_depend_entry entries[];
};

enum { GHCOMP_DEPEND_SMALLEST_BITS = 4 };

static inline struct ghcomp_depend_table *ghcomp_depend_table_new(struct ghcomp_depend_heap *heap, uint32_t bits)
{
    struct ghcomp_depend_table *table = heap->spare;
    if (bits == GHCOMP_DEPEND_SMALLEST_BITS && table != NULL) {
        heap->spare = NULL;
        return table;
    }
    table = ghcomp_alloc_zeroed(sizeof *table + (sizeof(struct ghcomp_depend_entry) << bits));
    table->heap = heap;
    table->bits = bits;
    return table;
}

/* The table is empty. */
static inline void ghcomp_depend_table_free(struct ghcomp_depend_table *table)
{
    struct ghcomp_depend_heap *heap = table->heap;
    if (table->bits == GHCOMP_DEPEND_SMALLEST_BITS && heap->spare == NULL)
        heap->spare = table;
    else
        free(table);
}

/* The address's entry, or the free slot for it. */
static inline struct ghcomp_depend_entry *ghcomp_depend_table_find(struct ghcomp_depend_table *table, void *address)
{
    uint32_t mask = (UINT32_C(1) << table->bits) - 1;
    uint32_t at = (uint32_t)((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table->bits));
    struct ghcomp_depend_entry *entry;
    while ((entry = &table->entries[at])->kind != GHCOMP_DEPEND_NONE && entry->address != address)
        at = (at + 1) & mask;
    return entry;
}
