/* The end of an ordered region on observed paths, which gcc's code and clang's have in common. Callers:
 * gomp/gomp_ordered.c, kmp/kmp_ordered.c. Covered by test/ompt/exclusion.c and test/tsan. */
#pragma once

#include "abi/observed/lock.h"
#include "core/worksharing/ordered.h"

OBSERVED_PATH void ordered_end_observed(const void *return_address, void *frame)
{
    bool listens = tool_listens(return_address, frame);
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_ordered_leave(self);
    if (listens)
        ghcomp_tool_mutex_given(ompt_mutex_ordered, self->share);
}
