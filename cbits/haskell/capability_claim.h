/* Which Capability a thread enters Haskell by. Protocol in capability.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    GHCOMP_CAPABILITY_NONE = -1, /* none is idle */
    GHCOMP_CAPABILITY_ANY = -2   /* it is not known which ones are: let the RTS choose */
};

/* Capabilities that Haskell may use now. */
uint32_t ghcomp_capability_count(void);

/* Claims an idle Capability, looking from number `home` upwards, so that no other thread of ours goes for the same one
   before the caller is inside. Any thread; never waits. */
int ghcomp_capability_claim(int home);

/* Whether there is one that nobody holds or claims, as far as it can be seen; true without visibility. */
bool ghcomp_capability_idle(void);

/* What the caller of rts_lock does next, with the Capability that it got and with what it had claimed: gives the claim
   back and learns where that Capability is. */
void ghcomp_capability_entered(void *capability, int claimed);
/* After rts_unlock: the check that what was learnt is true. */
void ghcomp_capability_left(void *capability);

/* Number of the Capability that the caller runs on. From an unsafe foreign call only. */
int ghcomp_hs_capability_here(void) __attribute__((visibility("default")));
