/* The differences between processor architectures: a counter for short intervals, the hint in spin loops, a subtraction
 * in memory, the stack pointer, and the settings of the floating-point unit. A port to another architecture adds a part
 * here. (haskell/batch.c depends on the calling convention, too.) The memory orders in atomic.h are C11's, for all
 * architectures.
 *
 * Included by atomic.h, which gives the counter and the hint their public names, and by task.h, which measures the
 * stack by the stack pointer. The floating-point settings go from the master to its workers with the mail
 * (core/sync/mailbox.h, core/team/pool.c). Covered by test/unit/machine.c and
 * test/conformance/parallel/float_environment.c; for aarch64 by `make check-aarch64`.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)

/* The time stamp counter. Its ticks have no fixed length: processors count 2,000 to 4,000 of them in a microsecond.
   Intervals in ticks are written as multiples of GHCOMP_TICKS_PER_US, which is right for a counter at 3 GHz, so they
   may be a third longer or shorter. */
enum { GHCOMP_TICKS_PER_US = 3000 };
static inline uint64_t ghcomp_machine_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

static inline void ghcomp_machine_pause(void)
{
    __builtin_ia32_pause();
}

/* Takes one of *n; false: it is 0. For a word that only its owner writes. Others may read it, relaxed, and may see 2^64
   - 1 for a moment. */
static inline bool ghcomp_machine_take(uint64_t *n)
{
    bool none;
    __asm__ volatile("subq $1, %0" : "+m"(*n), "=@ccc"(none));
    if (__builtin_expect(none, 0))
        __atomic_store_n(n, (uint64_t)0, __ATOMIC_RELAXED);
    return !none;
}

/* In assembly, because __builtin_frame_address would give the function a frame. */
static inline uintptr_t ghcomp_machine_stack(void)
{
    uintptr_t pointer;
    __asm__("mov %%rsp, %0" : "=r"(pointer));
    return pointer;
}

/* SSE's control and status word, and x87's control word. Packed, since the mail has six bytes for them. */
struct ghcomp_float_control {
    uint32_t mxcsr;
    uint16_t x87;
} __attribute__((packed, aligned(2)));

static inline struct ghcomp_float_control ghcomp_float_control(void)
{
    struct ghcomp_float_control now = {.mxcsr = __builtin_ia32_stmxcsr()};
    __asm__ volatile("fnstcw %0" : "=m"(now.x87));
    return now;
}

/* "memory": compilers regard functions that depend on the settings, such as fegetround(), as pure. */
static inline void ghcomp_float_control_take(struct ghcomp_float_control wanted)
{
    /* Leaves out the low six bits of MXCSR, which are sticky exception flags, not settings. */
    struct ghcomp_float_control now = ghcomp_float_control();
    if ((now.mxcsr ^ wanted.mxcsr) & ~0x3fu)
        __builtin_ia32_ldmxcsr(wanted.mxcsr & ~0x3fu);
    if (now.x87 != wanted.x87)
        __asm__ volatile("fldcw %0" : : "m"(wanted.x87) : "memory");
}

#elif defined(__aarch64__)

/* The virtual counter, in nanoseconds. Its frequency, 24 MHz to 1 GHz, is a register. Reading that each time costs less
   than reading the counter, and needs no state. If the firmware has left it 0, ticks pass so fast that all intervals
   end at once. */
enum { GHCOMP_TICKS_PER_US = 1000 };
static inline uint64_t ghcomp_machine_ticks(void)
{
    uint64_t count, frequency;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
    __asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
    uint64_t scale = (UINT64_C(1000000000) << 32) / (frequency + (frequency == 0));
    return (uint64_t)((unsigned __int128)count * scale >> 32);
}

/* The instruction called yield does nothing on most cores. isb takes some tens of cycles, as x86's pause does. */
static inline void ghcomp_machine_pause(void)
{
    __asm__ volatile("isb" : : : "memory");
}

/* Takes one of *n; false: it is 0. For a word that its owner alone writes, while others may read it, relaxed. */
static inline bool ghcomp_machine_take(uint64_t *n)
{
    uint64_t left = __atomic_load_n(n, __ATOMIC_RELAXED);
    if (__builtin_expect(left == 0, 0))
        return false;
    __atomic_store_n(n, left - 1, __ATOMIC_RELAXED);
    return true;
}

static inline uintptr_t ghcomp_machine_stack(void)
{
    uintptr_t pointer;
    __asm__("mov %0, sp" : "=r"(pointer));
    return pointer;
}

/* FPCR: rounding, denormals, the form of NaNs, traps. The sticky exception flags are in another register. */
struct ghcomp_float_control {
    uint32_t fpcr;
};

static inline struct ghcomp_float_control ghcomp_float_control(void)
{
    uint64_t fpcr;
    __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
    return (struct ghcomp_float_control){(uint32_t)fpcr};
}

static inline void ghcomp_float_control_take(struct ghcomp_float_control wanted)
{
    if (ghcomp_float_control().fpcr != wanted.fpcr)
        __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)wanted.fpcr) : "memory");
}

#else
#error "ghc-openmp: this architecture is not known; add its counter, spin hint and floating-point settings to machine.h"
#endif
