/* Parallel regions whose members run Haskell. Protocol in region.c; the Haskell side is GHC.OpenMP.Internal.Region. */
#pragma once

#include "haskell/chunk_pool.h"

/* What a region is opened with: machine words, in the layout that GHC.OpenMP.Internal.Region writes. */
struct ghcomp_hs_request {
    intptr_t threads;    /* 0: as many as the environment says, but no more than there are Capabilities */
    intptr_t bind;       /* enum ghcomp_bind, or 0 */
    intptr_t dynamic;    /* dyn-var of the members' implicit tasks: 0, 1, or -1: unchanged */
    intptr_t levels;     /* max-active-levels-var of these tasks, or -1: unchanged */
    intptr_t origin;     /* the Capability that the caller runs on, or -1 */
    intptr_t sharing;    /* 0: an exact region, whose members all run the body; otherwise enum ghcomp_sharing */
    intptr_t count;      /* iterations in the chunk pool: an unsigned number */
    intptr_t chunk;
    void *run_task;      /* StablePtr (Ptr () -> Int -> IO ()): runs a struct ghcomp_hs_task */
};

struct ghcomp_hs_region {
    intptr_t size;                 /* region: members; GHC.OpenMP.Internal.Region reads it as the first word */
    void *body;                    /* StablePtr (Ptr () -> Int -> IO ()) */
    struct ghcomp_team *team;      /* region */
    const struct ghcomp_hs_request *request;
    _Atomic uint32_t cancelled;    /* atomic(relaxed): members read it between chunks */
    _Atomic uint32_t killed;       /* a member's body was ended from outside; atomic(relaxed), read after the join */
    struct ghcomp_chunk_pool pool;
};

/* The calling thread's member if that is in the region's team and runs its implicit task, otherwise NULL. */
struct ghcomp_member *ghcomp_hs_member(const struct ghcomp_hs_region *region);
/* Cancels the region (region.c). Called by any member of it, or by a thread that runs one of its tasks. */
void ghcomp_hs_cancel(struct ghcomp_hs_region *region);
