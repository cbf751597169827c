/* The common header of cbits/abi/: the export macro, the link anchor's macro, and the prototypes of the exported
 * functions, so that a definition that differs from abi.tsv does not compile.
 *
 * An abi file unpacks arguments and calls core/; it has no state of its own. Each one has, once, at its end,
 *
 *     GHCOMP_ABI_OBJECT(gomp_loop);          // its own name without .c
 *
 * and the generated anchor.c takes that variable's address. So a program that links the static archive and asks for
 * ghcomp_link_anchor gets every abi object, even if another library has the same GOMP_ and omp_ names. Covered by
 * test/abi/exports.sh and tools/abi.py check. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exports a function from its object: the runtime is compiled with -fvisibility=hidden. The version script decides
 * which of them a shared object exports. */
#define GHCOMP_EXPORT __attribute__((visibility("default")))

/* The assembler's name of a function to which symver.h gives a libgomp version and a libomp version. In an archive the
 * function keeps its own name. */
#ifdef GHCOMP_VERSIONED
#define GHCOMP_BODY(symbol) __asm__("ghcomp_body_" #symbol)
#else
#define GHCOMP_BODY(symbol)
#endif

/* Hidden: only anchor.c, in the same archive or shared object, refers to it. The versions of the object's functions
 * (symver.h) come with it. */
#define GHCOMP_ABI_OBJECT(object)                                                                  \
    GHCOMP_SYMVERS_##object                                                                        \
    extern const char ghcomp_abi_anchor_##object;                                                  \
    const char ghcomp_abi_anchor_##object __attribute__((visibility("hidden"))) = 0

/* A static schedule's parameters, in the one register in which GCC 17 expects them: the number of participants (real
 * part) and the caller's number (imaginary part). */
static inline _Complex int ghcomp_abi_share(uint32_t count, uint32_t number)
{
    _Complex int share;
    __real__ share = (int)count;
    __imag__ share = (int)number;
    return share;
}

#include "abi/kmp_task_types.h"
#include "abi/kmp_types.h"
#include "abi/omp_types.h"
#include "abi/prototypes.h"
#include "abi/symver.h"
