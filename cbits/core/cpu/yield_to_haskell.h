/* Regions yield to Haskell. Rules: yield_to_haskell.c. */
#pragma once

#include "core/cpu/cpu_account.h"
#include "core/cpu/cpu_load.h"

/* Called by a thread before its outermost region: may leave its CPU to Haskell for a while. `adapts`: the region adapts
   (dyn-var). */
void ghcomp_yield_to_haskell_before(struct ghcomp_thread *self, bool adapts);

/* Called by a member in the runtime: may leave its CPU to a running collection, if its region has lasted for
   `long_ticks`. */
void ghcomp_yield_to_haskell_slow(struct ghcomp_member *self, uint64_t long_ticks);
/* Called by a member that is about to take a chunk or a task. */
static inline void ghcomp_yield_to_haskell(struct ghcomp_member *self)
{
    enum { LONG_TICKS = 50 * GHCOMP_TICKS_PER_US };
    if (ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_cpu_account_shared)))
        ghcomp_yield_to_haskell_slow(self, LONG_TICKS);
}
/* Called by a member at a barrier. With more threads awake than CPUs the barrier yields the CPU anyway. */
static inline void ghcomp_yield_to_haskell_at_barrier(struct ghcomp_member *self)
{
    enum { LONGER_THAN_A_SLICE_TICKS = 4000 * GHCOMP_TICKS_PER_US };
    if (ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_cpu_account_shared)) &&
        ghcomp_load_relaxed(&ghcomp_cpu_load.awake) < ghcomp_cpu_load.cpus)
        ghcomp_yield_to_haskell_slow(self, LONGER_THAN_A_SLICE_TICKS);
}
