/* The places of values in GHC's RTS that its headers define and its symbols do not: for an RTS that is found in a
 * process without its headers (host_find.c). The places are the same in all variants of a version's RTS. For a version
 * without a row, the features that need it are off. Covered by test/host/layout.sh, which compares the row of the GHC
 * at hand with its headers.
 */
#pragma once

#include <stdint.h>

struct ghcomp_rts_layout {
    const char *version;         /* the beginning of the compiler's version */
    uint32_t interrupt_offset;   /* in a Capability: host.h */
    uint32_t flags_size;         /* of RtsFlags; 0: not used */
    uint32_t first_capabilities; /* in RtsFlags, ParFlags.nCapabilities: their number at the start */
    uint32_t collector_threads;  /* in RtsFlags, ParFlags.parGcThreads */
};

#define GHCOMP_RTS_LAYOUTS {{"9.0.", 1180, 440, 400, 432}, {"9.6.", 1196, 0, 0, 0}, {"9.10.", 1196, 0, 0, 0}}
