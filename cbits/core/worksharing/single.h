/* Single regions. Protocol in single.c. */
#pragma once

#include "core/worksharing/workshare.h"

/* True for the one member that executes the region. Inline, because its entries do nothing else. */
static inline bool ghcomp_single_enter(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    if (team->size == 1)
        return true;
    uint32_t number = self->singles++;
    /* Relaxed: the claim orders nothing, the barrier after the construct does. */
    return ghcomp_load_relaxed(&team->barrier.singles) == number &&
           ghcomp_cas_relaxed(&team->barrier.singles, &number, number + 1);
}
/* copyprivate. enter: true for the member that executes the region. Then that member calls give, and the others call
   get, which returns its data. Both wait in a barrier; the data stays valid until the next one. */
bool ghcomp_single_copy_enter(struct ghcomp_member *self);
void ghcomp_single_copy_give(struct ghcomp_member *self, void *data);
void *ghcomp_single_copy_get(struct ghcomp_member *self);
/* The same behind a region without copyprivate, which the calling member has executed, if `mine`. */
void *ghcomp_single_copy_pass(struct ghcomp_member *self, bool mine, void *data);
