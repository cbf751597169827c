/* Dense numbers for the process's threads.
 *
 * A thread takes the lowest free number when it first needs one, and gives it back when it ends. Code by clang indexes
 * arrays by it, so it is small and never belongs to two living threads. The bits of `taken` are the numbers in use: a
 * thread sets one by cas_acquire and clears it by cas_release, so that the last owner's writes at that number
 * (threadprivate data) happen before the next owner's first use. There is no lock that a fork() could lose.
 *
 * The process's first thread to ask may get number 0 before it is registered: `promised` is its pthread_self(), written
 * by that thread alone once it has taken the number (store_release; others only compare it with their own). It takes up
 * the promise when it is registered, or never.
 *
 * Called by abi/kmp and thread.c. Covered by test/clang/{regions,mask_late}.c.
 */
#include "core/team/thread_number.h"

#include <pthread.h>

#include "base/check.h"
#include "core/state/icv.h"
#include "core/team/team.h"
#include "core/tool/tool.h"

enum { WORDS = 4096 };

static _Atomic uint64_t taken[WORDS];

static _Atomic uintptr_t promised;

static bool has_promise(void)
{
    return ghcomp_load_acquire(&promised) == (uintptr_t)pthread_self();
}

/* Promises number 0 to the calling thread, unless it has been given away. True again for the same thread. */
static bool promise(void)
{
    if (has_promise())
        return true;
    uint64_t none = 0;
    if (!ghcomp_cas_acquire(&taken[0], &none, 1))
        return false;
    ghcomp_thread_join_at_exit();
    ghcomp_store_release(&promised, (uintptr_t)pthread_self());
    return true;
}

/* A thread that only asks for its number is not registered: that would decide how many CPUs there are (env_first.c).
   Where there is a tool it is, as in libomp. */
uint32_t ghcomp_thread_number_asked(void)
{
    if (ghcomp_self_member == NULL && !ghcomp_tool_on() && ghcomp_env_settle() && promise())
        return 0;
    return ghcomp_thread_number(ghcomp_thread_register_for_libomp()->thread);
}

uint32_t ghcomp_thread_number_take(struct ghcomp_thread *thread)
{
    ghcomp_thread_join_at_exit();
    if (ghcomp_unlikely(has_promise())) {
        ghcomp_store_release(&promised, 0u);
        thread->dense_number = 1;
        return 0;
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        uint64_t word = ghcomp_load_relaxed(&taken[i]);
        while (word != UINT64_MAX) {
            uint32_t bit = (uint32_t)__builtin_ctzll(~word);
            if (ghcomp_cas_acquire(&taken[i], &word, word | UINT64_C(1) << bit)) {
                thread->dense_number = i * 64 + bit + 1;
                return i * 64 + bit;
            }
        }
    }
    ghcomp_fatal("more than %d threads of the process run OpenMP code of clang or flang; use fewer", WORDS * 64);
}

void ghcomp_thread_number_give(struct ghcomp_thread *thread)
{
    if (thread->dense_number == 0)
        return;
    uint32_t number = thread->dense_number - 1;
    thread->dense_number = 0;
    uint64_t word = ghcomp_load_relaxed(&taken[number / 64]);
    while (!ghcomp_cas_release(&taken[number / 64], &word, word & ~(UINT64_C(1) << number % 64)))
        continue;
}

uint32_t ghcomp_thread_numbers_taken(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < WORDS; i++)
        count += (uint32_t)__builtin_popcountll(ghcomp_load_relaxed(&taken[i]));
    return count;
}

void ghcomp_thread_number_fork_child(struct ghcomp_thread *thread)
{
    for (uint32_t i = 0; i < WORDS; i++)
        if (ghcomp_load_relaxed(&taken[i]) != 0)
            ghcomp_store_relaxed(&taken[i], 0);
    if (has_promise())
        ghcomp_store_relaxed(&taken[0], 1);
    else
        ghcomp_store_relaxed(&promised, 0u);
    if (thread != NULL && thread->dense_number != 0) {
        uint32_t number = thread->dense_number - 1;
        ghcomp_store_relaxed(&taken[number / 64], UINT64_C(1) << number % 64);
    }
}
