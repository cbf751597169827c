/* The present state of the Capabilities of the host's RTS, read from outside. Protocol: capabilities.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether their state can be read. */
enum ghcomp_capability_visibility {
    GHCOMP_VISIBILITY_NONE,    /* the host has no Capabilities, or none whose state can be read */
    GHCOMP_VISIBILITY_UNAWARE, /* a check failed: nothing is read any more */
    GHCOMP_VISIBILITY_AWARE
};
enum ghcomp_capability_visibility ghcomp_capabilities_visibility(void);
/* Whether all Capabilities that Haskell may use have been found. */
bool ghcomp_capabilities_found(void);

/* How many of the Capabilities that Haskell may use are held by a thread, or were at most a microsecond ago; 0 without
   visibility. Any thread, at any time. */
uint32_t ghcomp_capabilities_busy(void);
/* Whether a garbage collection runs, or waits for a Haskell thread to stop, by two signs: one thread holds several
   Capabilities, or the Haskell thread of one has a request to stop and has not continued. Reads the state anew. */
bool ghcomp_capabilities_collecting(void);
/* The same, with an answer that is at most `within` ticks old; `ticks` is the time stamp counter now. */
bool ghcomp_capabilities_collecting_lately(uint64_t ticks, uint32_t within);
/* Whether one thread holds several Capabilities, as in a collection by that thread alone, at both of the last two
   looks. The last look is at most `within` ticks old, and the two are at least `within` apart: so the collection is
   long, or its thread has no CPU. */
bool ghcomp_capabilities_held_together_lately(uint64_t ticks, uint32_t within);

/* For cbits/haskell/capability_claim.c. The first returns the Capability of that number, or NULL if it has not been
   found yet; the second whether a Capability is held now. */
void *ghcomp_capability(uint32_t number);
bool ghcomp_capability_held(void *capability);
/* Learns the address of a Capability that the caller holds, and checks that its state can be read. The caller must hold
   Capabilities by the same Task each time; *task is the caller's own variable for that Task, NULL at first. */
void ghcomp_capability_learn(void *capability, void **task);
/* The same check after the caller has given the Capability back. */
void ghcomp_capability_learnt(void *capability, void *task);

/* Called when the host has been chosen: begins to find its Capabilities. */
void ghcomp_capabilities_start(void);
/* Called in the child of fork(), and before the RTS ends: from then on no Capability is read. */
void ghcomp_capabilities_forget(void);
