/* Threadprivate variables, where compiled code does not use thread-local storage (core/team/threadprivate.c).
 * Tests: test/clang/threadprivate.c. */
#include "abi/abi.h"
#include "core/team/thread_number.h"
#include "core/team/threadprivate.h"

/* The calling thread's copy. `cache` is the compiled code's own word for the variable. */
void *__kmpc_threadprivate_cached(struct kmp_ident *loc, int32_t thread, void *data, size_t bytes, void ***cache)
{
    (void)loc, (void)thread;
    _Atomic(void **) *word = (_Atomic(void **) *)cache;
    struct ghcomp_thread *self = ghcomp_self_of_libomp()->thread;
    void **places = ghcomp_load_acquire(word);
    uint32_t number = ghcomp_thread_number(self);
    if (ghcomp_likely(places != NULL && number < ghcomp_threadprivate_places(places) && places[number] != NULL))
        return places[number];
    return ghcomp_threadprivate_make(self, data, bytes, word);
}

void __kmpc_threadprivate_register(struct kmp_ident *loc, void *data, void *(*construct)(void *),
                                   void *(*copy)(void *, void *), void (*destroy)(void *))
{
    (void)loc;
    ghcomp_threadprivate_register(data, (struct ghcomp_threadprivate_functions){construct, copy, destroy});
}

GHCOMP_ABI_OBJECT(kmp_threadprivate);
