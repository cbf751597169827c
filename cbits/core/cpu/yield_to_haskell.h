/* Regions yield to Haskell. Rules: yield_to_haskell.c. */
#pragma once

#include "core/cpu/cpu_account.h"
#include "core/cpu/cpu_load.h"

/* Before an outermost region, which adapts or not: may leave its CPU to Haskell for a while. Own thread, in no
   region. */
void ghcomp_yield_to_haskell_before(struct ghcomp_thread *self, bool adapts);

/* The member calls the runtime, and may leave its CPU to a collection that is running, if its region is a long one. Own
   thread. */
void ghcomp_yield_to_haskell_slow(struct ghcomp_member *self, uint64_t long_ticks);
/* The member is about to take more work, a chunk or a task. */
static inline void ghcomp_yield_to_haskell(struct ghcomp_member *self)
{
    enum { LONG_TICKS = 50 * GHCOMP_TICKS_PER_US };
    if (ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_cpu_account_shared)))
        ghcomp_yield_to_haskell_slow(self, LONG_TICKS);
}
/* The member has arrived at a barrier. With more threads awake than CPUs it yields its CPU there anyway. */
static inline void ghcomp_yield_to_haskell_at_barrier(struct ghcomp_member *self)
{
    enum { LONGER_THAN_A_SLICE_TICKS = 4000 * GHCOMP_TICKS_PER_US };
    if (ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_cpu_account_shared)) &&
        ghcomp_load_relaxed(&ghcomp_cpu_load.awake) < ghcomp_cpu_load.cpus)
        ghcomp_yield_to_haskell_slow(self, LONGER_THAN_A_SLICE_TICKS);
}
