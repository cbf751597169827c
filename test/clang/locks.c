/* Locks by clang's header and by the entries: exclusion, tests, nesting by the same thread, the space that they take.
 *
 * symbols: __kmpc_init_lock __kmpc_destroy_lock __kmpc_set_lock __kmpc_unset_lock __kmpc_test_lock
 * symbols: __kmpc_init_nest_lock __kmpc_destroy_nest_lock __kmpc_set_nest_lock __kmpc_unset_nest_lock
 * symbols: __kmpc_test_nest_lock __kmpc_init_lock_with_hint __kmpc_init_nest_lock_with_hint
 * symbols: omp_init_lock_with_hint omp_init_nest_lock_with_hint omp_init_lock_with_hint_ omp_init_nest_lock_with_hint_
 * hosts: posix ghc
 */
#include <omp.h>

#include "kmp.h"

#define ENTRIES(kind)                                                    \
    void __kmpc_init_##kind(place *, int32_t, void **);                  \
    void __kmpc_init_##kind##_with_hint(place *, int32_t, void **, uintptr_t); \
    void __kmpc_destroy_##kind(place *, int32_t, void **);               \
    void __kmpc_set_##kind(place *, int32_t, void **);                   \
    void __kmpc_unset_##kind(place *, int32_t, void **);                 \
    int32_t __kmpc_test_##kind(place *, int32_t, void **);

ENTRIES(lock)
ENTRIES(nest_lock)

void omp_init_lock_with_hint_(omp_lock_t *, const int32_t *);
void omp_init_nest_lock_with_hint_(omp_nest_lock_t *, const int32_t *);

enum { THREADS = 4, TURNS = 1000 };

/* What lies beside a lock stays: clang's types have eight bytes. */
struct guarded {
    long before;
    union {
        omp_lock_t plain;
        omp_nest_lock_t nest;
        void *word;
    };
    long after;
};

static void by_header(void)
{
    struct guarded plain = {.before = 1, .after = 2}, nest = {.before = 3, .after = 4};
    long count = 0, deep = 0;
    omp_init_lock(&plain.plain);
    omp_init_nest_lock_with_hint(&nest.nest, omp_sync_hint_contended);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < TURNS; i++) {
        if (i % 2 == 0 || !omp_test_lock(&plain.plain))
            omp_set_lock(&plain.plain);
        count++;
        omp_unset_lock(&plain.plain);
        omp_set_nest_lock(&nest.nest);
        CHECK(omp_test_nest_lock(&nest.nest) == 2);
        deep++;
        omp_unset_nest_lock(&nest.nest);
        omp_unset_nest_lock(&nest.nest);
    }
    CHECK(count == THREADS * TURNS && deep == THREADS * TURNS);
    int32_t hint = 1;
    omp_init_lock_with_hint(&plain.plain, omp_sync_hint_none);
    CHECK(omp_test_lock(&plain.plain));
    omp_init_lock_with_hint_(&plain.plain, &hint);
    CHECK(omp_test_lock(&plain.plain));
    omp_init_nest_lock_with_hint_(&nest.nest, &hint);
    CHECK(omp_test_nest_lock(&nest.nest) == 1);
    omp_destroy_lock(&plain.plain);
    omp_destroy_nest_lock(&nest.nest);
    CHECK(plain.before == 1 && plain.after == 2 && nest.before == 3 && nest.after == 4);
}

static void by_entries(void)
{
    struct guarded plain = {.before = 1, .after = 2}, nest = {.before = 3, .after = 4};
    long count = 0;
    __kmpc_init_lock(&here, thread_number(), &plain.word);
    __kmpc_destroy_lock(&here, thread_number(), &plain.word);
    __kmpc_init_lock_with_hint(&here, thread_number(), &plain.word, 1);
    __kmpc_init_nest_lock(&here, thread_number(), &nest.word);
    __kmpc_destroy_nest_lock(&here, thread_number(), &nest.word);
    __kmpc_init_nest_lock_with_hint(&here, thread_number(), &nest.word, 1);
#pragma omp parallel num_threads(THREADS)
    for (int i = 0; i < TURNS; i++) {
        __kmpc_set_nest_lock(&here, thread_number(), &nest.word);
        __kmpc_set_lock(&here, thread_number(), &plain.word);
        count++;
        CHECK(!__kmpc_test_lock(&here, thread_number(), &plain.word));
        __kmpc_unset_lock(&here, thread_number(), &plain.word);
        CHECK(__kmpc_test_nest_lock(&here, thread_number(), &nest.word) == 2);
        __kmpc_unset_nest_lock(&here, thread_number(), &nest.word);
        __kmpc_unset_nest_lock(&here, thread_number(), &nest.word);
    }
    CHECK(count == THREADS * TURNS);
    CHECK(__kmpc_test_lock(&here, thread_number(), &plain.word));
    __kmpc_unset_lock(&here, thread_number(), &plain.word);
    CHECK(plain.before == 1 && plain.after == 2 && nest.before == 3 && nest.after == 4);
}

void omp_set_nest_lock_(omp_nest_lock_t *);
int omp_test_nest_lock_(omp_nest_lock_t *);
void omp_unset_nest_lock_(omp_nest_lock_t *);

/* As on libomp a nest lock is the thread's, not the task's: it is taken again in a region and in a task. */
static void of_the_thread(void)
{
    static omp_nest_lock_t lock;
    int others = -1;
    omp_init_nest_lock(&lock);
    omp_set_nest_lock(&lock);
#pragma omp parallel num_threads(1)
    {
        omp_set_nest_lock(&lock);
        CHECK(omp_test_nest_lock(&lock) == 3);
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
    }
#pragma omp task if (0)
    {
        omp_set_nest_lock_(&lock);
        CHECK(omp_test_nest_lock_(&lock) == 3);
        omp_unset_nest_lock_(&lock);
        omp_unset_nest_lock_(&lock);
    }
    __kmpc_set_nest_lock(&here, thread_number(), (void **)&lock);
#pragma omp task if (0)
    CHECK(__kmpc_test_nest_lock(&here, thread_number(), (void **)&lock) == 3);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            others = omp_test_nest_lock(&lock);
    }
    CHECK(others == 0 && omp_test_nest_lock(&lock) == 4);
    for (int i = 0; i < 4; i++)
        omp_unset_nest_lock(&lock);
    omp_destroy_nest_lock(&lock);
}

int main(void)
{
    by_header();
    by_entries();
    of_the_thread();
    return 0;
}
