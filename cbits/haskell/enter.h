/* Entering Haskell from a member of a region, or from any thread. Protocol in enter.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/state/types.h"

/* The ends of an entry. */
enum ghcomp_entry {
    GHCOMP_ENTRY_DONE,
    GHCOMP_ENTRY_KILLED,  /* an exception left the action, or the RTS shuts down */
    GHCOMP_ENTRY_DECLINED /* there was no Capability */
};

/* The Capability by which a thread enters Haskell. */
struct ghcomp_entrance {
    int home;     /* number of the preferred Capability, or -1: any */
    int wish;     /* the Capability that the thread's other in-calls prefer: a worker's home, -1 for other threads */
    int claimed;  /* result of ghcomp_capability_claim; NONE: wait for `home` */
};

/* The calling thread's entrance; `origin` is the Capability that the caller of the region ran on, or -1. */
struct ghcomp_entrance ghcomp_entrance_of(const struct ghcomp_member *self, int origin);
/* Claims a Capability for an entry that must take place: waits for a short time if none is idle. */
void ghcomp_entrance_claim(struct ghcomp_entrance *entrance);

/* Enters Haskell by that entrance and applies `action`, a StablePtr to a function of type Ptr () -> Int -> IO (), to
   `pointer` and `number`. Any thread that holds no Capability. */
enum ghcomp_entry ghcomp_enter(void *action, void *pointer, intptr_t number, const struct ghcomp_entrance *entrance);
