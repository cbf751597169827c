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
/* copyprivate. Returns NULL to the member that executes the region; the others wait, and get the data that this member
   passes to ghcomp_single_copy_publish. */
void *ghcomp_single_copy_enter(struct ghcomp_member *self);
void ghcomp_single_copy_publish(struct ghcomp_member *self, void *data);
/* The same where the compiled code knows which member executed the region (`mine`): all members get the data of that
   member, valid until every member has passed a barrier. */
void *ghcomp_single_copy_pass(struct ghcomp_member *self, bool mine, void *data);
