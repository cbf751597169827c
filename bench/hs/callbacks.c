/* The C side of the rows "callback" and "callback-work": a team whose threads call a Haskell function n times together,
 * in each possible way, or do its work themselves. Compiled for our runtime only, since it needs ghcomp.h; called by
 * Callbacks.hs.
 */
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>

#include "ghcomp.h"
#include "work.h"

/* The order is that of Callbacks.hs. */
enum way { FUNPTR, CALL, RANGE, ARRAY, EACH, EACH_SHARED, BATCH };

enum { ROOM = 256 };

struct part {
    intptr_t next, past;
};

static int next_of_part(void *state, intptr_t *argument)
{
    struct part *part = state;
    *argument = part->next++;
    return *argument < part->past;
}

struct shared {
    _Atomic intptr_t next;
    intptr_t count;
};

static int next_of_all(void *state, intptr_t *argument)
{
    struct shared *shared = state;
    *argument = atomic_fetch_add_explicit(&shared->next, 1, memory_order_relaxed);
    return *argument < shared->count;
}

static int by_array(ghcomp_callback *callback, intptr_t first, intptr_t past)
{
    intptr_t arguments[ROOM];
    int failed = 0;
    while (first < past) {
        size_t count = 0;
        while (count < ROOM && first < past)
            arguments[count++] = first++;
        failed |= ghcomp_callback_array(callback, arguments, count);
    }
    return failed;
}

static int by_batch(ghcomp_callback *callback, intptr_t first, intptr_t past)
{
    intptr_t memory[ROOM];
    ghcomp_callback_batch batch;
    int failed = 0;
    ghcomp_callback_batch_init(&batch, callback, memory, ROOM);
    for (intptr_t i = first; i < past; i++)
        failed |= ghcomp_callback_batch_add(&batch, i);
    return failed | ghcomp_callback_batch_flush(&batch);
}

/* Calls for 0 .. n - 1, by m threads, a contiguous part each (EACH_SHARED: on demand). 0, or 1 when one failed. */
int bench_callbacks(int way, long n, int m, void *callback)
{
    struct shared shared = {0, n};
    int failed = 0;
#pragma omp parallel num_threads(m) reduction(| : failed)
    {
        intptr_t thread = omp_get_thread_num(), first = n * thread / m, past = n * (thread + 1) / m;
        switch ((enum way)way) {
        case FUNPTR: {
            void (*function)(intptr_t) = (void (*)(intptr_t))callback;
            for (intptr_t i = first; i < past; i++)
                function(i);
            break;
        }
        case CALL:
            for (intptr_t i = first; i < past; i++)
                failed |= ghcomp_callback_call(callback, i);
            break;
        case RANGE:
            failed = ghcomp_callback_range(callback, first, past);
            break;
        case ARRAY:
            failed = by_array(callback, first, past);
            break;
        case EACH: {
            struct part part = {first, past};
            failed = ghcomp_callback_each(callback, next_of_part, &part);
            break;
        }
        case EACH_SHARED:
            failed = ghcomp_callback_each(callback, next_of_all, &shared);
            break;
        case BATCH:
            failed = by_batch(callback, first, past);
            break;
        }
    }
    return failed;
}

/* What the Haskell function of "callback-work" does for 0 .. n - 1, in C, by m threads. */
void bench_called_work(long n, int m, long units, uint64_t *out)
{
#pragma omp parallel for num_threads(m) schedule(static)
    for (long i = 0; i < n; i++) {
        uint64_t sum = 0;
        for (long unit = i * units; unit < (i + 1) * units; unit++)
            sum += work((uint64_t)unit);
        out[i] = sum;
    }
}
