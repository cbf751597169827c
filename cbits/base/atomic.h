/* Atomic operations and the CPU's spin hint: the only file that names memory orders of C11.
 * docs/internals/design.md has the arguments for machines whose order is weaker than x86-64's.
 *
 * The name of an operation contains its order: a load_acquire pairs with a store_release, xchg_acqrel, add_acqrel or
 * cas_* of the same word. A comment beside each field names the pairs. All operations are generic over integer and
 * pointer types.
 *
 * Shared fields are declared with _Atomic. A plain access to one compiles and is silently sequentially consistent, so
 * code uses the names below only.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/machine.h"

#define GHCOMP_CACHE_LINE 64
/* Distance of fields that different threads write: the CPU fetches adjacent lines in pairs. */
#define GHCOMP_PAD_LINE 128
#define GHCOMP_ALIGNED __attribute__((aligned(GHCOMP_CACHE_LINE)))
#define GHCOMP_ALIGNED_PAIR __attribute__((aligned(GHCOMP_PAD_LINE)))
/* For functions of constructs that take a few nanoseconds: alignment to cache lines makes a difference of a tenth, and
   must not depend on changes elsewhere. */
#define GHCOMP_HOT_CODE GHCOMP_ALIGNED

#define ghcomp_likely(x) __builtin_expect(!!(x), 1)
#define ghcomp_unlikely(x) __builtin_expect(!!(x), 0)

/* For data that hot paths read: without it, position-independent code loads the data's address from the GOT, because
   another object might define the name. Functions do not need it. */
#define GHCOMP_OWN __attribute__((visibility("hidden")))

/* Thread-local data off the hot paths: in the shared objects it needs no static storage (core/state/self.h). A thread's
   first access may allocate, so signal handlers must not access it. */
#define GHCOMP_TLS_COLD __attribute__((tls_model("local-dynamic")))

/* Writes a plain field only when the value changes, so that its cache line stays with the threads that read it. */
#define ghcomp_keep(field, value) \
    do { \
        if ((field) != (value)) \
            (field) = (value); \
    } while (0)

#define ghcomp_load_relaxed(p) atomic_load_explicit((p), memory_order_relaxed)
#define ghcomp_load_acquire(p) atomic_load_explicit((p), memory_order_acquire)
#define ghcomp_store_relaxed(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define ghcomp_store_release(p, v) atomic_store_explicit((p), (v), memory_order_release)

/* For algorithms that need one order of all threads' stores and loads (deque.h; task_team.c, with the eventcount;
   cpu_account.c and admission.c). On x86-64 the load costs no more than a plain one, and the exchange is the fence. */
#define ghcomp_load_seqcst(p) atomic_load_explicit((p), memory_order_seq_cst)
#define ghcomp_add_seqcst(p, v) atomic_fetch_add_explicit((p), (v), memory_order_seq_cst)
#define ghcomp_xchg_seqcst(p, v) atomic_exchange_explicit((p), (v), memory_order_seq_cst)
#define ghcomp_cas_seqcst(p, expected, v) \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_seq_cst, memory_order_seq_cst)

#define ghcomp_xchg_relaxed(p, v) atomic_exchange_explicit((p), (v), memory_order_relaxed)
#define ghcomp_xchg_acqrel(p, v) atomic_exchange_explicit((p), (v), memory_order_acq_rel)

#define ghcomp_add_relaxed(p, v) atomic_fetch_add_explicit((p), (v), memory_order_relaxed)
#define ghcomp_add_acqrel(p, v) atomic_fetch_add_explicit((p), (v), memory_order_acq_rel)
#define ghcomp_add_release(p, v) atomic_fetch_add_explicit((p), (v), memory_order_release)
#define ghcomp_sub_relaxed(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_relaxed)
#define ghcomp_sub_acqrel(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_acq_rel)
#define ghcomp_sub_seqcst(p, v) atomic_fetch_sub_explicit((p), (v), memory_order_seq_cst)
#define ghcomp_or_relaxed(p, v) atomic_fetch_or_explicit((p), (v), memory_order_relaxed)
#define ghcomp_or_acqrel(p, v) atomic_fetch_or_explicit((p), (v), memory_order_acq_rel)
#define ghcomp_and_relaxed(p, v) atomic_fetch_and_explicit((p), (v), memory_order_relaxed)
#define ghcomp_and_acqrel(p, v) atomic_fetch_and_explicit((p), (v), memory_order_acq_rel)

/* Compare and swap. True on success; on failure *expected has the word's value (read with acquire where the name has
   an acquire in it, else relaxed). */
#define ghcomp_cas_relaxed(p, expected, v) \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_relaxed, memory_order_relaxed)
#define ghcomp_cas_acquire(p, expected, v) \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_acquire, memory_order_acquire)
#define ghcomp_cas_release(p, expected, v) \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_release, memory_order_relaxed)
#define ghcomp_cas_acqrel(p, expected, v) \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_acq_rel, memory_order_acquire)
#define ghcomp_cas_weak_relaxed(p, expected, v) \
    atomic_compare_exchange_weak_explicit((p), (expected), (v), memory_order_relaxed, memory_order_relaxed)

/* The light side of a pair of fences whose heavy side is ghcomp_os_fence_all: between a store and a load, for the
   compiler alone. It costs no instruction; the heavy side makes it a fence of the processor. */
#define ghcomp_fence_light() atomic_signal_fence(memory_order_seq_cst)

/* Between the stores that fill a struct and the one that publishes it to a signal handler in the same thread. For the
   compiler alone, as above. */
#define ghcomp_fence_handler() atomic_signal_fence(memory_order_release)

/* Words of GHC's RTS and of programs, which are not declared with _Atomic. */
#define ghcomp_foreign_load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define ghcomp_foreign_load_seqcst(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define ghcomp_foreign_store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define ghcomp_foreign_store_seqcst(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
#define ghcomp_foreign_cas_seqcst(p, expected, v) \
    __atomic_compare_exchange_n((p), (expected), (v), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#define ghcomp_foreign_take(n) ghcomp_machine_take(n)

/* A counter for intervals where reading the clock costs too much. Intervals in its ticks are multiples of
   GHCOMP_TICKS_PER_US, whose accuracy depends on the machine (machine.h). */
static inline uint64_t ghcomp_cpu_ticks(void)
{
    return ghcomp_machine_ticks();
}

/* One step of a spin loop: hints to the CPU that this thread only waits. */
static inline void ghcomp_cpu_pause(void)
{
    ghcomp_machine_pause();
}

/* The same for a loop that would make at most `most` (at least 1) such steps before it does anything but poll. Returns
   the number of steps made: 1, except in the simulator, which skips time in which nothing happens. */
static inline uint32_t ghcomp_cpu_pauses(uint32_t most)
{
    (void)most;
    ghcomp_machine_pause();
    return 1;
}
