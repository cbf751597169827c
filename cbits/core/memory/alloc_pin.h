/* Memory that the system keeps in RAM (the trait `pinned`). Protocol: alloc_pin.c. */
#pragma once

#include "base/atomic.h"

/* Zeroed memory at a multiple of 16; NULL when the system has none, or allows no more to be locked (ulimit -l). */
void *ghcomp_pin_alloc(size_t bytes);
/* As realloc. If the result is NULL, the old memory remains. */
void *ghcomp_pin_resize(void *memory, size_t bytes, size_t new_bytes);
/* `bytes` as it was requested. */
void ghcomp_pin_free(void *memory, size_t bytes);
