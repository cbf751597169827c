/* Slots: StablePtrs that one task's action after another is kept in. Protocol in slots.c. */
#pragma once

/* Frees those that the calling thread has. Called where it leaves Haskell. */
void ghcomp_slots_free(void);
