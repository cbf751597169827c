/* Mutual exclusion on observed paths: the events of a tool (core/tool/tool.h) around a lock that is taken or given.
 *
 * An entry loads the word of the observers once (core/observe/observers.h). If no hook is active, it takes the lock by
 * a function without hooks; otherwise it calls one of the functions here with the function that reports to
 * ThreadSanitizer. They are separate functions, because calls beside that of the lock would make each entry save
 * registers. Callers: observed/lock_calls.h, gomp/gomp_{sync,ordered}.c, kmp/kmp_{sync,ordered}.c. Covered by
 * test/ompt/exclusion.c and test/tsan. */
#pragma once

#include "core/observe/observers.h"
#include "core/sync/lock.h"
#include "core/tool/tool.h"

#define OBSERVED_PATH static __attribute__((noinline, cold, unused))

/* Stores the entry's call site; returns whether a tool is registered. The first call of the process may find out here
   that there is no tool. */
OBSERVED_PATH bool tool_listens(const void *return_address, void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, 0);
    return ghcomp_tool_on();
}

OBSERVED_PATH void take_observed(ompt_mutex_t kind, unsigned hint, void *lock, void (*take)(void *),
                                 const void *return_address, void *frame)
{
    bool listens = tool_listens(return_address, frame);
    if (listens)
        ghcomp_tool_mutex_wait(kind, hint, lock);
    take(lock);
    if (listens)
        ghcomp_tool_mutex_taken(kind, lock);
}

OBSERVED_PATH void give_observed(ompt_mutex_t kind, void *lock, void (*give)(void *), const void *return_address,
                                 void *frame)
{
    give(lock);
    if (tool_listens(return_address, frame))
        ghcomp_tool_mutex_given(kind, lock);
}

OBSERVED_PATH bool try_observed(ompt_mutex_t kind, void *lock, bool (*try)(void *), const void *return_address,
                                void *frame)
{
    bool listens = tool_listens(return_address, frame);
    if (listens)
        ghcomp_tool_mutex_wait(kind, 0, lock);
    bool taken = try(lock);
    if (listens && taken)
        ghcomp_tool_mutex_taken(kind, lock);
    else if (listens)
        ghcomp_tool_mutex_missed();
    return taken;
}

/* The functions that the ones above get as arguments for simple locks. */
OBSERVED_PATH void take_simple(void *lock)
{
    ghcomp_user_lock_take(lock);
}

OBSERVED_PATH void give_simple(void *lock)
{
    ghcomp_user_lock_give(lock);
}

OBSERVED_PATH bool try_simple(void *lock)
{
    return ghcomp_user_lock_try(lock);
}

/* Macros, because they are used in the exported functions, whose return addresses the events contain. */
#define TAKE_SIMPLE(kind, hint, lock)                                                                         \
    do {                                                                                                      \
        if (ghcomp_observed_now())                                                                            \
            take_observed(kind, hint, lock, take_simple, __builtin_return_address(0), __builtin_dwarf_cfa()); \
        else                                                                                                  \
            ghcomp_lock_take((_Atomic uint32_t *)(lock));                                                     \
    } while (0)
#define GIVE_SIMPLE(kind, lock)                                                                             \
    do {                                                                                                    \
        if (ghcomp_observed_now())                                                                          \
            give_observed(kind, lock, give_simple, __builtin_return_address(0), __builtin_dwarf_cfa());     \
        else                                                                                                \
            ghcomp_lock_give((_Atomic uint32_t *)(lock));                                                   \
    } while (0)
