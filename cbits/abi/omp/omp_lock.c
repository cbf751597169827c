/* The names of OpenMP's lock routines, which core/sync/lock.c serves, in libgomp's two versions, in C and Fortran.
 *
 * The versions differ only in the owner of nest locks: a task in OMP_3.0, a thread in OMP_1.0 and in libomp's version,
 * whose two functions that depend on it are in kmp/kmp_lock.c. A lock taken by one version can be taken again by
 * another in the same task or, if its owner is a thread, in the same thread. All of them use eight bytes, because
 * Fortran's and OMP_1.0's storage has no more; C's later type has sixteen. A destroyed lock is the same as an
 * initialised one, because a lock has no resources. The macro at the end binds the names to their versions. Covered by
 * test/conformance/lock and test/mixed. */
#include "abi/abi.h"
#include "abi/observed/lock_calls.h"
#include "core/task/task.h"

static inline uint32_t this_task(const void *lock)
{
    struct ghcomp_member *self = ghcomp_self_of_caller();
    uint32_t held = name_held_by(lock, self);
    return held != 0 ? held : ghcomp_task_id(self->task);
}

static inline uint32_t this_thread(const void *lock)
{
    struct ghcomp_member *self = ghcomp_self_of_caller();
    uint32_t held = name_held_by(lock, self);
    return held != 0 ? held : ghcomp_lock_thread_name(self->thread);
}

#define SIMPLE(version)                                                                \
    void ghcomp_omp_init_lock_##version(omp_lock_t *lock) { LOCK_INIT(lock, 0); }      \
    void ghcomp_omp_destroy_lock_##version(omp_lock_t *lock) { LOCK_DESTROY(lock); }   \
    void ghcomp_omp_set_lock_##version(omp_lock_t *lock) { LOCK_SET(lock); }           \
    void ghcomp_omp_unset_lock_##version(omp_lock_t *lock) { LOCK_UNSET(lock); }       \
    int ghcomp_omp_test_lock_##version(omp_lock_t *lock)                               \
    {                                                                                  \
        int result;                                                                    \
        LOCK_TEST(lock, result);                                                       \
        return result;                                                                 \
    }

#define NEST(version, storage, owner)                                                  \
    void ghcomp_omp_init_nest_lock_##version(storage *lock) { NEST_INIT(lock, 0); }    \
    void ghcomp_omp_destroy_nest_lock_##version(storage *lock) { NEST_DESTROY(lock); } \
    void ghcomp_omp_set_nest_lock_##version(storage *lock) { NEST_SET(lock, owner(lock)); } \
    void ghcomp_omp_unset_nest_lock_##version(storage *lock) { NEST_UNSET(lock); }     \
    int ghcomp_omp_test_nest_lock_##version(storage *lock)                             \
    {                                                                                  \
        int result;                                                                    \
        NEST_TEST(lock, owner(lock), result);                                              \
        return result;                                                                 \
    }

/* C, then Fortran (whose public names end in _). */
SIMPLE(10)
SIMPLE(30)
NEST(10, struct ghcomp_omp_nest_lock8, this_thread)
NEST(30, omp_nest_lock_t, this_task)
SIMPLE(_10)
SIMPLE(_30)
NEST(_10, struct ghcomp_omp_nest_lock8, this_thread)
NEST(_30, struct ghcomp_omp_nest_lock8, this_task)

GHCOMP_ABI_OBJECT(omp_lock);
