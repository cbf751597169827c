/* Locks of four bytes in the caller's storage, and nest locks of eight. Protocol in lock.c.
 *
 * A lock is an _Atomic uint32_t that starts as 0 and may live in any zeroed memory. A take reads with acquire order
 * what the last give wrote with release order, so everything before a give happens before everything after the next
 * take. Nothing is ever allocated for a lock.
 */
#pragma once

#include "core/state/types.h"
#include "core/tsan/races.h"

/* Bits of a lock's word; the meaning is in lock.c. */
enum {
    GHCOMP_LOCK_HELD = 1,
    GHCOMP_LOCK_SLEEPERS = 2,
    GHCOMP_LOCK_CLAIMED = 4,
    GHCOMP_LOCK_CLAIM_SLEEPS = 8
};

/* The slow paths. */
void ghcomp_lock_take_slow(_Atomic uint32_t *lock);
/* A take that gives up after about that many nanoseconds (below a second): true, the lock is taken. */
bool ghcomp_lock_take_for(_Atomic uint32_t *lock, uint32_t nanoseconds);
bool ghcomp_lock_try_slow(_Atomic uint32_t *lock);
void ghcomp_lock_give_slow(_Atomic uint32_t *lock);

static inline void ghcomp_lock_init(_Atomic uint32_t *lock)
{
    ghcomp_store_release(lock, 0u);
}

static inline void ghcomp_lock_take(_Atomic uint32_t *lock)
{
    uint32_t word = 0;
    if (ghcomp_unlikely(!ghcomp_cas_acquire(lock, &word, GHCOMP_LOCK_HELD)))
        ghcomp_lock_take_slow(lock);
}

/* True: the lock is taken. Never waits. */
static inline bool ghcomp_lock_try(_Atomic uint32_t *lock)
{
    uint32_t word = 0;
    return ghcomp_likely(ghcomp_cas_acquire(lock, &word, GHCOMP_LOCK_HELD)) || ghcomp_lock_try_slow(lock);
}

/* Called by the holder, or by a thread to which the holder has passed this duty. */
static inline void ghcomp_lock_give(_Atomic uint32_t *lock)
{
    uint32_t word = GHCOMP_LOCK_HELD;
    if (ghcomp_unlikely(!ghcomp_cas_release(lock, &word, 0u)))
        ghcomp_lock_give_slow(lock);
}

/* The same for the locks of programs, with hooks for ThreadSanitizer. */
static inline void ghcomp_user_lock_take(_Atomic uint32_t *lock)
{
    ghcomp_lock_take(lock);
    ghcomp_races_acquire(ghcomp_observers_now(), lock);
}

static inline bool ghcomp_user_lock_try(_Atomic uint32_t *lock)
{
    if (!ghcomp_lock_try(lock))
        return false;
    ghcomp_races_acquire(ghcomp_observers_now(), lock);
    return true;
}

static inline void ghcomp_user_lock_give(_Atomic uint32_t *lock)
{
    ghcomp_races_release(ghcomp_observers_now(), lock);
    ghcomp_lock_give(lock);
}

/* Set in the names of threads in nest locks, so that they differ from those of tasks. */
#define GHCOMP_LOCK_OF_THREAD 0x80000000u

/* A lock that its owner may take again. `owner` is a name that the caller chooses: of a task (ghcomp_task_id) or of a
   thread (ghcomp_lock_thread_name), never 0. */
struct ghcomp_nest_lock {
    _Atomic uint32_t lock;  /* as above; its bits from GHCOMP_NEST_ONE up count the takes beyond the first */
    _Atomic uint32_t owner; /* atomic(relaxed): only the owner ever finds its own name here */
};
_Static_assert(sizeof(struct ghcomp_nest_lock) == 8, "Fortran and OMP_1.0 have eight bytes for it");

#define GHCOMP_NEST_ONE 256u

void ghcomp_nest_lock_init(struct ghcomp_nest_lock *nest);
void ghcomp_nest_lock_take(struct ghcomp_nest_lock *nest, uint32_t owner);
/* The new nesting depth; 0: another owner has the lock. */
int ghcomp_nest_lock_try(struct ghcomp_nest_lock *nest, uint32_t owner);
void ghcomp_nest_lock_give(struct ghcomp_nest_lock *nest);

/* The calling thread's name in nest locks that belong to threads; unique in the process. */
uint32_t ghcomp_lock_thread_name(struct ghcomp_thread *thread);
