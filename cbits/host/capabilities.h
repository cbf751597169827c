/* What the Capabilities of the host's RTS do at this moment, seen from outside. Protocol in capabilities.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How much can be seen. */
enum ghcomp_capability_visibility {
    GHCOMP_VISIBILITY_NONE,    /* the host has no Capabilities, or none that can be looked at */
    GHCOMP_VISIBILITY_UNAWARE, /* they are not where they should be: nothing is looked at any more */
    GHCOMP_VISIBILITY_AWARE
};
enum ghcomp_capability_visibility ghcomp_capabilities_visibility(void);
/* Whether all that Haskell may use have been found. */
bool ghcomp_capabilities_found(void);

/* How many of those that Haskell may use are held by a thread, at most a microsecond ago; 0 without visibility. Any thread,
   at any time. */
uint32_t ghcomp_capabilities_busy(void);
/* Whether a collection is at work, or waits for a Haskell thread to stop, as far as it can be seen: one thread holds
   several Capabilities, or has been told to stop and has not gone on. Looks anew. */
bool ghcomp_capabilities_collecting(void);
/* The same, at most `within` ticks ago; `ticks` is the time stamp counter now. */
bool ghcomp_capabilities_collecting_lately(uint64_t ticks, uint32_t within);

/* The Capability of that number, and whether it is held now; NULL when it has not been found yet. For
   cbits/haskell/capability_claim.c, which goes on with what is found here. */
void *ghcomp_capability(uint32_t number);
bool ghcomp_capability_held(void *capability);
/* A Capability that the caller holds by the Task that it always holds Capabilities by: learns where it is, and checks
   that it can be looked at. *task is the caller's own, NULL before its first time. */
void ghcomp_capability_learn(void *capability, void **task);
/* After it has been given back. */
void ghcomp_capability_learnt(void *capability, void *task);

/* The host has been chosen: starts to look for its Capabilities. */
void ghcomp_capabilities_start(void);
/* In the child of fork(), and before the RTS ends: nothing is looked at any more. */
void ghcomp_capabilities_forget(void);
