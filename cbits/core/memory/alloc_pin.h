/* Memory that the system keeps in RAM (the trait `pinned`). Contract of alloc_pin.c. */
#pragma once

#include "base/atomic.h"

/* Zeroed memory at a multiple of 16, or NULL when the system gives none or lets no more of it be locked (ulimit -l). */
void *ghcomp_pin_alloc(size_t bytes);
/* realloc; the old memory stays when the result is NULL. */
void *ghcomp_pin_resize(void *memory, size_t bytes, size_t new_bytes);
/* `bytes` as it was asked for. */
void ghcomp_pin_free(void *memory, size_t bytes);
