/* The names of OpenMP's lock routines, which core/sync/lock.c serves, in libgomp's two versions, in C and Fortran.
 *
 * Nest locks belong to tasks in version OMP_3.0 and to threads in OMP_1.0 (and in libomp's, whose two functions that
 * ask are in kmp/kmp_lock.c); that is the only difference. All of them use
 * eight bytes, because Fortran's and OMP_1.0's storage has no more; C's later type has sixteen. A destroyed lock is the
 * same as an initialised one, because a lock has no resources. The macro at the end binds the names to their versions.
 * Covered by test/conformance/lock. */
#include "abi/abi.h"
#include "abi/observed/lock_calls.h"
#include "core/task/task.h"

static inline uint32_t this_task(void)
{
    return ghcomp_task_id(ghcomp_self_of_caller()->task);
}

static inline uint32_t this_thread(void)
{
    return ghcomp_lock_thread_name(ghcomp_self_of_caller()->thread);
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
    void ghcomp_omp_set_nest_lock_##version(storage *lock) { NEST_SET(lock, owner()); } \
    void ghcomp_omp_unset_nest_lock_##version(storage *lock) { NEST_UNSET(lock); }     \
    int ghcomp_omp_test_nest_lock_##version(storage *lock)                             \
    {                                                                                  \
        int result;                                                                    \
        NEST_TEST(lock, owner(), result);                                              \
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
