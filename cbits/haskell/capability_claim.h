/* Claims on Capabilities, for threads that enter Haskell. Protocol in capability_claim.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    GHCOMP_CAPABILITY_NONE = -1, /* none is idle */
    GHCOMP_CAPABILITY_ANY = -2   /* the idle ones are not known: the RTS chooses */
};

/* Capabilities that Haskell may use now. */
uint32_t ghcomp_capability_count(void);

/* Claims an idle Capability, searching from number `home` upwards, so that no other thread of the runtime claims it
   before the caller is inside. Returns its number, or one of the above. Any thread; never waits. */
int ghcomp_capability_claim(int home);

/* Whether there is a Capability that no thread holds or claims, as far as is known; true when the Capabilities are not
   visible. */
bool ghcomp_capability_idle(void);

/* Called right after rts_lock, with the Capability that it returned and the result of ghcomp_capability_claim: gives
   the claim back and records that Capability's address. */
void ghcomp_capability_entered(void *capability, int claimed);
/* Called after rts_unlock: checks that the recorded address is right. */
void ghcomp_capability_left(void *capability);

/* Number of the Capability that the caller runs on. From an unsafe foreign call only. */
int ghcomp_hs_capability_here(void) __attribute__((visibility("default")));
