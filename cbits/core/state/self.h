/* The calling thread's member: two thread-local words, of which every entry reads one.
 *
 *   ghcomp_self_member   the thread's innermost member; NULL before its first call into the runtime
 *   ghcomp_self_fast     the same while no hook is active, else NULL (core/observe/fast_self.h)
 *
 * Storage. Initial-exec storage costs nothing, but `dlopen` of an object that has it fails where other libraries have
 * used up the reserve of static storage; and TLS descriptors or __tls_get_addr are a call for each access
 * (docs/internals/adr/0025). So in the shared objects (GHCOMP_TLS_LATE) only a descriptor names the storage, the loader
 * decides, and the compiled code adds a distance to the thread pointer, as initial-exec code does.
 *
 *   EARLY  the words are in static storage: ghcomp_self_at is their distance, the same in all threads
 *   LATE   there was no room: ghcomp_self_at is 0, and a key of pthread_getspecific has the member
 *
 * At distance 0 there are two aligned addresses of the C library's (the thread pointer's own and the dtv's), whose bit
 * 0 is clear. The runtime's word has it set when there is a member: one test sees NULL, the LATE way, and a distance
 * that is not known yet, and all three leave the fast path. LATE, ghcomp_self_fast is always NULL, and GHCOMP_SELF_LATE
 * among the observers (core/observe/observers.h) makes all threads take the paths for that.
 *
 * Invariant of ghcomp_self_member, because a signal handler may read it at any moment: the member has a team and a
 * task, both have their ICVs, and the teams from there to level 0 are complete, in use for nothing else, and stay until
 * it is set again. So it is set after the member has been filled, and before a team is given away: a worker becomes
 * `idle` before it answers its master. ghcomp_fence_handler() keeps that order.
 *
 * Protocol: own thread and its signal handlers only. ghcomp_self_at is written once, by the first thread that becomes a
 * member or by the constructor (self.c); reads are relaxed: a thread that reads 0 calls self.c, which orders them.
 *
 * Test: test/hostile/static_tls.sh.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

struct ghcomp_member;

/* GHCOMP_TLS_INITIAL: a build with initial-exec storage in any case, for sanitizers. GHCOMP_TLS_NEVER_EARLY: one that
   is always LATE, for tests. */
#if defined(GHCOMP_VERSIONED) && defined(__x86_64__) && !defined(GHCOMP_UNWATCHED) && !defined(GHCOMP_TLS_INITIAL)
#define GHCOMP_TLS_LATE
#endif

#ifndef GHCOMP_TLS_LATE

extern __thread struct ghcomp_member *ghcomp_self_member GHCOMP_OWN;
#ifdef GHCOMP_UNWATCHED
#define ghcomp_self_fast ghcomp_self_member
#else
extern __thread struct ghcomp_member *ghcomp_self_fast GHCOMP_OWN;
#endif

/* ghcomp_self_member, or NULL for a caller whose path for NULL is right in any case. */
#define ghcomp_self_or_slow() ghcomp_self_member

static inline void ghcomp_self_place(void)
{
}

/* For a thread that is a member, where no bit of GHCOMP_OBSERVE_SLOW is set. */
static inline void ghcomp_self_set_early(struct ghcomp_member *self)
{
    ghcomp_self_member = self;
    ghcomp_self_fast = self;
}

static inline void ghcomp_self_set(struct ghcomp_member *self, bool fast)
{
    ghcomp_self_member = self;
#ifndef GHCOMP_UNWATCHED
    ghcomp_self_fast = fast ? self : NULL;
#else
    (void)fast;
#endif
}

/* ghcomp_self_member alone. */
static inline void ghcomp_self_set_member(struct ghcomp_member *self)
{
    ghcomp_self_member = self;
}

#else

struct ghcomp_self_words {
    uintptr_t member, fast;
};

extern _Atomic uintptr_t ghcomp_self_at GHCOMP_OWN;

/* Decides between EARLY and LATE. */
void ghcomp_self_place(void) __attribute__((cold));
/* The member when the word has none. Allocates nothing, so signal handlers may come here. */
struct ghcomp_member *ghcomp_self_elsewhere(void) __attribute__((cold));
void ghcomp_self_set(struct ghcomp_member *self, bool fast);

/* The calling thread's words, or those of the C library. */
static inline struct ghcomp_self_words __seg_fs *ghcomp_self_words_here(void)
{
    return (struct ghcomp_self_words __seg_fs *)ghcomp_load_relaxed(&ghcomp_self_at);
}

static inline uintptr_t ghcomp_self_pack(const struct ghcomp_member *self)
{
    return self == NULL ? 0 : (uintptr_t)self * 2 + 1;
}

/* False: the word has no member. */
static inline bool ghcomp_self_unpack(uintptr_t word, struct ghcomp_member **self)
{
    bool there;
    __asm__("shrq %0" : "+r"(word), "=@ccc"(there));
    *self = (struct ghcomp_member *)word;
    return there;
}

/* Tells the compiler that the pointer, which was there, needs no other test. */
static inline struct ghcomp_member *ghcomp_self_there(struct ghcomp_member *self)
{
    if (self == NULL)
        __builtin_unreachable();
    return self;
}

static inline struct ghcomp_member *ghcomp_self_or_null(void)
{
    struct ghcomp_member *self;
    if (ghcomp_likely(ghcomp_self_unpack(ghcomp_self_words_here()->member, &self)))
        return ghcomp_self_there(self);
    return ghcomp_self_elsewhere();
}

static inline struct ghcomp_member *ghcomp_self_or_slow(void)
{
    struct ghcomp_member *self;
    if (ghcomp_likely(ghcomp_self_unpack(ghcomp_self_words_here()->member, &self)))
        return ghcomp_self_there(self);
    return NULL;
}

static inline struct ghcomp_member *ghcomp_self_fast_or_null(void)
{
    struct ghcomp_member *self;
    if (ghcomp_likely(ghcomp_self_unpack(ghcomp_self_words_here()->fast, &self)))
        return ghcomp_self_there(self);
    return NULL;
}

#define ghcomp_self_member (ghcomp_self_or_null())
#define ghcomp_self_fast (ghcomp_self_fast_or_null())

static inline void ghcomp_self_set_early(struct ghcomp_member *self)
{
    volatile struct ghcomp_self_words __seg_fs *words = ghcomp_self_words_here(); /* no vector of two */
    uintptr_t word = (uintptr_t)self * 2 + 1;
    words->member = word;
    words->fast = word;
}

static inline void ghcomp_self_set_member(struct ghcomp_member *self)
{
    volatile struct ghcomp_self_words __seg_fs *words = ghcomp_self_words_here();
    if (ghcomp_likely(ghcomp_load_relaxed(&ghcomp_self_at) != 0))
        words->member = ghcomp_self_pack(self);
    else
        ghcomp_self_set(self, false);
}

#endif
