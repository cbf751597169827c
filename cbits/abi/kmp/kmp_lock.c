/* Lock routines by the entries that compiled code may call instead of omp_*: the lock is in the first bytes of the
 * program's variable, as in omp/omp_lock.c. Tests: test/clang/locks.c. */
#include "abi/abi.h"
#include "core/sync/lock.h"

static inline _Atomic uint32_t *simple(void *lock)
{
    return lock;
}

static inline struct ghcomp_nest_lock *nested(void *lock)
{
    return lock;
}

static inline uint32_t owner(void)
{
    return ghcomp_task_id(ghcomp_self()->task);
}

#define ENTRY(name, type, action)                                              \
    type __kmpc_##name(struct kmp_ident *loc, int32_t thread, void **lock)     \
    {                                                                          \
        (void)loc, (void)thread;                                               \
        action;                                                                \
    }

ENTRY(init_lock, void, ghcomp_lock_init(simple(lock)))
ENTRY(destroy_lock, void, ghcomp_lock_init(simple(lock)))
ENTRY(set_lock, void, ghcomp_user_lock_take(simple(lock)))
ENTRY(unset_lock, void, ghcomp_user_lock_give(simple(lock)))
ENTRY(test_lock, int32_t, return ghcomp_user_lock_try(simple(lock)))
ENTRY(init_nest_lock, void, ghcomp_nest_lock_init(nested(lock)))
ENTRY(destroy_nest_lock, void, ghcomp_nest_lock_init(nested(lock)))
ENTRY(set_nest_lock, void, ghcomp_nest_lock_take(nested(lock), owner()))
ENTRY(unset_nest_lock, void, ghcomp_nest_lock_give(nested(lock)))
ENTRY(test_nest_lock, int32_t, return ghcomp_nest_lock_try(nested(lock), owner()))

/* A hint changes nothing that a program could see. */
void __kmpc_init_lock_with_hint(struct kmp_ident *loc, int32_t thread, void **lock, uintptr_t hint)
{
    (void)hint;
    __kmpc_init_lock(loc, thread, lock);
}

void __kmpc_init_nest_lock_with_hint(struct kmp_ident *loc, int32_t thread, void **lock, uintptr_t hint)
{
    (void)hint;
    __kmpc_init_nest_lock(loc, thread, lock);
}

/* In C and Fortran. libgomp has no function of these names: its header makes them the plain ones. */
void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    ghcomp_lock_init(simple(lock));
}

void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    ghcomp_nest_lock_init(nested(lock));
}

void omp_init_lock_with_hint_(void **lock, const int32_t *hint)
{
    (void)hint;
    ghcomp_lock_init(simple(lock));
}

void omp_init_nest_lock_with_hint_(void **lock, const int32_t *hint)
{
    (void)hint;
    ghcomp_nest_lock_init(nested(lock));
}

GHCOMP_ABI_OBJECT(kmp_lock);
