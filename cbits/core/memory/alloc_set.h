/* The addresses of Fortran variables that `omp allocators` and `omp allocate` have allocated. GCC 14 and later asks for
 * them where such a variable is deallocated. Protocol: alloc_set.c. Any thread may call. */
#pragma once

#include "base/atomic.h"

/* Adds the address; NULL does nothing. */
void ghcomp_alloc_set_add(const void *address);
/* Removes the address; whether it was in the set. */
bool ghcomp_alloc_set_take(const void *address);
