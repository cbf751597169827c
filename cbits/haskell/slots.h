/* Slots: StablePtrs that one task's action after another is kept in. Protocol in slots.c. */
#pragma once

#include <stdbool.h>

/* A spare slot, or NULL. For an unsafe call. */
void *ghcomp_hs_slot_take(void);
/* Keeps an empty slot. False: there are enough, and the caller frees it. For an unsafe call. */
bool ghcomp_hs_slot_keep(void *slot);
