/* Parallel regions whose members run Haskell. Protocol in region.c; the Haskell side is GHC.OpenMP.Internal.Region. */
#pragma once

#include "haskell/chunk_pool.h"

/* What a region is asked for. The layout is known to GHC.OpenMP.Internal.Region: words of the machine. */
struct ghcomp_hs_request {
    intptr_t threads;    /* 0: as many as the environment says, but no more than there are Capabilities */
    intptr_t bind;       /* enum ghcomp_bind, or 0 */
    intptr_t dynamic;    /* dyn-var of the bodies' tasks: 0, 1, or -1: as it is */
    intptr_t levels;     /* their max-active-levels-var, or -1: as it is */
    intptr_t origin;     /* the Capability that the caller runs on, or -1 */
    intptr_t sharing;    /* 0: an exact region, whose members all run the body; else enum ghcomp_sharing */
    intptr_t count;      /* the share's iterations: an unsigned number */
    intptr_t chunk;
    void *run_task;      /* StablePtr (Ptr () -> Int -> IO ()): runs a struct ghcomp_hs_task */
};

struct ghcomp_hs_region {
    intptr_t size;                 /* region: members; the first word, for GHC.OpenMP.Internal.Region */
    void *body;                    /* StablePtr (Ptr () -> Int -> IO ()) */
    struct ghcomp_team *team;      /* region */
    const struct ghcomp_hs_request *request;
    _Atomic uint32_t cancelled;    /* atomic(relaxed): members look at it between chunks */
    _Atomic uint32_t killed;       /* a member's body did not end by itself; atomic(relaxed), read after the join */
    struct ghcomp_chunk_pool share;
};

/* The calling thread's member when it is in the region's team and runs its implicit task, else NULL. */
struct ghcomp_member *ghcomp_hs_member(const struct ghcomp_hs_region *region);
/* Stops what can be stopped. By any member of the region, or by a thread that runs one of its tasks. */
void ghcomp_hs_cancel(struct ghcomp_hs_region *region);
