/* The callback object behind the types of ghcomp.h: the ABI between the Haskell library, which makes the objects
 * (haskell/callback.c), and the ghcomp_callback_* functions of the shared object from which the C code got them
 * (ghcomp_callback.c). The types of ghcomp.h are only different names, for C's type check: all objects are this struct.
 * Incompatible changes increase GHCOMP_CALLBACK_ABI. Tests: test/unit/callback.c, test/host/callback.sh.
 */
#pragma once

#include "base/atomic.h"
#include "ghcomp.h"

/* "CB" and the version. */
#define GHCOMP_CALLBACK_ABI 0x43420001u

enum ghcomp_callback_shape {
    GHCOMP_CALLBACK_FREED,
    GHCOMP_CALLBACK_EACH,
    GHCOMP_CALLBACK_MAP,
    GHCOMP_CALLBACK_FOLD,
    GHCOMP_CALLBACK_FOLD_INT,
    GHCOMP_CALLBACK_RECORDS
};

/* The operation of an entry; shapes with a single operation use RANGE. The values are those of
   OpenMP.Callback.Internal. */
enum ghcomp_callback_operation {
    GHCOMP_CALLBACK_RANGE, /* first .. past - 1: indices of the fold, or of the arrays */
    GHCOMP_CALLBACK_ARRAY, /* the integers arguments[first .. past - 1] */
    GHCOMP_CALLBACK_NEXT   /* what `next` stores */
};

/* One entry's arguments, on the stack of the thread that enters. Haskell reads them as words (assertions in
   haskell/callback.c). */
struct ghcomp_callback_request {
    intptr_t first, past;
    const void *arguments;
    void *results; /* a fold's accumulator */
    size_t argument_size, result_size; /* of records */
    ghcomp_callback_next next;
    void *state;
};

struct ghcomp_callback_object {
    uint32_t abi;   /* GHCOMP_CALLBACK_ABI */
    uint32_t shape; /* enum ghcomp_callback_shape */
    /* 1 once a callback of the object has thrown. Relaxed: a thread whose entry threw or skipped callbacks has stored
       it itself before the entry returns; to other threads it only saves entries. */
    _Atomic int failed;
    /* Enters Haskell once, for this request. `home` is the number of the Capability that the thread prefers, which it
       enters by if it is idle; -1: any. Never throws; stores `failed`. */
    void (*enter)(struct ghcomp_callback_object *object, int home, enum ghcomp_callback_operation operation,
                  struct ghcomp_callback_request *request);
    void *action; /* a StablePtr; haskell/callback.c */
};
