/* Atomic operations for the explorer: takes the place of cbits/base/atomic.h, name by name, so that the runtime's own
 * files can be run under engine/explore.c. Each operation is one call into the explorer, which may run other threads
 * before it. test/scripts/explore_test.py compares the two. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/machine.h"

#define GHCOMP_CACHE_LINE 64
#define GHCOMP_PAD_LINE 128
#define GHCOMP_ALIGNED __attribute__((aligned(GHCOMP_CACHE_LINE)))
#define GHCOMP_ALIGNED_PAIR __attribute__((aligned(GHCOMP_PAD_LINE)))
#define GHCOMP_HOT_CODE

#define ghcomp_likely(x) __builtin_expect(!!(x), 1)
#define ghcomp_unlikely(x) __builtin_expect(!!(x), 0)

#define GHCOMP_TLS_COLD
#define GHCOMP_OWN __attribute__((visibility("hidden")))

#define ghcomp_keep(field, value) \
    do { \
        if ((field) != (value)) \
            (field) = (value); \
    } while (0)

/* The order of an operation. Under total store order a read-modify-write waits until the thread's earlier stores are
   visible. On x86-64 all do; the relaxed ones do not here, since C11 does not require it. */
enum explore_order { EXPLORE_RELAXED, EXPLORE_ACQUIRE, EXPLORE_RELEASE, EXPLORE_ACQREL, EXPLORE_SEQCST };
enum explore_change { EXPLORE_XCHG, EXPLORE_ADD, EXPLORE_SUB, EXPLORE_OR, EXPLORE_AND };

uint64_t explore_load(const volatile void *word, unsigned size, enum explore_order order, const char *file, int line);
void explore_store(volatile void *word, unsigned size, uint64_t value, enum explore_order order, const char *file,
                   int line);
uint64_t explore_change(volatile void *word, unsigned size, enum explore_change change, uint64_t value,
                        enum explore_order order, const char *file, int line);
bool explore_cas(volatile void *word, unsigned size, uint64_t *expected, uint64_t value, enum explore_order order,
                 const char *file, int line);
void explore_pause(void);
uint32_t explore_pauses(uint32_t most);
uint64_t explore_ticks(void);

/* The type of *p without _Atomic. */
#define EXPLORE_TYPE(p) __typeof__((void)0, *(p))
#define EXPLORE_BITS(value) \
    ({ \
        uint64_t explore_bits_ = 0; \
        __builtin_memcpy(&explore_bits_, &(value), sizeof(value)); \
        explore_bits_; \
    })
#define EXPLORE_FROM(type, bits) \
    ({ \
        uint64_t explore_from_ = (bits); \
        type explore_value_; \
        __builtin_memcpy(&explore_value_, &explore_from_, sizeof explore_value_); \
        explore_value_; \
    })
#define EXPLORE_LOAD(p, order) \
    ({ \
        __auto_type explore_p_ = (p); \
        EXPLORE_FROM(EXPLORE_TYPE(explore_p_), \
                     explore_load(explore_p_, sizeof *explore_p_, order, __FILE__, __LINE__)); \
    })
#define EXPLORE_STORE(p, v, order) \
    ({ \
        EXPLORE_TYPE(p) explore_v_ = (v); \
        __auto_type explore_p_ = (p); \
        explore_store(explore_p_, sizeof *explore_p_, EXPLORE_BITS(explore_v_), order, __FILE__, __LINE__); \
    })
#define EXPLORE_CHANGE(p, v, change, order) \
    ({ \
        EXPLORE_TYPE(p) explore_v_ = (v); \
        __auto_type explore_p_ = (p); \
        EXPLORE_FROM(EXPLORE_TYPE(explore_p_), \
                     explore_change(explore_p_, sizeof *explore_p_, change, EXPLORE_BITS(explore_v_), order, \
                                    __FILE__, __LINE__)); \
    })
#define EXPLORE_CAS(p, e, v, order) \
    ({ \
        EXPLORE_TYPE(p) explore_v_ = (v); \
        __auto_type explore_e_ = (e); \
        __auto_type explore_p_ = (p); \
        uint64_t explore_old_ = EXPLORE_BITS(*explore_e_); \
        bool explore_done_ = explore_cas(explore_p_, sizeof *explore_p_, &explore_old_, EXPLORE_BITS(explore_v_), \
                                         order, __FILE__, __LINE__); \
        if (!explore_done_) \
            *explore_e_ = EXPLORE_FROM(EXPLORE_TYPE(explore_p_), explore_old_); \
        explore_done_; \
    })

