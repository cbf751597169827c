/* ghcomp_callback_*: the C side of callbacks into Haskell (documented in include/ghcomp.h; callback.h has the object).
 * Every call goes through enter(), which enters Haskell once if there is work. Tests: test/unit/callback.c,
 * test/hs/library/CallbackTest.hs, test/host/callback.sh.
 */
#include "abi/ghcomp/callback.h"

#include "abi/abi.h"
#include "base/check.h"
#include "core/state/types.h"
#include "core/team/interrupt.h"
#include "host/host.h"

/* Ends the program if the object is wrong, also when there is no work. */
static void check(const struct ghcomp_callback_object *object, enum ghcomp_callback_shape shape, const char *function)
{
    if (object == NULL)
        ghcomp_fatal("%s: the callback is NULL: pass what callbackPtr gives", function);
    if (object->abi != GHCOMP_CALLBACK_ABI)
        ghcomp_fatal("%s: not a callback of this version (%s): was it freed, or do the Haskell library and the shared "
                     "object have two versions?", function, GHCOMP_VERSION);
    if (object->shape != (uint32_t)shape)
        ghcomp_fatal("%s: %s", function, object->shape == GHCOMP_CALLBACK_FREED
                     ? "the callback was freed: keep it until the last call of it has returned"
                     : "the callback has another shape: its type in ghcomp.h says which functions take it");
}

/* The common path of all calls. It passes the thread's home Capability, which only this copy of the runtime knows,
   since a calling worker belongs to it. */
static int enter(void *callback, enum ghcomp_callback_shape shape, enum ghcomp_callback_operation operation,
                 struct ghcomp_callback_request request, const char *function)
{
    struct ghcomp_callback_object *object = callback;
    check(object, shape, function);
    if (ghcomp_interrupt_delivered())
        return GHCOMP_CALLBACK_FAILED;
    if (request.first < request.past && !ghcomp_load_relaxed(&object->failed)) {
        const struct ghcomp_member *self = ghcomp_self_member;
        int home = self != NULL ? ghcomp_host_worker_home(self->thread->number) : -1;
        object->enter(object, home, operation, &request);
    }
    return ghcomp_load_relaxed(&object->failed) ? GHCOMP_CALLBACK_FAILED : 0;
}

int ghcomp_callback_range(ghcomp_callback *callback, intptr_t first, intptr_t past)
{
    struct ghcomp_callback_request request = {.first = first, .past = past};
    return enter(callback, GHCOMP_CALLBACK_EACH, GHCOMP_CALLBACK_RANGE, request, __func__);
}

int ghcomp_callback_each(ghcomp_callback *callback, ghcomp_callback_next next, void *state)
{
    struct ghcomp_callback_request request = {.first = 0, .past = 1, .next = next, .state = state};
    return enter(callback, GHCOMP_CALLBACK_EACH, GHCOMP_CALLBACK_NEXT, request, __func__);
}

int ghcomp_callback_array(ghcomp_callback *callback, const intptr_t *arguments, size_t count)
{
    struct ghcomp_callback_request request = {.first = 0, .past = (intptr_t)count, .arguments = arguments};
    return enter(callback, GHCOMP_CALLBACK_EACH, GHCOMP_CALLBACK_ARRAY, request, __func__);
}

int ghcomp_callback_call(ghcomp_callback *callback, intptr_t argument)
{
    struct ghcomp_callback_request request = {.first = 0, .past = 1, .arguments = &argument};
    return enter(callback, GHCOMP_CALLBACK_EACH, GHCOMP_CALLBACK_ARRAY, request, __func__);
}

void ghcomp_callback_batch_init(ghcomp_callback_batch *batch, ghcomp_callback *callback, intptr_t *memory, size_t room)
{
    *batch = (ghcomp_callback_batch){.callback = callback, .memory = memory, .room = room, .count = 0};
}

int ghcomp_callback_batch_flush(ghcomp_callback_batch *batch)
{
    size_t count = batch->count;
    batch->count = 0;
    return ghcomp_callback_array(batch->callback, batch->memory, count);
}

int ghcomp_callback_batch_add(ghcomp_callback_batch *batch, intptr_t argument)
{
    if (ghcomp_unlikely(batch->room == 0))
        return ghcomp_callback_call(batch->callback, argument);
    batch->memory[batch->count++] = argument;
    return batch->count == batch->room ? ghcomp_callback_batch_flush(batch) : 0;
}

int ghcomp_callback_map(ghcomp_map_callback *callback, const double *arguments, double *results, size_t count)
{
    struct ghcomp_callback_request request = {
        .first = 0, .past = (intptr_t)count, .arguments = arguments, .results = results};
    return enter(callback, GHCOMP_CALLBACK_MAP, GHCOMP_CALLBACK_RANGE, request, __func__);
}

int ghcomp_callback_fold(ghcomp_fold_callback *callback, intptr_t first, intptr_t past, double *accumulator)
{
    struct ghcomp_callback_request request = {.first = first, .past = past, .results = accumulator};
    return enter(callback, GHCOMP_CALLBACK_FOLD, GHCOMP_CALLBACK_RANGE, request, __func__);
}

int ghcomp_callback_fold_int(ghcomp_fold_int_callback *callback, intptr_t first, intptr_t past, intptr_t *accumulator)
{
    struct ghcomp_callback_request request = {.first = first, .past = past, .results = accumulator};
    return enter(callback, GHCOMP_CALLBACK_FOLD_INT, GHCOMP_CALLBACK_RANGE, request, __func__);
}

int ghcomp_callback_records(ghcomp_record_callback *callback, const void *arguments, size_t argument_size,
                            void *results, size_t result_size, size_t count)
{
    struct ghcomp_callback_request request = {.first = 0, .past = (intptr_t)count, .arguments = arguments,
        .results = results, .argument_size = argument_size, .result_size = result_size};
    return enter(callback, GHCOMP_CALLBACK_RECORDS, GHCOMP_CALLBACK_RANGE, request, __func__);
}

GHCOMP_ABI_OBJECT(ghcomp_callback);
