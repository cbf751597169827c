/* The host seam: what the runtime asks of the process it lives in.
 *
 * A host is a table of functions, chosen once, at the first region that needs a worker (host_select.c), from
 * GHCOMP_HOST and from what the process has: GHC's RTS (linked, loaded or booted) or nothing but POSIX threads. The
 * operating system itself is in os.h and the same for every host. core/ calls the inline functions below only.
 *
 * The table is also the ABI between the Haskell library, the companion object and the drop-in: a Haskell program that
 * links our package exports one as `ghcomp_host_table`, and the companion returns one when it boots. New fields go to
 * the end; `abi` counts incompatible changes.
 */
#pragma once

#include "core/atomic.h"

#define GHCOMP_HOST_ABI 1u

struct ghcomp_host {
    uint32_t abi;        /* GHCOMP_HOST_ABI */
    const char *name;    /* "posix" or "ghc" */
    const char *origin;  /* how it was found: "posix", "linked", "loaded", "companion" */
    const char *version; /* of GHC ("9.0.2"), or "" */
    /* Number of Capabilities now (0: no RTS). Any thread. */
    uint32_t (*capabilities)(void);
    /* A new worker with this process-wide number (from 1) introduces itself / leaves for good. Own thread only; holds no
       Capability before or after. */
    void (*worker_start)(uint32_t number);
    void (*worker_stop)(void);
    /* Home Capability of a worker with that number, or -1. Any thread. */
    int (*home)(uint32_t number);
};

/* The host in force; the POSIX host before ghcomp_host_select has run. Never NULL. */
const struct ghcomp_host *ghcomp_host(void);
/* Chooses the host (and boots an RTS if that is the choice). Idempotent, any thread; concurrent callers wait. */
void ghcomp_host_select(void);
/* In the child of fork(): the RTS, if any, is not ours any more; POSIX from here on. */
void ghcomp_host_fork_child(void);

extern const struct ghcomp_host ghcomp_host_posix;
