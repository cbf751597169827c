/* Numbers that one thread writes and the report reads at any time: atomic and relaxed, they order nothing. */
#pragma once

#include <stdint.h>

#include "base/atomic.h"

/* A number that one thread writes. */
typedef _Atomic uint64_t counter;

static inline void profile_add(counter *n, uint64_t amount)
{
    ghcomp_store_relaxed(n, ghcomp_load_relaxed(n) + amount);
}

static inline void profile_raise(counter *n, uint64_t value)
{
    if (value > ghcomp_load_relaxed(n))
        ghcomp_store_relaxed(n, value);
}
