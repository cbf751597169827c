/* Linux: sleep, wake-up, nap and yield. Contract in os.h.
 *
 * A sandbox (seccomp, an emulated kernel) may refuse futex calls, all of them or an operation, to the process or to one
 * thread, from the start or later. Then:
 *
 *   - A sleep that is refused is a poll: naps that grow, for POLL_NS at most, since a wake-up need not change the word.
 *   - A wake-up that is refused is tried again by the other futex operation. If that is refused, too, `refused` is set
 *     for good; from then on all sleeps of the process are polls, which notice the changed word without a wake-up.
 *   - A thread that sleeps in the kernel at that moment is not reached. So a sleep ends after SLEEP_S; the caller reads
 *     its word and calls again. (A sleep of a class without a limit is not bounded: its end would have to be given as a
 *     time of the kernel's clock, which takes a system call to read. Locks and barriers of more than eight threads
 *     sleep like that.)
 *
 * Naps, too, may be refused; the last resort is to yield. GHC's RTS and the C library's condition variables need the
 * calls: ghcomp_os_futex_allowed. Called by everything that waits. Covered by test/unit/os.c, test/fault/denied.py.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/os.h"

enum { SLEEP_S = 10, POLL_NS = 5000000, FIRST_NAP_NS = 20000 };

/* atomic(relaxed): a wake-up was refused. A sleeper that does not see it yet sleeps for SLEEP_S at most. */
static _Atomic bool refused;

/* Whether the kernel has refused a sleep; errno is the call's. */
static inline bool sleep_refused(long result)
{
    return ghcomp_unlikely(result != 0) && errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT;
}

static __attribute__((noinline, cold)) void poll_word(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds)
{
    uint32_t left = nanoseconds < POLL_NS ? nanoseconds : POLL_NS, nap = FIRST_NAP_NS;
    for (; left > 0 && ghcomp_load_relaxed(word) == value; nap *= 2) {
        nap = nap < left ? nap : left;
        ghcomp_os_nap(nap);
        left -= nap;
    }
}

/* Sleeps by the given operation; FUTEX_WAIT means all classes, and takes its limit as a duration. Inline, because it is
   on the path of each sleep. */
static inline void sleep_by(int operation, _Atomic uint32_t *word, uint32_t value, const struct timespec *limit,
                            uint32_t classes, uint32_t poll_ns)
{
    int saved_errno = errno;
    if (ghcomp_unlikely(ghcomp_load_relaxed(&refused)) ||
        sleep_refused(syscall(SYS_futex, word, operation, value, limit, NULL, classes)))
        poll_word(word, value, poll_ns);
    errno = saved_errno;
}

void ghcomp_os_sleep(_Atomic uint32_t *word, uint32_t value)
{
    static const struct timespec limit = {.tv_sec = SLEEP_S};
    sleep_by(FUTEX_WAIT_PRIVATE, word, value, &limit, UINT32_MAX, POLL_NS);
}

void ghcomp_os_sleep_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds)
{
    struct timespec limit = {.tv_nsec = nanoseconds};
    sleep_by(FUTEX_WAIT_PRIVATE, word, value, &limit, UINT32_MAX, nanoseconds);
}

void ghcomp_os_sleep_class(_Atomic uint32_t *word, uint32_t value, uint32_t classes)
{
    if (classes == UINT32_MAX) {
        ghcomp_os_sleep(word, value);
        return;
    }
    sleep_by(FUTEX_WAIT_BITSET_PRIVATE, word, value, NULL, classes, POLL_NS);
}

/* The end of a sleep of a class is a time of the kernel's clock, which is read by a system call, because a library that
   fakes the time may replace clock_gettime. */
void ghcomp_os_sleep_class_for(_Atomic uint32_t *word, uint32_t value, uint32_t classes, uint32_t nanoseconds)
{
    enum { SECOND = 1000000000 };
    int saved_errno = errno;
    struct timespec end;
    if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &end) != 0) {
        poll_word(word, value, nanoseconds);
        errno = saved_errno;
        return;
    }
    end.tv_nsec += nanoseconds;
    end.tv_sec += end.tv_nsec / SECOND;
    end.tv_nsec %= SECOND;
    sleep_by(FUTEX_WAIT_BITSET_PRIVATE, word, value, &end, classes, nanoseconds);
}

/* Wakes by one operation or, if that is refused, by the other, which then wakes all that sleep on the word. */
static int wake(_Atomic uint32_t *word, int count, uint32_t classes)
{
    int saved_errno = errno, operation = classes == UINT32_MAX ? FUTEX_WAKE_PRIVATE : FUTEX_WAKE_BITSET_PRIVATE;
    long woken = syscall(SYS_futex, word, operation, count, NULL, NULL, classes);
    if (ghcomp_unlikely(woken < 0) && errno != EFAULT) { /* EFAULT: the address is not mapped any more */
        operation = classes == UINT32_MAX ? FUTEX_WAKE_BITSET_PRIVATE : FUTEX_WAKE_PRIVATE;
        woken = syscall(SYS_futex, word, operation, INT_MAX, NULL, NULL, UINT32_MAX);
        if (woken < 0 && errno != EFAULT)
            ghcomp_store_relaxed(&refused, true);
    }
    errno = saved_errno;
    return woken > 0 ? (int)woken : 0;
}

int ghcomp_os_wake(_Atomic uint32_t *word, int count)
{
    return wake(word, count, UINT32_MAX);
}

void ghcomp_os_wake_class(_Atomic uint32_t *word, int count, uint32_t classes)
{
    wake(word, count, classes);
}

bool ghcomp_os_futex_allowed(void)
{
    static _Atomic uint32_t word; /* 0 */
    int saved_errno = errno;
    bool allowed = !sleep_refused(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0)) &&
                   !sleep_refused(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 1, NULL, NULL, 1)) &&
                   syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) >= 0;
    errno = saved_errno;
    return allowed;
}

void ghcomp_os_nap(uint32_t nanoseconds)
{
    int saved_errno = errno;
    struct timespec nap = {.tv_sec = 0, .tv_nsec = nanoseconds};
    /* Not nanosleep: a cancellation of the thread must not act inside a wait of the runtime's. */
    if (ghcomp_unlikely(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &nap, NULL) != 0) && errno != EINTR &&
        syscall(SYS_ppoll, NULL, 0, &nap, NULL, 0) != 0 && errno != EINTR)
        sched_yield();
    errno = saved_errno;
}

void ghcomp_os_yield(void)
{
    sched_yield();
}