#define ghcomp_load_relaxed(p) EXPLORE_LOAD(p, EXPLORE_RELAXED)
#define ghcomp_load_acquire(p) EXPLORE_LOAD(p, EXPLORE_ACQUIRE)
#define ghcomp_load_seqcst(p) EXPLORE_LOAD(p, EXPLORE_SEQCST)
#define ghcomp_store_relaxed(p, v) EXPLORE_STORE(p, v, EXPLORE_RELAXED)
#define ghcomp_store_release(p, v) EXPLORE_STORE(p, v, EXPLORE_RELEASE)

#define ghcomp_add_seqcst(p, v) EXPLORE_CHANGE(p, v, EXPLORE_ADD, EXPLORE_SEQCST)
#define ghcomp_xchg_seqcst(p, v) EXPLORE_CHANGE(p, v, EXPLORE_XCHG, EXPLORE_SEQCST)
#define ghcomp_cas_seqcst(p, expected, v) EXPLORE_CAS(p, expected, v, EXPLORE_SEQCST)

#define ghcomp_xchg_relaxed(p, v) EXPLORE_CHANGE(p, v, EXPLORE_XCHG, EXPLORE_RELAXED)
#define ghcomp_xchg_acqrel(p, v) EXPLORE_CHANGE(p, v, EXPLORE_XCHG, EXPLORE_ACQREL)

#define ghcomp_add_relaxed(p, v) EXPLORE_CHANGE(p, v, EXPLORE_ADD, EXPLORE_RELAXED)
#define ghcomp_add_acqrel(p, v) EXPLORE_CHANGE(p, v, EXPLORE_ADD, EXPLORE_ACQREL)
#define ghcomp_add_release(p, v) EXPLORE_CHANGE(p, v, EXPLORE_ADD, EXPLORE_RELEASE)
#define ghcomp_sub_relaxed(p, v) EXPLORE_CHANGE(p, v, EXPLORE_SUB, EXPLORE_RELAXED)
#define ghcomp_sub_acqrel(p, v) EXPLORE_CHANGE(p, v, EXPLORE_SUB, EXPLORE_ACQREL)
#define ghcomp_sub_seqcst(p, v) EXPLORE_CHANGE(p, v, EXPLORE_SUB, EXPLORE_SEQCST)
#define ghcomp_or_relaxed(p, v) EXPLORE_CHANGE(p, v, EXPLORE_OR, EXPLORE_RELAXED)
#define ghcomp_or_acqrel(p, v) EXPLORE_CHANGE(p, v, EXPLORE_OR, EXPLORE_ACQREL)
#define ghcomp_and_relaxed(p, v) EXPLORE_CHANGE(p, v, EXPLORE_AND, EXPLORE_RELAXED)
#define ghcomp_and_acqrel(p, v) EXPLORE_CHANGE(p, v, EXPLORE_AND, EXPLORE_ACQREL)

#define ghcomp_cas_relaxed(p, expected, v) EXPLORE_CAS(p, expected, v, EXPLORE_RELAXED)
#define ghcomp_cas_acquire(p, expected, v) EXPLORE_CAS(p, expected, v, EXPLORE_ACQUIRE)
#define ghcomp_cas_release(p, expected, v) EXPLORE_CAS(p, expected, v, EXPLORE_RELEASE)
#define ghcomp_cas_acqrel(p, expected, v) EXPLORE_CAS(p, expected, v, EXPLORE_ACQREL)
#define ghcomp_cas_weak_relaxed(p, expected, v) EXPLORE_CAS(p, expected, v, EXPLORE_RELAXED)

#define ghcomp_fence_light() ((void)0)
#define ghcomp_fence_handler() ((void)0) /* there are no signal handlers */

#define ghcomp_foreign_load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define ghcomp_foreign_load_seqcst(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define ghcomp_foreign_store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define ghcomp_foreign_store_seqcst(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
#define ghcomp_foreign_cas_seqcst(p, expected, v) \
    __atomic_compare_exchange_n((p), (expected), (v), false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)
#define ghcomp_foreign_take(n) (*(n) != 0 && (*(n) -= 1, true))

static inline uint64_t ghcomp_cpu_ticks(void)
{
    return explore_ticks();
}

static inline void ghcomp_cpu_pause(void)
{
    explore_pause();
}

static inline uint32_t ghcomp_cpu_pauses(uint32_t most)
{
    return explore_pauses(most);
}
