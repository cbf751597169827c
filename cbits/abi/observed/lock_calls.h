/* The lock routines that omp/omp_lock.c and kmp/kmp_lock.c have in common, with the events of a tool
 * (core/tool/tool.h). Used inside the exported functions, whose callers' addresses the events have. Covered by
 * test/ompt, test/conformance/lock and test/clang/locks.c. */
#pragma once

#include "abi/observed/lock.h"

static inline _Atomic uint32_t *simple(void *lock)
{
    return lock;
}

static inline struct ghcomp_nest_lock *nested(void *lock)
{
    return lock;
}

/* The name by which the caller already owns the nest lock: its task's or its thread's, depending on which compiler's
   code took it. 0: it does not own it. */
static inline uint32_t name_held_by(const void *lock, const struct ghcomp_member *self)
{
    uint32_t held = ghcomp_load_relaxed(&((const struct ghcomp_nest_lock *)lock)->owner);
    return held == self->task->id || held == self->thread->lock_name ? held : 0;
}

/* Whether the owner's last take was a further one of a lock that it already had. Called by the owner. */
static inline bool taken_again(struct ghcomp_nest_lock *lock)
{
    return ghcomp_load_relaxed(&lock->lock) >= GHCOMP_NEST_ONE;
}

static inline void report_init(void *lock, unsigned hint, bool nests)
{
    ghcomp_tool_lock_init(nests ? ompt_mutex_nest_lock : ompt_mutex_lock, hint, lock);
}

static inline void report_destroy(void *lock, bool nests)
{
    ghcomp_tool_lock_destroy(nests ? ompt_mutex_nest_lock : ompt_mutex_lock, lock);
}

static inline void report_taken(void *lock, ompt_mutex_t kind, bool again)
{
    if (again)
        ghcomp_tool_nest(ompt_scope_begin, lock);
    else
        ghcomp_tool_mutex_taken(kind, lock);
}

#define LOCK_INIT(lock, hint)                                                              \
    do {                                                                                   \
        GHCOMP_TOOL_SITE();                                                                \
        ghcomp_lock_init(simple(lock));                                                    \
        if (ghcomp_tool_on())                                                              \
            report_init(lock, hint, false);                                                \
    } while (0)
#define LOCK_DESTROY(lock)                                                                 \
    do {                                                                                   \
        GHCOMP_TOOL_SITE();                                                                \
        if (ghcomp_tool_on())                                                              \
            report_destroy(lock, false);                                                   \
        ghcomp_lock_init(simple(lock));                                                    \
    } while (0)
#define LOCK_SET(lock) TAKE_SIMPLE(ompt_mutex_lock, 0, lock)
#define LOCK_UNSET(lock) GIVE_SIMPLE(ompt_mutex_lock, lock)
#define LOCK_TEST(lock, result)                                                            \
    do {                                                                                   \
        if (ghcomp_observed_now())                                                         \
            result = try_observed(ompt_mutex_test_lock, lock, try_simple,                  \
                                  __builtin_return_address(0), __builtin_dwarf_cfa());     \
        else                                                                               \
            result = ghcomp_lock_try(simple(lock));                                        \
    } while (0)

#define NEST_INIT(lock, hint)                                                              \
    do {                                                                                   \
        GHCOMP_TOOL_SITE();                                                                \
        ghcomp_nest_lock_init(nested(lock));                                               \
        if (ghcomp_tool_on())                                                              \
            report_init(lock, hint, true);                                                 \
    } while (0)
#define NEST_DESTROY(lock)                                                                 \
    do {                                                                                   \
        GHCOMP_TOOL_SITE();                                                                \
        if (ghcomp_tool_on())                                                              \
            report_destroy(lock, true);                                                    \
        ghcomp_nest_lock_init(nested(lock));                                               \
    } while (0)
#define NEST_SET(lock, owner)                                                              \
    do {                                                                                   \
        bool observed = ghcomp_tool_on();                                                  \
        if (observed) {                                                                    \
            GHCOMP_TOOL_SITE();                                                            \
            ghcomp_tool_mutex_wait(ompt_mutex_nest_lock, 0, lock);                         \
        }                                                                                  \
        ghcomp_nest_lock_take(nested(lock), owner);                                        \
        if (observed)                                                                      \
            report_taken(lock, ompt_mutex_nest_lock, taken_again(nested(lock)));           \
    } while (0)
#define NEST_UNSET(lock)                                                                   \
    do {                                                                                   \
        bool observed = ghcomp_tool_on(), inner = observed && taken_again(nested(lock));   \
        GHCOMP_TOOL_SITE();                                                                \
        ghcomp_nest_lock_give(nested(lock));                                               \
        if (observed && inner)                                                             \
            ghcomp_tool_nest(ompt_scope_end, lock);                                        \
        else if (observed)                                                                 \
            ghcomp_tool_mutex_given(ompt_mutex_nest_lock, lock);                           \
    } while (0)
#define NEST_TEST(lock, owner, result)                                                     \
    do {                                                                                   \
        bool observed = ghcomp_tool_on();                                                  \
        if (observed) {                                                                    \
            GHCOMP_TOOL_SITE();                                                            \
            ghcomp_tool_mutex_wait(ompt_mutex_test_nest_lock, 0, lock);                    \
        }                                                                                  \
        result = ghcomp_nest_lock_try(nested(lock), owner);                                \
        if (observed && result)                                                            \
            report_taken(lock, ompt_mutex_test_nest_lock, result > 1);                     \
        else if (observed)                                                                 \
            ghcomp_tool_mutex_missed();                                                    \
    } while (0)
