/* Slots: StablePtrs, reused, that hold tasks' actions. Protocol in slots.c. */
#pragma once

#include <stdbool.h>

/* A spare slot, or NULL. For an unsafe call. */
void *ghcomp_hs_slot_take(void);
/* Keeps an empty slot. False: the thread has enough, and the caller must free it. For an unsafe call. */
bool ghcomp_hs_slot_keep(void *slot);
