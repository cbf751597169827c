/* Makes and frees the callback objects of GHC.OpenMP.Callback: memory of C's, so that C code may hold their addresses
 * whatever the collector does. The functions are called by unsafe calls: none blocks or enters Haskell. Test:
 * test/hs/library/CallbackTest.hs.
 */
#include "abi/abi.h"
#include "abi/callback.h"
#include "core/check.h"

#include <stdlib.h>

/* GHCOMP_EXPORT, and the declaration that -Wmissing-prototypes asks for. */
#define FOR_HASKELL(type, name, ...)      \
    GHCOMP_EXPORT type name(__VA_ARGS__); \
    type name(__VA_ARGS__)

/* The object cannot know its own FunPtrs before it exists: an exception that they catch is stored in it. So it is made
   first, its memory zeroed, and completed with them before anybody else sees it. */
FOR_HASKELL(void *, ghcomp_hs_callback_new, void)
{
    union {
        struct ghcomp_callback each;
        struct ghcomp_map_callback map;
        struct ghcomp_fold_callback fold;
        struct ghcomp_fold_int_callback fold_int;
        struct ghcomp_record_callback records;
    } *object = ghcomp_alloc_zeroed(sizeof *object);
    return object;
}

static void complete(struct ghcomp_callback_head *head, enum ghcomp_callback_shape shape)
{
    head->abi = GHCOMP_CALLBACK_ABI;
    head->shape = shape;
}

FOR_HASKELL(void, ghcomp_hs_callback_each, struct ghcomp_callback *callback, void (*range)(intptr_t, intptr_t),
            void (*each)(ghcomp_callback_next, void *), void (*array)(const intptr_t *, size_t))
{
    callback->range = range;
    callback->each = each;
    callback->array = array;
    complete(&callback->head, GHCOMP_CALLBACK_EACH);
}

FOR_HASKELL(void, ghcomp_hs_callback_map, struct ghcomp_map_callback *callback,
            void (*array)(const double *, double *, size_t))
{
    callback->array = array;
    complete(&callback->head, GHCOMP_CALLBACK_MAP);
}

FOR_HASKELL(void, ghcomp_hs_callback_fold, struct ghcomp_fold_callback *callback,
            void (*range)(intptr_t, intptr_t, double *))
{
    callback->range = range;
    complete(&callback->head, GHCOMP_CALLBACK_FOLD);
}

FOR_HASKELL(void, ghcomp_hs_callback_fold_int, struct ghcomp_fold_int_callback *callback,
            void (*range)(intptr_t, intptr_t, intptr_t *))
{
    callback->range = range;
    complete(&callback->head, GHCOMP_CALLBACK_FOLD_INT);
}

FOR_HASKELL(void, ghcomp_hs_callback_records, struct ghcomp_record_callback *callback,
            void (*records)(const void *, size_t, void *, size_t, size_t))
{
    callback->records = records;
    complete(&callback->head, GHCOMP_CALLBACK_RECORDS);
}

FOR_HASKELL(void, ghcomp_hs_callback_fail, struct ghcomp_callback_head *head)
{
    ghcomp_store_relaxed(&head->failed, 1);
}

/* Marked first: a call of a freed object is the caller's fault, and is named as long as the memory still says so. */
FOR_HASKELL(void, ghcomp_hs_callback_free, struct ghcomp_callback_head *head)
{
    *(volatile uint32_t *)&head->shape = GHCOMP_CALLBACK_FREED;
    free(head);
}
