/* Linux: clocks, CPUs, limits, stacks, /proc. Waits are in os_futex.c, threads in os_threads.c. Contract in os.h;
 * covered by test/unit/os.c, and with each system call denied by test/fault/denied.py. */
#include "host/os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* Enough for any kernel's mask: sched_getaffinity fails with EINVAL when the mask is too small. */
enum { MASK_BYTES = 1024 };
static union mask {
    cpu_set_t set;
    unsigned char bytes[MASK_BYTES];
} saved_affinity, whole_affinity; /* the second one without ghcomp_os_narrow_mask */
static uint32_t saved_cpus = 1;
static size_t saved_size = sizeof(cpu_set_t);

static bool register_fence(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void ghcomp_os_save_mask(void)
{
    long got = syscall(SYS_sched_getaffinity, 0, sizeof saved_affinity, &saved_affinity);
    if (got > 0) {
        saved_size = (size_t)got < sizeof(cpu_set_t) ? sizeof(cpu_set_t) : (size_t)got;
        saved_cpus = (uint32_t)CPU_COUNT_S(saved_size, &saved_affinity.set);
    } else {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        saved_cpus = online > 0 ? (uint32_t)online : 1;
        for (uint32_t cpu = 0; cpu < saved_cpus && cpu < MASK_BYTES * CHAR_BIT; cpu++)
            CPU_SET_S(cpu, MASK_BYTES, &saved_affinity.set);
        saved_size = MASK_BYTES;
    }
    if (saved_cpus == 0)
        saved_cpus = 1;
    whole_affinity = saved_affinity;
}

void ghcomp_os_narrow_mask(const cpu_set_t *part, size_t size)
{
    saved_affinity = whole_affinity;
    for (size_t i = 0; part != NULL && i < MASK_BYTES; i++)
        saved_affinity.bytes[i] &= i < size ? ((const unsigned char *)part)[i] : 0;
    uint32_t cpus = (uint32_t)CPU_COUNT_S(saved_size, &saved_affinity.set);
    saved_cpus = cpus > 0 ? cpus : 1;
}

/* Whether the calling thread's mask differs from that one. The kernel writes as many bytes each time. */
static bool mask_differs(const union mask *from)
{
    union mask now;
    int saved_errno = errno;
    long got = syscall(SYS_sched_getaffinity, 0, sizeof now, &now);
    errno = saved_errno;
    return got > 0 && memcmp(&now, from, (size_t)got) != 0;
}

bool ghcomp_os_mask_changed(void)
{
    return mask_differs(&whole_affinity);
}

bool ghcomp_os_mask_differs(void)
{
    return mask_differs(&saved_affinity);
}

static size_t stack_at_load; /* what ghcomp_os_stack_limit returned then */

bool ghcomp_os_stack_limit_changed(void)
{
    return ghcomp_os_stack_limit() != stack_at_load;
}

static void save_at_load(void)
{
    stack_at_load = ghcomp_os_stack_limit();
    if (__libc_single_threaded)
        register_fence(); /* with several threads it costs milliseconds, so then it is left to the first fence */
    ghcomp_os_save_mask();
}

/* Runs early, because the saved mask must be the one that the program was started with, before its constructors change
   it. */
__attribute__((constructor(101))) static void load(void)
{
    ghcomp_os_start();
}

void ghcomp_os_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, save_at_load);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now = {0, 0}; /* the result if the clock must not be read */
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t ghcomp_os_now(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

uint64_t ghcomp_os_cpu_time(void)
{
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Clock: when the next fence of all threads may come; cas_relaxed, so that of two threads one has it. */
static _Atomic uint64_t next_fence GHCOMP_ALIGNED_PAIR;

static bool may_fence(void)
{
    uint64_t now = ghcomp_os_now(), next = ghcomp_load_relaxed(&next_fence);
    return now >= next && ghcomp_cas_relaxed(&next_fence, &next, now + 1000000000 / GHCOMP_FENCES_A_SECOND);
}

bool ghcomp_os_fence_all(void)
{
    if (!may_fence())
        return false;
    int saved_errno = errno;
    bool done = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0 ||
                (errno == EPERM && register_fence() &&
                 syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0);
    errno = saved_errno;
    return done;
}

uint32_t ghcomp_os_cpus(void)
{
    return saved_cpus;
}

const cpu_set_t *ghcomp_os_affinity(size_t *size)
{
    *size = saved_size;
    return &saved_affinity.set;
}

int ghcomp_os_mask(cpu_set_t *mask, size_t size)
{
    int saved_errno = errno;
    int error = sched_getaffinity(0, size, mask) == 0 ? 0 : errno;
    errno = saved_errno;
    return error;
}

int ghcomp_os_bind(const cpu_set_t *mask, size_t size)
{
    int saved_errno = errno;
    int error = sched_setaffinity(0, size, mask) == 0 ? 0 : errno;
    errno = saved_errno;
    return error;
}

int ghcomp_os_cpu(void)
{
    int saved_errno = errno;
    int cpu = sched_getcpu();
    errno = saved_errno;
    return cpu;
}

bool ghcomp_os_leave_cpu(void)
{
    unsigned char bytes[MASK_BYTES];
    cpu_set_t *mask = (cpu_set_t *)bytes;
    int cpu = ghcomp_os_cpu();
    if (cpu < 0 || ghcomp_os_mask(mask, saved_size) != 0)
        return false;
    CPU_CLR_S((size_t)cpu, saved_size, mask);
    if (ghcomp_os_bind(mask, saved_size) != 0)
        return false; /* as where the mask is empty now */
    CPU_SET_S((size_t)cpu, saved_size, mask);
    ghcomp_os_bind(mask, saved_size);
    return true;
}

bool ghcomp_os_first_thread(void)
{
    return ghcomp_os_thread_id() == getpid();
}

/* A call on another stack, in the same thread. */
struct call {
    void (*function)(void *);
    void *argument;
    ucontext_t caller, called;
};

/* makecontext passes only ints, so the address comes in two halves. */
static void run_call(unsigned high, unsigned low)
{
    const struct call *call = (const struct call *)((uintptr_t)high << 32 | low);
    call->function(call->argument);
}

static int switch_stacks(struct call *call, void *stack, size_t size)
{
    if (getcontext(&call->called) != 0)
        return errno;
    call->called.uc_stack.ss_sp = stack;
    call->called.uc_stack.ss_size = size;
    call->called.uc_link = &call->caller;
    makecontext(&call->called, (void (*)(void))run_call, 2, (unsigned)((uintptr_t)call >> 32),
                (unsigned)(uintptr_t)call);
    return swapcontext(&call->caller, &call->called) == 0 ? 0 : errno;
}

/* The lowest page is a guard page. The struct call, a KiB or more, also lies on the new stack. */
int ghcomp_os_call_on_stack(size_t size, void (*function)(void *), void *argument)
{
    size_t page = ghcomp_os_page_size(), whole = (size + page - 1) / page * page + page;
    char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return errno;
    struct call *call = (struct call *)(memory + whole) - 1;
    call->function = function;
    call->argument = argument;
    int error = mprotect(memory, page, PROT_NONE) != 0 ? errno : 0;
    if (error == 0)
        error = switch_stacks(call, memory + page, whole - page - sizeof *call);
    munmap(memory, whole);
    return error;
}

size_t ghcomp_os_stack_left(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return 0;
    int error = pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return error == 0 && here - (uintptr_t)lowest < size ? here - (uintptr_t)lowest : 0;
}

int ghcomp_os_defer_cancellation(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void ghcomp_os_restore_cancellation(int before)
{
    pthread_setcancelstate(before, &before);
}

size_t ghcomp_os_stack_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0)
        return 0;
    return limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < SIZE_MAX ? limit.rlim_cur : SIZE_MAX;
}

bool ghcomp_os_address_space_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool ghcomp_os_single_threaded(void)
{
    return __libc_single_threaded;
}

/* Reads the beginning of a file of /proc; empty if it cannot be read. Uses plain system calls, which are no
   cancellation points, because it is called during waits. */
static void read_proc(const char *path, char text[static 64])
{
    long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), length = 0;
    if (file >= 0) {
        length = syscall(SYS_read, file, text, 63);
        syscall(SYS_close, file);
    }
    text[length > 0 ? length : 0] = '\0';
}

