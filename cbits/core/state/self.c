/* Where the thread's words are (self.h), and the way without static thread-local storage.
 *
 * The loader fills the descriptor of ghcomp_self_words with a function and an argument: called with the descriptor's
 * address in rax, the function returns the variable's distance from the thread pointer. For static storage that
 * function returns the argument. So if its instructions do exactly that, the argument is the distance in every thread,
 * with any C library; any other function means that there is no static storage, or that it is unknown. The descriptor
 * is complete when the constructor runs: the objects are linked with -z now, because glibc before 2.34 would otherwise
 * fill it at the first call.
 *
 * The descriptor's function is never called. It would allocate in the thread's first access, which may be in a signal
 * handler, and before glibc 2.40 it may change vector registers that compiled code expects to be kept.
 *
 * Called by observe/fast_self.h, thread.c and types.h. Covered by test/hostile/static_tls.sh.
 */
#include "core/state/self.h"

#ifndef GHCOMP_TLS_LATE

__thread struct ghcomp_member *ghcomp_self_member;
#ifndef GHCOMP_UNWATCHED
__thread struct ghcomp_member *ghcomp_self_fast;
#endif

#else

#include <pthread.h>
#include <string.h>

#include "base/check.h"
#include "core/observe/observers.h"

__thread struct ghcomp_self_words ghcomp_self_words GHCOMP_OWN __attribute__((used));
_Atomic uintptr_t ghcomp_self_at;

enum where { UNKNOWN, EARLY, LATE };
/* store_release when ghcomp_self_at or the key has been written, load_acquire. */
static _Atomic int where;
static pthread_key_t key; /* LATE: the thread's member */

struct descriptor {
    const unsigned char *function;
    uintptr_t argument;
};

static const struct descriptor *words_descriptor(void)
{
    const struct descriptor *descriptor;
    __asm__("leaq ghcomp_self_words@tlsdesc(%%rip), %0" : "=a"(descriptor));
    return descriptor;
}

static bool returns_argument(const unsigned char *function)
{
    static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa};      /* endbr64 */
    static const unsigned char body[] = {0x48, 0x8b, 0x40, 0x08, 0xc3};   /* mov 8(%rax), %rax; ret */
    if (memcmp(function, landing, sizeof landing) == 0)
        function += sizeof landing;
    return memcmp(function, body, sizeof body) == 0;
}

/* The C library clears the keys of an ending thread one by one, and the destructors of other keys need the member. */
static void keep(void *self)
{
    pthread_setspecific(key, self);
}

static void place_late(void)
{
    struct ghcomp_self_words __seg_fs *others = NULL;
    ghcomp_invariant((others->member & 1) == 0 && (others->fast & 1) == 0);
    int error = pthread_key_create(&key, keep);
    if (error != 0)
        ghcomp_fatal("no thread-specific key is left for the runtime (%s); load it before libraries that take many",
                     strerror(error));
    ghcomp_observers_add(GHCOMP_SELF_LATE);
    ghcomp_store_release(&where, LATE);
}

static void place(void)
{
#ifdef GHCOMP_TLS_NEVER_EARLY
    const bool early = false;
#else
    const bool early = true;
#endif
    const struct descriptor *descriptor = words_descriptor();
    if (!early || !returns_argument(descriptor->function)) {
        place_late();
        return;
    }
    ghcomp_store_relaxed(&ghcomp_self_at, descriptor->argument);
    ghcomp_store_release(&where, EARLY);
}

void ghcomp_self_place(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, place);
}

/* While the place is UNKNOWN, no thread is a member. */
struct ghcomp_member *ghcomp_self_elsewhere(void)
{
    switch (ghcomp_load_acquire(&where)) {
    case LATE:
        return pthread_getspecific(key);
    case EARLY: { /* another thread has just decided */
        struct ghcomp_member *self;
        return ghcomp_self_unpack(ghcomp_self_words_here()->member, &self) ? self : NULL;
    }
    default:
        return NULL;
    }
}

void ghcomp_self_set(struct ghcomp_member *self, bool fast)
{
    ghcomp_self_place();
    if (ghcomp_load_acquire(&where) == LATE) {
        if (pthread_setspecific(key, self) != 0)
            ghcomp_fatal("out of memory: a thread cannot be known; raise the memory limit or use fewer threads");
        return;
    }
    struct ghcomp_self_words __seg_fs *words = ghcomp_self_words_here();
    words->member = ghcomp_self_pack(self);
    words->fast = fast ? ghcomp_self_pack(self) : 0;
}

#endif
