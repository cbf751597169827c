/* A depend clause, as GCC's ABI passes it. For taskdep*.c. */
#pragma once

#include "base/check.h"
#include "core/state/types.h"

/* The ABI's numbers for kinds in omp_depend_t objects; NONE is none: a free slot of the table (taskdep_table.h). */
enum ghcomp_depend_kind {
    GHCOMP_DEPEND_NONE,
    GHCOMP_DEPEND_IN = 1,
    GHCOMP_DEPEND_OUT = 2,
    GHCOMP_DEPEND_INOUT = 3,
    GHCOMP_DEPEND_MUTEXINOUTSET = 4,
    GHCOMP_DEPEND_INOUTSET = 5
};

/* The ABI's list. Its first word tells its two forms apart; "outs" are out and inout:
 *
 *     count, number of outs; then `count` addresses: the outs, then in
 *     0, count, numbers of outs, mutexinoutset and in; then addresses in this order, then pointers to omp_depend_t
 */
struct ghcomp_depend_clause {
    size_t count;       /* all */
    size_t outs;        /* the first so many are out */
    size_t mutexes;     /* ... then mutexinoutset */
    size_t ins;         /* ... then in, and the rest are objects */
    bool in_order;      /* mutexinoutset counts as out */
    void **item;
};

static inline struct ghcomp_depend_clause ghcomp_depend_clause_of(void **depend)
{
    if (ghcomp_likely(depend[0] != NULL)) {
        size_t count = (size_t)depend[0], outs = (size_t)depend[1];
        return (struct ghcomp_depend_clause){.count = count, .outs = outs, .ins = count - outs, .item = depend + 2};
    }
    /* An iterator without iterations leaves a list of the first form with a count of 0: it has no third word. */
    if (depend[1] == NULL)
        return (struct ghcomp_depend_clause){.count = 0};
    return (struct ghcomp_depend_clause){.count = (size_t)depend[1],
                                         .outs = (size_t)depend[2],
                                         .mutexes = (size_t)depend[3],
                                         .ins = (size_t)depend[4],
                                         .item = depend + 5};
}

/* The i-th dependence; INOUT counts as OUT. */
static inline enum ghcomp_depend_kind ghcomp_depend_kind_of(const struct ghcomp_depend_clause *clause, size_t i,
                                                            void **address)
{
    *address = clause->item[i];
    if (ghcomp_likely(i < clause->outs))
        return GHCOMP_DEPEND_OUT;
    if (i - clause->outs < clause->mutexes)
        return clause->in_order ? GHCOMP_DEPEND_OUT : GHCOMP_DEPEND_MUTEXINOUTSET;
    if (i - clause->outs - clause->mutexes < clause->ins)
        return GHCOMP_DEPEND_IN;
    void **object = clause->item[i];
    uintptr_t kind = (uintptr_t)object[1];
    if (kind < GHCOMP_DEPEND_IN || kind > GHCOMP_DEPEND_INOUTSET)
        ghcomp_fatal("depend: an omp_depend_t object holds the unknown dependence type %d; initialise it with a depobj "
                     "construct before its use", (int)kind);
    *address = object[0];
    bool out = kind == GHCOMP_DEPEND_INOUT || (kind == GHCOMP_DEPEND_MUTEXINOUTSET && clause->in_order);
    return out ? GHCOMP_DEPEND_OUT : (enum ghcomp_depend_kind)kind;
}

/* omp_all_memory is the address NULL, in out or inout. */
static inline bool ghcomp_depend_names_all(const struct ghcomp_depend_clause *clause)
{
    void *address;
    for (size_t i = 0; i < clause->outs; i++)
        if (ghcomp_unlikely(clause->item[i] == NULL))
            return true;
    for (size_t i = clause->outs + clause->mutexes + clause->ins; i < clause->count; i++)
        if (ghcomp_depend_kind_of(clause, i, &address) == GHCOMP_DEPEND_OUT && address == NULL)
            return true;
    return false;
}
