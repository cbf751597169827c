/* Sets of CPUs: how they are counted, walked, written and read.
 *
 * A set belongs to its caller; no state here is shared between threads.
 *
 * Called by topology.c, places.c, kmp_places.c, affinity.c, display_affinity.c. Covered by test/unit/places.c.
 */
#include "core/affinity/cpus.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t ghcomp_cpus_count(const struct ghcomp_cpus *cpus)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < GHCOMP_CPU_WORDS; i++)
        count += (uint32_t)__builtin_popcountll(cpus->bits[i]);
    return count;
}

uint32_t ghcomp_cpus_next(const struct ghcomp_cpus *cpus, uint32_t from)
{
    while (from < GHCOMP_MAX_CPUS) {
        uint64_t left = cpus->bits[from / 64] >> from % 64;
        if (left != 0)
            return from + (uint32_t)__builtin_ctzll(left);
        from = (from / 64 + 1) * 64;
    }
    return GHCOMP_MAX_CPUS;
}

size_t ghcomp_cpus_print(const struct ghcomp_cpus *cpus, uint32_t range, char *buffer, size_t size)
{
    size_t used = 0;
    if (size > 0)
        buffer[0] = '\0';
    for (uint32_t cpu = ghcomp_cpus_next(cpus, 0); cpu < GHCOMP_MAX_CPUS;) {
        uint32_t last = cpu;
        while (ghcomp_cpus_has(cpus, last + 1))
            last++;
        if (last - cpu + 1 < range)
            last = cpu;
        char part[32];
        int length = cpu == last ? snprintf(part, sizeof part, "%s%u", used > 0 ? "," : "", cpu)
                                 : snprintf(part, sizeof part, "%s%u-%u", used > 0 ? "," : "", cpu, last);
        if (used < size)
            snprintf(buffer + used, size - used, "%s", part);
        used += (size_t)length;
        cpu = ghcomp_cpus_next(cpus, last + 1);
    }
    return used;
}

void ghcomp_cpus_scan(const char *text, struct ghcomp_cpus *cpus)
{
    memset(cpus, 0, sizeof *cpus);
    while (isdigit((unsigned char)*text)) {
        char *end;
        unsigned long first = strtoul(text, &end, 10), last = first;
        if (*end == '-' && isdigit((unsigned char)end[1]))
            last = strtoul(end + 1, &end, 10);
        for (; first <= last && first < GHCOMP_MAX_CPUS; first++)
            ghcomp_cpus_add(cpus, (uint32_t)first);
        text = *end == ',' ? end + 1 : end;
    }
}
