/* Critical sections for Haskell code. Protocol in critical.c. */
#pragma once

#include "haskell/region.h"

/* The region and the sections that the Haskell code on the calling OS thread is in. */
struct ghcomp_hs_here {
    const struct ghcomp_hs_region *inside; /* the region whose body or task it runs; NULL: none */
    uint32_t held;                         /* critical sections that it is in, within that body */
};
extern _Thread_local struct ghcomp_hs_here ghcomp_hs_here;

/* Records that the calling OS thread enters a body or a task of the region. The caller restores the result, the former
   value, afterwards. */
static inline struct ghcomp_hs_here ghcomp_hs_go_inside(const struct ghcomp_hs_region *region)
{
    struct ghcomp_hs_here outer = ghcomp_hs_here;
    ghcomp_hs_here = (struct ghcomp_hs_here){.inside = region};
    return outer;
}
