/* Lock routines by the entries that compiled code may call instead of omp_*, and those with a hint, which has no
 * effect and is reported to a tool. The lock is in the first bytes of the program's variable, as in omp/omp_lock.c. A
 * nest lock belongs to a thread, as in libomp, although by the specification it belongs to a task: programs take it
 * again in a region or task that the owner's thread runs. Tests: test/clang/locks.c, test/ompt/constructs.c. */
#include "abi/abi.h"
#include "abi/observed/lock_calls.h"
#include "core/task/task.h"

static inline uint32_t owner(const void *lock)
{
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    uint32_t held = name_held_by(lock, self);
    return held != 0 ? held : ghcomp_lock_thread_name(self->thread);
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
ENTRY(set_nest_lock, void, NEST_SET(lock, owner(lock)))
ENTRY(unset_nest_lock, void, NEST_UNSET(lock))
ENTRY(test_nest_lock, int32_t, int32_t result; NEST_TEST(lock, owner(lock), result); return result)

/* The nest lock routines of libomp's version, in C and Fortran. */
void ghcomp_omp_set_nest_lock_kmp(omp_nest_lock_t *lock)
{
    NEST_SET(lock, owner(lock));
}

int ghcomp_omp_test_nest_lock_kmp(omp_nest_lock_t *lock)
{
    int result;
    NEST_TEST(lock, owner(lock), result);
    return result;
}

void ghcomp_omp_set_nest_lock__kmp(struct ghcomp_omp_nest_lock8 *lock)
{
    NEST_SET(lock, owner(lock));
}

int32_t ghcomp_omp_test_nest_lock__kmp(struct ghcomp_omp_nest_lock8 *lock)
{
    int32_t result;
    NEST_TEST(lock, owner(lock), result);
    return result;
}

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

/* The routines with a hint, in C and Fortran. libgomp has no functions of these names: its header defines them as the
   plain routines. */
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
