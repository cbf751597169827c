/* Linux: making and joining threads, whether they can be made, and the message's advice if not. Contract in os.h.
 *
 * A worker should have the CPUs that the process was started with, not those of the thread whose region makes it. If
 * this mask cannot be set, by any error (CPUs have left the cpuset, a sandbox denies the call), the thread is made
 * without one, as on libgomp.
 *
 * Called by pool.c, worker.c, capabilities.c, host_boot.c. Covered by test/unit/os.c, test/fault/{denied,inject}.py,
 * test/hostile/limits_resources.c, test/container/few.py.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/cgroup.h"
#include "host/os.h"

enum { MASK_BYTES = 1024 }; /* as os_linux.c's */

/* Whether a thread that the caller makes inherits the saved mask. */
static bool inherits_saved_affinity(void)
{
    unsigned char bytes[MASK_BYTES];
    cpu_set_t *mine = (cpu_set_t *)bytes;
    size_t size;
    const cpu_set_t *saved = ghcomp_os_affinity(&size);
    return ghcomp_os_mask(mine, size) == 0 && CPU_EQUAL_S(size, mine, saved);
}

void ghcomp_os_once(struct ghcomp_os_once *once, void (*function)(void))
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    if (ghcomp_load_acquire(&once->done))
        return;
    sigset_t held, mine;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&held, faults[i]);
    pthread_sigmask(SIG_BLOCK, &held, &mine);
    pthread_once(&once->control, function);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
    ghcomp_store_release(&once->done, true);
}

static void set_stack(pthread_attr_t *attributes, size_t stack)
{
    if (stack == 0)
        return;
    size_t page = ghcomp_os_page_size();
    /* The greatest sizes cannot be rounded up; with them pthread_create fails in any case. */
    size_t whole = (stack < SIZE_MAX - page ? stack + page - 1 : stack) / page * page;
    long least = sysconf(_SC_THREAD_STACK_MIN);
    pthread_attr_setstacksize(attributes, least > 0 && whole < (size_t)least ? (size_t)least : whole);
}

/* The attributes of every attempt. */
struct wanted {
    void *(*entry)(void *);
    void *argument;
    size_t stack;
    bool patient;
};

/* Makes a thread, by one attempt or, if `patient`, by several: while another thread executes a program (execve),
   clone() fails with EAGAIN for a moment, and ending the process would prevent the execution. If threads really are
   short, later calls do not wait again. */
static int create(pthread_t *handle, const struct wanted *wanted, const pthread_attr_t *attributes)
{
    enum { RETRIES = 100, RETRY_NS = 1000000 };
    static _Atomic bool scarce; /* atomic(relaxed): a hint */
    int error = pthread_create(handle, attributes, wanted->entry, wanted->argument);
    for (int i = 0; wanted->patient && error == EAGAIN && i < RETRIES && !ghcomp_load_relaxed(&scarce); i++) {
        ghcomp_os_nap(RETRY_NS);
        error = pthread_create(handle, attributes, wanted->entry, wanted->argument);
    }
    if (error == 0 || (error == EAGAIN && wanted->patient))
        ghcomp_store_relaxed(&scarce, error != 0);
    return error;
}

static int create_with(pthread_t *handle, const struct wanted *wanted, const cpu_set_t *mask, size_t size)
{
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0)
        return error;
    set_stack(&attributes, wanted->stack);
    if (mask != NULL)
        pthread_attr_setaffinity_np(&attributes, size, mask);
    error = create(handle, wanted, &attributes);
    pthread_attr_destroy(&attributes);
    return error;
}

static int spawn(pthread_t *handle, const struct wanted *wanted)
{
    /* No mask of its own if it is not needed: pthread_create stops a new thread until its mask is set, which takes
       several system calls and context switches; and where futex calls are denied, the C library ends a process that
       has to wait there. */
    if (inherits_saved_affinity() || !ghcomp_os_futex_allowed())
        return create_with(handle, wanted, NULL, 0);
    size_t size;
    const cpu_set_t *saved = ghcomp_os_affinity(&size);
    int error = create_with(handle, wanted, saved, size);
    return error == 0 ? 0 : create_with(handle, wanted, NULL, 0);
}

int ghcomp_os_spawn(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack)
{
    return spawn(handle, &(struct wanted){entry, argument, stack, true});
}

int ghcomp_os_spawn_at_once(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack)
{
    return spawn(handle, &(struct wanted){entry, argument, stack, false});
}

int ghcomp_os_spawn_quiet(pthread_t *handle, void *(*entry)(void *), void *argument)
{
    sigset_t all, mine;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mine);
    int error = ghcomp_os_spawn(handle, entry, argument, 0);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
    return error;
}

const char *ghcomp_os_spawn_advice(int error)
{
    switch (error) {
    case EAGAIN:
    case ENOMEM:
        return "raise the limit on processes or memory, or use fewer threads";
    case EINVAL:
        return "set OMP_STACKSIZE to a size that the system accepts, or use fewer threads";
    default:
        return "a sandbox denies it: let the process make threads, or set OMP_NUM_THREADS=1";
    }
}

void ghcomp_os_detach(pthread_t handle)
{
    pthread_detach(handle);
}

/* Polls, because GCC 12's ThreadSanitizer does not know the call that waits by the monotonic clock. Counts time in
   naps, so that a clock that jumps does not matter. */
uint64_t ghcomp_os_join(pthread_t handle, uint64_t ns)
{
    enum { LONGEST_NAP_NS = 1000000 };
    uint32_t nap = 10000;
    while (pthread_tryjoin_np(handle, NULL) != 0) {
        if (nap > ns) {
            pthread_detach(handle);
            return 0;
        }
        ghcomp_os_nap(nap);
        ns -= nap;
        nap = nap < LONGEST_NAP_NS ? 2 * nap : nap;
    }
    return ns;
}

/* --- whether threads can be made ---------------------------------------------------------------------------------- */

static void *pass_gate(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

enum { MOST = 64 };

/* Makes `count` threads, at most MOST, which take no signals, and ends them. Their stacks are small, so that the C
   library keeps them for later threads: where unmapping is denied, it would end the process. */
static bool make_and_end(uint32_t count)
{
    enum { STACK = 256 << 10 };
    pthread_attr_t attributes;
    pthread_t threads[MOST];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    sigset_t all, mine;
    uint32_t made = 0, wanted = count < MOST ? count : MOST;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    set_stack(&attributes, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &mine);
    pthread_mutex_lock(&gate);
    while (made < wanted && pthread_create(&threads[made], &attributes, pass_gate, &gate) == 0)
        made++;
    pthread_mutex_unlock(&gate);
    for (uint32_t i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&gate);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &mine, NULL);
    return made == wanted;
}

/* Whether RLIMIT_NPROC is so small that only an attempt shows how many threads are left. */
static bool limit_is_small(void)
{
    enum { SMALL_LIMIT = 1024 };
    struct rlimit limit;
    return getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur < SMALL_LIMIT;
}

bool ghcomp_os_threads_within_limits(uint32_t count)
{
    return ghcomp_cgroup_threads_left("") >= count && (!limit_is_small() || make_and_end(count));
}

bool ghcomp_os_threads_available(uint32_t count, uint32_t spare)
{
    if (ghcomp_cgroup_threads_left("") < count + spare)
        return false;
    if (limit_is_small())
        return make_and_end(count + spare);
    /* No attempt after the first thread's pthread_exit: in its exit handlers the C library mistakes the end of any
       other thread for the end of the last one. */
    return ghcomp_os_first_thread_ended() || make_and_end(count);
}
