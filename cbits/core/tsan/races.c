/* ThreadSanitizer's interface for the runtime: finding it, and its functions.
 *
 * ThreadSanitizer is in the program (clang) or a library that the program names (gcc), so it is present when the
 * runtime is loaded, or never. A process without it looks up one name. Its functions take an address that both sides of
 * a hand-over name. They keep their state outside of the address's memory, until the memory is freed.
 *
 * A runtime that is itself compiled with -fsanitize=thread (the unit tests) needs no hooks: then its atomic operations
 * order the threads.
 *
 * The points:
 *
 *   fork, join          a team's race.fork and race.join (team.c); the helpers behind the join's door count with it
 *   barrier             a team's race.barrier, two in turn (races.h)
 *   tasks               races_task.c
 *   locks, critical     the lock's own word, in the functions for programs' locks (lock.h); the runtime's own locks are
 *                       not reported
 *   ordered             the share's turn (ordered.c), from the end of one ordered region to the beginning of the next
 *   doacross            one for each iteration: ghcomp_races_point (doacross.c, kmp_doacross.c)
 *   single copyprivate  the barrier's
 *   reductions          gcc's and clang's code combines under a lock, or by atomic instructions, which order nothing
 *                       and need no point; copies that the runtime combines have the word `left` (task_combine.c)
 *
 * Worksharing itself orders nothing: a thread that takes a chunk is not ordered after the thread that took the one
 * before.
 *
 * Called by all of these. Covered by the group tsan (test/tsan): each construct, correct and with a race.
 */
#include "core/tsan/races.h"

#include <dlfcn.h>

#include "core/state/settings.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define COMPILED_IN true
#else
#define COMPILED_IN false
#endif

/* Written once, before the bit is added, while there is one thread. */
static struct {
    void (*acquire)(void *);
    void (*release)(void *);
    void (*pre_signal)(void *, unsigned);
    void (*post_signal)(void *, unsigned);
} tsan;

/* ISO C has no conversion of an object pointer to a function pointer; POSIX has. */
static bool find(void *function, const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    __builtin_memcpy(function, &found, sizeof found);
    return found != NULL;
}

bool ghcomp_races_possible(void)
{
    void *release;
    return !COMPILED_IN && find(&release, "__tsan_release");
}

void ghcomp_races_start(void)
{
    if (COMPILED_IN || ghcomp_settings.tsan == GHCOMP_TSAN_OFF)
        return;
    if (find(&tsan.acquire, "__tsan_acquire") && find(&tsan.release, "__tsan_release") &&
        find(&tsan.pre_signal, "__tsan_mutex_pre_signal") && find(&tsan.post_signal, "__tsan_mutex_post_signal"))
        ghcomp_observers_add(GHCOMP_OBSERVE_RACES);
}

void ghcomp_races_release_slow(const volatile void *point)
{
    tsan.release((void *)(uintptr_t)point);
}

void ghcomp_races_acquire_slow(const volatile void *point)
{
    tsan.acquire((void *)(uintptr_t)point);
}

/* ThreadSanitizer's brackets around the signalling of a mutex make it ignore the thread's accesses in between, and have
   no other effect. They are the only such functions in both compilers' ThreadSanitizer. */
void ghcomp_races_hide_slow(void)
{
    tsan.pre_signal(&tsan, 0);
}

void ghcomp_races_show_slow(void)
{
    tsan.post_signal(&tsan, 0);
}

enum { POINT_BITS = 12 };

const uint64_t *ghcomp_races_point(const volatile void *of, uint64_t number)
{
    static const uint64_t mix = UINT64_C(0x9e3779b97f4a7c15);
    static uint64_t points[1 << POINT_BITS][GHCOMP_RACES_KINDS]; /* never written: only their addresses count */
    uint64_t hash = ((uint64_t)(uintptr_t)of * mix ^ number) * mix;
    return points[hash >> (64 - POINT_BITS)];
}
