/* The objects of OpenMP.Callback: memory from malloc, so that C code may hold their addresses whatever the
 * collector does, and the entry from C's threads into Haskell.
 *
 * An entry runs the object's action, a Haskell function of a request and an operation, in one in-call by an idle
 * Capability (enter.c). The action catches all exceptions. If an entry does not end normally, another thread's
 * exception has killed it, or the RTS shuts down. Then callbacks may not have run, so the object has failed.
 *
 * Haskell calls ghcomp_hs_* by unsafe calls: none of them blocks or enters Haskell. Covered by
 * test/hs/library/CallbackTest.hs.
 */
#include "abi/ghcomp/callback.h"

#include <stdlib.h>

#include "base/check.h"
#include "haskell/enter.h"

#define EXPORT __attribute__((visibility("default")))

/* OpenMP.Callback.Internal reads the request at these offsets. */
#define WORD(field, number) \
    _Static_assert(offsetof(struct ghcomp_callback_request, field) == 8 * (number) && \
                   sizeof(((struct ghcomp_callback_request *)0)->field) == 8, "word of a request")
WORD(first, 0);
WORD(past, 1);
WORD(arguments, 2);
WORD(results, 3);
WORD(argument_size, 4);
WORD(result_size, 5);
WORD(next, 6);
WORD(state, 7);

static void enter(struct ghcomp_callback_object *object, int home, enum ghcomp_callback_operation operation,
                  struct ghcomp_callback_request *request)
{
    struct ghcomp_entrance entrance = {.home = home, .wish = home};
    ghcomp_entrance_claim(&entrance);
    if (ghcomp_enter(object->action, request, operation, &entrance) != GHCOMP_ENTRY_DONE)
        ghcomp_store_relaxed(&object->failed, 1);
}

EXPORT struct ghcomp_callback_object *ghcomp_hs_callback_new(int shape);
/* The object has no action yet, because the action refers to the object: C code must not have it before
   ghcomp_hs_callback_act. */
struct ghcomp_callback_object *ghcomp_hs_callback_new(int shape)
{
    struct ghcomp_callback_object *object = ghcomp_alloc(sizeof *object);
    *object = (struct ghcomp_callback_object){.abi = GHCOMP_CALLBACK_ABI, .shape = (uint32_t)shape, .enter = enter};
    return object;
}

EXPORT void ghcomp_hs_callback_act(struct ghcomp_callback_object *object, void *action);
void ghcomp_hs_callback_act(struct ghcomp_callback_object *object, void *action)
{
    object->action = action;
}

EXPORT void ghcomp_hs_callback_fail(struct ghcomp_callback_object *object);
void ghcomp_hs_callback_fail(struct ghcomp_callback_object *object)
{
    ghcomp_store_relaxed(&object->failed, 1);
}

EXPORT void ghcomp_hs_callback_free(struct ghcomp_callback_object *object);
/* Marks the object before it frees it: calling a freed object is the caller's error, which is reported as long as the
   memory still has this mark. */
void ghcomp_hs_callback_free(struct ghcomp_callback_object *object)
{
    *(volatile uint32_t *)&object->shape = GHCOMP_CALLBACK_FREED;
    free(object);
}