/* The letter of the state that proc(5) has for a thread of this process; '\0' if it cannot be read. */
static char thread_state(int thread)
{
    char path[64], text[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    read_proc(path, text);
    const char *name_end = strrchr(text, ')'); /* the name before it, of up to 15 characters, may contain any, even
                                                  ')' */
    return name_end != NULL && name_end[1] == ' ' ? name_end[2] : '\0';
}

static _Atomic bool first_ends; /* atomic(relaxed): written by the first thread, which reads it in exit handlers */

void ghcomp_os_first_thread_ends(bool does)
{
    ghcomp_store_relaxed(&first_ends, does);
}

bool ghcomp_os_first_thread_ended(void)
{
    return ghcomp_load_relaxed(&first_ends) || thread_state((int)getpid()) == 'Z';
}

int ghcomp_os_thread_id(void)
{
    return (int)syscall(SYS_gettid);
}

bool ghcomp_os_thread_works(int thread)
{
    char state = thread_state(thread);
    return state == 'R' || state == 'D';
}

/* /proc/loadavg: three averages, then RUNNABLE/ALL threads. */
enum ghcomp_demand ghcomp_os_demand(void)
{
    int saved_errno = errno;
    long online = sysconf(_SC_NPROCESSORS_ONLN), wanting = 0;
    char text[64];
    read_proc("/proc/loadavg", text);
    bool known = online > 0 && sscanf(text, "%*s %*s %*s %ld/", &wanting) == 1;
    errno = saved_errno;
    if (!known || wanting <= online)
        return GHCOMP_DEMAND_LOW;
    return wanting < 2 * online ? GHCOMP_DEMAND_SOME : wanting == 2 * online ? GHCOMP_DEMAND_EACH : GHCOMP_DEMAND_CROWD;
}

uint32_t ghcomp_os_online_cpus(void)
{
    int saved_errno = errno;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    errno = saved_errno;
    return online > 0 ? (uint32_t)online : 1;
}

bool ghcomp_os_has_all_cpus(void)
{
    return ghcomp_os_online_cpus() == ghcomp_os_cpus();
}

/* /proc/uptime: how long the machine has been up, and how long its CPUs have been idle, in seconds. */
bool ghcomp_os_idle_time(uint64_t *nanoseconds)
{
    int saved_errno = errno;
    unsigned long long seconds = 0, hundredths = 0;
    char text[64];
    bool known = ghcomp_os_has_all_cpus();
    if (known) {
        read_proc("/proc/uptime", text);
        known = sscanf(text, "%*s %llu.%2llu", &seconds, &hundredths) == 2;
    }
    errno = saved_errno;
    *nanoseconds = seconds * 1000000000 + hundredths * 10000000;
    return known;
}
