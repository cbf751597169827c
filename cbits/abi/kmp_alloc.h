/* omp_init_allocator with the numbers of LLVM's omp.h beside those of gcc's (kmp/kmp_alloc.c); also for omp/omp_alloc.c
 * in an archive, where no symbol version distinguishes the callers. Tests: test/clang/alloc.c,
 * test/mixed/allocators.sh. */
#pragma once

#include "abi/abi.h"

uintptr_t ghcomp_kmp_init_allocator(uintptr_t space, int count, const omp_alloctrait_t *traits);
