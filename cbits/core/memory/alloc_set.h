/* The addresses of Fortran variables that `omp allocators` and `omp allocate` have allocated, for the code that GCC 14
 * and later puts where such a variable is deallocated. See alloc_set.c. Any thread may call. */
#pragma once

#include "base/atomic.h"

/* Adds the address; NULL is none. */
void ghcomp_alloc_set_add(const void *address);
/* Whether the address is in the set; it is not any more afterwards. */
bool ghcomp_alloc_set_take(const void *address);
