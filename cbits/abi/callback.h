/* What a callback object is behind ghcomp.h: the ABI between the Haskell library, which makes the objects
 * (haskell/callback.c), and the ghcomp_callback_* functions of whichever shared object the C code got them from
 * (ghcomp_callback.c). Incompatible changes count GHCOMP_CALLBACK_ABI up.
 *
 * An entry point of an object is a FunPtr of Haskell's: a call of it is one entry into Haskell. It catches every
 * exception, stores `failed` before it returns and never returns a result of its own.
 */
#pragma once

#include "core/atomic.h"
#include "ghcomp.h"

/* "CB", the shape's number and the version: an object of another shape, or one that was freed, is seen as such. */
#define GHCOMP_CALLBACK_ABI 0x43420001u

enum ghcomp_callback_shape {
    GHCOMP_CALLBACK_FREED,
    GHCOMP_CALLBACK_EACH,
    GHCOMP_CALLBACK_MAP,
    GHCOMP_CALLBACK_FOLD,
    GHCOMP_CALLBACK_FOLD_INT,
    GHCOMP_CALLBACK_RECORDS
};

struct ghcomp_callback_head {
    uint32_t abi;   /* GHCOMP_CALLBACK_ABI */
    uint32_t shape; /* enum ghcomp_callback_shape */
    /* 1 once a callback of the object has thrown; it stays so. Relaxed: it is stored by the thread that then reads it
       after its entry, and for the others it only saves entries, the exception itself being in Haskell's MVar. */
    _Atomic int failed;
    /* Called before each entry unless NULL, by the thread that enters: chooses the Capability it enters by. */
    void (*before_entry)(void);
};

struct ghcomp_callback {
    struct ghcomp_callback_head head;
    void (*range)(intptr_t first, intptr_t past);
    void (*each)(ghcomp_callback_next next, void *state);
    void (*array)(const intptr_t *arguments, size_t count);
};

struct ghcomp_map_callback {
    struct ghcomp_callback_head head;
    void (*array)(const double *arguments, double *results, size_t count);
};

struct ghcomp_fold_callback {
    struct ghcomp_callback_head head;
    void (*range)(intptr_t first, intptr_t past, double *accumulator);
};

struct ghcomp_fold_int_callback {
    struct ghcomp_callback_head head;
    void (*range)(intptr_t first, intptr_t past, intptr_t *accumulator);
};

struct ghcomp_record_callback {
    struct ghcomp_callback_head head;
    void (*records)(const void *arguments, size_t argument_size, void *results, size_t result_size, size_t count);
};
