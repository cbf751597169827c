/* Parallel regions whose members run Haskell. Protocol in region.c; the Haskell side is OpenMP.Internal.Region. */
#pragma once

#include "haskell/chunk_pool.h"

/* The arguments of a region: machine words, in the layout that OpenMP.Internal.Region writes. */
struct ghcomp_hs_request {
    intptr_t threads;    /* 0: the environment's number, but no more than there are Capabilities */
    intptr_t bind;       /* enum ghcomp_bind, or 0 */
    intptr_t dynamic;    /* dyn-var of the members' implicit tasks: 0, 1, or -1: unchanged */
    intptr_t levels;     /* max-active-levels-var of these tasks, or -1: unchanged */
    intptr_t origin;     /* the Capability that the caller runs on, or -1 */
    intptr_t sharing;    /* 0: an exact region, whose members all run the body; otherwise enum ghcomp_sharing */
    intptr_t count;      /* iterations in the chunk pool: an unsigned number */
    intptr_t chunk;
    void *run_task;      /* StablePtr (Ptr () -> Int -> IO ()): runs a struct ghcomp_hs_task */
    intptr_t opener;     /* the number of the Haskell thread that opens the region */
    /* Written at the region's end: which iterations of the pool have been handed out. If the region could not begin:
       how many threads it could have had, and an errno value. */
    intptr_t taken;      /* dynamic, guided: those below this number */
    intptr_t pieces;     /* static: the number of pieces, and a bit for each that was taken */
    uint64_t claimed[GHCOMP_CHUNK_POOL_PIECES / 64];
};
_Static_assert(offsetof(struct ghcomp_hs_request, taken) == 10 * 8 && sizeof(struct ghcomp_hs_request) == 16 * 8,
               "OpenMP.Internal.Region writes and reads this many words");

/* The ends of the call of a region; OpenMP.Internal.Region has the same values. */
enum ghcomp_hs_end {
    GHCOMP_HS_OVER,
    GHCOMP_HS_KILLED,     /* some member's body was ended from outside */
    GHCOMP_HS_IMPOSSIBLE  /* the region has not begun, because its threads could not be made */
};

struct ghcomp_hs_region {
    intptr_t size;                 /* region: members; OpenMP.Internal.Region reads it as the first word */
    void *body;                    /* StablePtr (Ptr () -> Int -> IO ()) */
    struct ghcomp_team *team;      /* region */
    const struct ghcomp_hs_request *request;
    const struct ghcomp_hs_region *outer; /* the region that the opening thread is inside of (critical.c), or NULL */
    _Atomic uint32_t cancelled;    /* atomic(relaxed): members read it at constructs */
    _Atomic uint32_t killed;       /* a member's body was ended from outside; atomic(relaxed), read after the join */
    /* For finding barriers at which members wait but to which others will not come (construct.c). */
    _Atomic uint64_t barrier;      /* the highest number of a barrier that a member has waited at; atomic(seq_cst) */
    _Atomic uint64_t barriers_of;  /* the fewest barriers, plus 1, of the members that have left their body; 0: none
                                      has left; atomic(seq_cst) */
    struct ghcomp_chunk_pool pool;
};

/* A member's position in its loop: machine words, which OpenMP.Internal.Region zeroes. */
struct ghcomp_hs_words {
    struct ghcomp_hs_region *region; /* NULL: the body is resumed after the region's end */
    uint64_t begin, end;             /* its chunk */
    struct ghcomp_chunk_reserve reserve;
};
_Static_assert(sizeof(struct ghcomp_hs_words) == 64, "OpenMP.Internal.Region allocates this much");

/* The calling thread's member if that is in the region's team and runs its implicit task, otherwise NULL. */
struct ghcomp_member *ghcomp_hs_member(const struct ghcomp_hs_region *region);
/* Cancels the region (region.c). Called by any member of it, or by a thread that runs one of its tasks. */
void ghcomp_hs_cancel(struct ghcomp_hs_region *region);
