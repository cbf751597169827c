/* Lock routines by the entries that compiled code may call instead of omp_*, and those with a hint, which has no effect
 * and is reported to a tool. The lock is in the first bytes of the program's variable, as in omp/omp_lock.c. Tests:
 * test/clang/locks.c, test/ompt/constructs.c. */
#include "abi/abi.h"
#include "abi/observed/lock_calls.h"
#include "core/task/task.h"

static inline uint32_t owner(void)
{
    return ghcomp_task_id(ghcomp_self_of_libomp()->task);
}

#define ENTRY(name, type, action)                                              \
    type __kmpc_##name(struct kmp_ident *loc, int32_t thread, void **lock)     \
    {                                                                          \
        (void)loc, (void)thread;                                               \
        action;                                                                \
    }

ENTRY(init_lock, void, LOCK_INIT(lock, 0))
ENTRY(destroy_lock, void, LOCK_DESTROY(lock))
ENTRY(set_lock, void, LOCK_SET(lock))
ENTRY(unset_lock, void, LOCK_UNSET(lock))
ENTRY(test_lock, int32_t, int32_t result; LOCK_TEST(lock, result); return result)
ENTRY(init_nest_lock, void, NEST_INIT(lock, 0))
ENTRY(destroy_nest_lock, void, NEST_DESTROY(lock))
ENTRY(set_nest_lock, void, NEST_SET(lock, owner()))
ENTRY(unset_nest_lock, void, NEST_UNSET(lock))
ENTRY(test_nest_lock, int32_t, int32_t result; NEST_TEST(lock, owner(), result); return result)

/* A hint has no effect on the lock; it is reported to a tool. */
void __kmpc_init_lock_with_hint(struct kmp_ident *loc, int32_t thread, void **lock, uintptr_t hint)
{
    (void)loc, (void)thread;
    LOCK_INIT(lock, (unsigned)hint);
}

void __kmpc_init_nest_lock_with_hint(struct kmp_ident *loc, int32_t thread, void **lock, uintptr_t hint)
{
    (void)loc, (void)thread;
    NEST_INIT(lock, (unsigned)hint);
}

/* In C and Fortran. libgomp has no function of these names: its header makes them the plain ones. */
void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint)
{
    LOCK_INIT(lock, (unsigned)hint);
}

void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint)
{
    NEST_INIT(lock, (unsigned)hint);
}

void omp_init_lock_with_hint_(void **lock, const int32_t *hint)
{
    LOCK_INIT(lock, (unsigned)*hint);
}

void omp_init_nest_lock_with_hint_(void **lock, const int32_t *hint)
{
    NEST_INIT(lock, (unsigned)*hint);
}

GHCOMP_ABI_OBJECT(kmp_lock);
