/* Atomic operations and the CPU's spin hint: the only file that spells memory orders.
 *
 * The name of an operation says its order, so that a call reads as the argument for it: load_acquire pairs with a
 * store_release, xchg_acqrel, add_acqrel or cas_* of the same word. Every use names its partner in a comment beside
 * the field it works on. Everything here is generic over integer and pointer types.
 *
 * Shared fields are declared with _Atomic. A plain access to one would compile, and be sequentially consistent without
 * saying so: code uses these names, always.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GHCOMP_CACHE_LINE 64
/* Fields that different threads write stand this far apart: adjacent lines are fetched in pairs. */
#define GHCOMP_PAD_LINE 128
#define GHCOMP_ALIGNED __attribute__((aligned(GHCOMP_CACHE_LINE)))
#define GHCOMP_ALIGNED_PAIR __attribute__((aligned(GHCOMP_PAD_LINE)))

#define ghcomp_likely(x) __builtin_expect(!!(x), 1)
#define ghcomp_unlikely(x) __builtin_expect(!!(x), 0)

/* A plain field that others read often and that is written often with what it says already: stays with its readers. */
#define ghcomp_keep(field, value) \
    do { \
        if ((field) != (value)) \
            (field) = (value); \
    } while (0)

#define ghcomp_load_relaxed(p) atomic_load_explicit((p), memory_order_relaxed)
#define ghcomp_load_acquire(p) atomic_load_explicit((p), memory_order_acquire)
#define ghcomp_store_relaxed(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define ghcomp_store_release(p, v) atomic_store_explicit((p), (v), memory_order_release)

/* Where one order of all threads' stores and loads is needed (deque.h; task_team.c, with the eventcount; cpu_account.c and
   admission.c): on x86-64 the load costs nothing more, and the exchange is the fence. */
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
#define ghcomp_or_relaxed(p, v) atomic_fetch_or_explicit((p), (v), memory_order_relaxed)
#define ghcomp_or_acqrel(p, v) atomic_fetch_or_explicit((p), (v), memory_order_acq_rel)
#define ghcomp_and_relaxed(p, v) atomic_fetch_and_explicit((p), (v), memory_order_relaxed)
#define ghcomp_and_acqrel(p, v) atomic_fetch_and_explicit((p), (v), memory_order_acq_rel)

/* Compare and swap: true on success; on failure *expected holds what was there (read with acquire where the name has
   an acquire in it, relaxed otherwise). */
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

/* Words of somebody else, which are not declared with _Atomic: those of GHC's RTS. */
#define ghcomp_foreign_load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define ghcomp_foreign_store_seqcst(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)

/* The time stamp counter, for intervals where the clock costs too much. Its ticks have no fixed unit: processors count
   2,000 to 4,000 of them in a microsecond. Every interval in ticks is written as a multiple of GHCOMP_TICKS_PER_US, that
   of a counter at 3 GHz, and may be a third longer or shorter. */
enum { GHCOMP_TICKS_PER_US = 3000 };
static inline uint64_t ghcomp_cpu_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

/* One step of a spin loop: tells the core that nothing useful happens here. */
static inline void ghcomp_cpu_pause(void)
{
    __builtin_ia32_pause();
}
