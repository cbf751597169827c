/* Sets of CPUs, laid out as the kernel's masks are. Their functions are in cpus.c. */
#pragma once

#include "base/atomic.h"

/* CPUs from this number on are never used; Linux is not built for more. */
#define GHCOMP_MAX_CPUS 8192u
#define GHCOMP_CPU_WORDS (GHCOMP_MAX_CPUS / 64u)

struct ghcomp_cpus {
    uint64_t bits[GHCOMP_CPU_WORDS]; /* laid out as the kernel's mask is */
};

static inline bool ghcomp_cpus_has(const struct ghcomp_cpus *cpus, uint32_t cpu)
{
    return cpu < GHCOMP_MAX_CPUS && (cpus->bits[cpu / 64] >> cpu % 64 & 1);
}

static inline void ghcomp_cpus_add(struct ghcomp_cpus *cpus, uint32_t cpu)
{
    if (cpu < GHCOMP_MAX_CPUS)
        cpus->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

uint32_t ghcomp_cpus_count(const struct ghcomp_cpus *cpus);
/* The smallest CPU that is >= `from`, or GHCOMP_MAX_CPUS. */
uint32_t ghcomp_cpus_next(const struct ghcomp_cpus *cpus, uint32_t from);
/* From how many consecutive CPUs on a hyphen is used: by the kernel and libgomp, and by libomp. */
enum { GHCOMP_CPUS_RANGE = 2, GHCOMP_CPUS_RANGE_OF_LIBOMP = 3 };
/* "0-3,8". snprintf's contract. */
size_t ghcomp_cpus_print(const struct ghcomp_cpus *cpus, uint32_t range, char *buffer, size_t size);
/* Parses such a list, up to the first text that does not fit the form. */
void ghcomp_cpus_scan(const char *text, struct ghcomp_cpus *cpus);
