/* How long waits may last before they sleep: the user's settings, or the defaults. Called by env.c, kmp_settings.c and
   wait.c. Covered by test/unit/{wait,neighbours}.c and test/scripts/environment.sh. */
#pragma once

#include "base/atomic.h"
#include "core/cpu/wait_plan.h"
#include "core/state/icv.h"

enum { GHCOMP_FREE_NS = 2000000 /* spinning on a free CPU, by default */ };

/* Limits of the plan for each kind of wait. Only kmp_set_blocktime() changes them while threads wait: relaxed. */
struct ghcomp_wait_settings {
    uint64_t free_ns[GHCOMP_WAIT_KINDS];
    uint64_t oversubscribed_ns[GHCOMP_WAIT_KINDS];
    _Atomic uint64_t version; /* counts changes: add_acqrel after each, pairs with ghcomp_wait_settings_version */
};
extern struct ghcomp_wait_settings ghcomp_wait_settings GHCOMP_OWN;

/* The limits of one kind, in ns, from the next wait on. Any thread. */
void ghcomp_wait_set_limit(enum ghcomp_wait_kind kind, uint64_t free_ns, uint64_t oversubscribed_ns);
/* From OMP_WAIT_POLICY, GOMP_SPINCOUNT, KMP_BLOCKTIME. */
void ghcomp_wait_settings_init(void);
/* Sets the time for which waits spin on a free CPU, in ns, from the next wait on; UINT64_MAX: without end. */
void ghcomp_wait_set_budget(uint64_t free_ns);

static inline struct ghcomp_wait_limits ghcomp_wait_limits(enum ghcomp_wait_kind kind)
{
    return (struct ghcomp_wait_limits){
        ghcomp_foreign_load_relaxed(&ghcomp_wait_settings.free_ns[kind]),
        ghcomp_foreign_load_relaxed(&ghcomp_wait_settings.oversubscribed_ns[kind]),
    };
}

/* A thread that has this version reads limits that are at least as new. */
static inline uint64_t ghcomp_wait_settings_version(void)
{
    return ghcomp_load_acquire(&ghcomp_wait_settings.version);
}

/* Whether the user has set nothing about waits. */
static inline bool ghcomp_wait_policy_is_default(void)
{
    return ghcomp_global.wait_policy == GHCOMP_POLICY_UNSET && !ghcomp_global.spincount_set &&
           !ghcomp_global.blocktime_set;
}

/* Whether workers without a region sleep after the default time at the latest. With other values of OMP_WAIT_POLICY or
   KMP_BLOCKTIME they may never sleep. */
static inline bool ghcomp_wait_workers_sleep_soon(void)
{
    return ghcomp_wait_limits(GHCOMP_WAIT_MAIL).free <= GHCOMP_FREE_NS;
}
