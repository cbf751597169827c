/* ghcomp_callback_*: C code's side of callbacks into Haskell (include/ghcomp.h says what each does, callback.h what an
 * object is). Every call that has work to do passes begin() and end() and enters Haskell once in between. Tests:
 * test/unit/callback.c, test/hs/library/CallbackTest.hs.
 */
#include "abi/callback.h"

#include "abi/abi.h"
#include "core/check.h"

/* True when the call is to enter: there is work, and nothing of the object has failed. A wrong object ends the program,
   also when there is no work. */
static bool begin(const void *object, enum ghcomp_callback_shape shape, bool work, const char *function)
{
    const struct ghcomp_callback_head *head = object;
    if (head == NULL)
        ghcomp_fatal("%s: the callback is NULL: pass what callbackPtr gives", function);
    if (head->abi != GHCOMP_CALLBACK_ABI)
        ghcomp_fatal("%s: not a callback of this version (%s): was it freed, or do the Haskell library and the shared "
                     "object have two versions?", function, GHCOMP_VERSION);
    if (head->shape != (uint32_t)shape)
        ghcomp_fatal("%s: %s", function, head->shape == GHCOMP_CALLBACK_FREED
                     ? "the callback was freed: keep it until the last call of it has returned"
                     : "the callback has another shape: its type in ghcomp.h says which functions take it");
    if (!work || ghcomp_load_relaxed(&head->failed))
        return false;
    if (head->before_entry != NULL)
        head->before_entry();
    return true;
}

/* What the call returns. */
static int end(const void *object)
{
    const struct ghcomp_callback_head *head = object;
    return ghcomp_load_relaxed(&head->failed) ? GHCOMP_CALLBACK_FAILED : 0;
}

int ghcomp_callback_range(ghcomp_callback *callback, intptr_t first, intptr_t past)
{
    if (begin(callback, GHCOMP_CALLBACK_EACH, first < past, __func__))
        callback->range(first, past);
    return end(callback);
}

int ghcomp_callback_each(ghcomp_callback *callback, ghcomp_callback_next next, void *state)
{
    if (begin(callback, GHCOMP_CALLBACK_EACH, true, __func__))
        callback->each(next, state);
    return end(callback);
}

int ghcomp_callback_array(ghcomp_callback *callback, const intptr_t *arguments, size_t count)
{
    if (begin(callback, GHCOMP_CALLBACK_EACH, count > 0, __func__))
        callback->array(arguments, count);
    return end(callback);
}

int ghcomp_callback_call(ghcomp_callback *callback, intptr_t argument)
{
    return ghcomp_callback_array(callback, &argument, 1);
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
    if (begin(callback, GHCOMP_CALLBACK_MAP, count > 0, __func__))
        callback->array(arguments, results, count);
    return end(callback);
}

int ghcomp_callback_fold(ghcomp_fold_callback *callback, intptr_t first, intptr_t past, double *accumulator)
{
    if (begin(callback, GHCOMP_CALLBACK_FOLD, first < past, __func__))
        callback->range(first, past, accumulator);
    return end(callback);
}

int ghcomp_callback_fold_int(ghcomp_fold_int_callback *callback, intptr_t first, intptr_t past, intptr_t *accumulator)
{
    if (begin(callback, GHCOMP_CALLBACK_FOLD_INT, first < past, __func__))
        callback->range(first, past, accumulator);
    return end(callback);
}

int ghcomp_callback_records(ghcomp_record_callback *callback, const void *arguments, size_t argument_size,
                            void *results, size_t result_size, size_t count)
{
    if (begin(callback, GHCOMP_CALLBACK_RECORDS, count > 0, __func__))
        callback->records(arguments, argument_size, results, result_size, count);
    return end(callback);
}

GHCOMP_ABI_OBJECT(ghcomp_callback);
