/* What has been stored in each word, and which of it a thread may still read under C11's orders. Model: history.c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"

enum { HISTORY_THREADS = 8 };

/* Once, before all else; and before each schedule. */
void history_begin(void);
void history_start(void);

/* Thread `made` begins with what thread `by` has seen. */
void history_thread(unsigned made, unsigned by);
/* A load; `now` is what the word holds. Returns a value that the thread may read: that one or, if `choose` is not NULL,
   one of an older store. choose(n) returns a number below n. */
uint64_t history_load(unsigned who, uintptr_t address, uint64_t now, enum explore_order order,
                      unsigned (*choose)(unsigned count));
/* A store, and a read-modify-write; `before` is what the word held. */
void history_store(unsigned who, uintptr_t address, uint64_t before, uint64_t after, enum explore_order order);
void history_change(unsigned who, uintptr_t address, uint64_t before, uint64_t after, enum explore_order order);
/* Every thread executes a fence. */
void history_fence_all(void);
