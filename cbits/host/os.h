/* The interface to the operating system: futexes, clocks, CPUs, threads, pages. Implemented by os_linux.c, os_futex.c,
 * os_memory.c and os_threads.c; core/ uses nothing of the operating system but this and pthreads. If a sandbox denies a
 * call, a plainer way is used. All functions may be called from any thread, and preserve errno. */
#pragma once

#include <pthread.h>
#include <sched.h>

#include "base/atomic.h"

/* Sleeps while *word == value (futex wait). May return early without a reason, so callers check again. */
void ghcomp_os_sleep(_Atomic uint32_t *word, uint32_t value);
/* The same, but for that many nanoseconds (below a second) at most. */
void ghcomp_os_sleep_for(_Atomic uint32_t *word, uint32_t value, uint32_t nanoseconds);
/* Wakes at most `count` threads that sleep on the word; returns how many. The address need not be mapped any more. */
int ghcomp_os_wake(_Atomic uint32_t *word, int count);
/* The same for sleepers of several classes on one word: `classes` is a set of bits, and a wake-up reaches sleepers that
   share a bit with it. The functions above mean all classes. */
void ghcomp_os_sleep_class(_Atomic uint32_t *word, uint32_t value, uint32_t classes);
/* The same, for that many nanoseconds (below a second) at most. */
void ghcomp_os_sleep_class_for(_Atomic uint32_t *word, uint32_t value, uint32_t classes, uint32_t nanoseconds);
void ghcomp_os_wake_class(_Atomic uint32_t *word, int count, uint32_t classes);
/* Whether the kernel permits futex calls to this thread now. If not, the functions above poll; but the C library ends a
   process that must wait for a condition variable, as GHC's RTS does. */
bool ghcomp_os_futex_allowed(void);
/* A fence in all threads (membarrier): when it returns true, each thread of the process has executed a full memory
   barrier since the call. So for a thread that stores and then loads, without a fence in between: either its store is
   visible now, or its load will see what the caller stored before the call. Takes some microseconds, and milliseconds
   in a virtual machine whose CPUs lack real ones, since it waits for an interrupt of each CPU that runs a thread of the
   process. So there are at most GHCOMP_FENCES_A_SECOND in a process. False: the last one was too short a time ago, or
   the system has no such call. */
enum { GHCOMP_FENCES_A_SECOND = 20 };
bool ghcomp_os_fence_all(void);
/* Sleeps for about that long. */
void ghcomp_os_nap(uint32_t nanoseconds);
/* Yields the CPU (sched_yield). */
void ghcomp_os_yield(void);
/* Monotonic clock, nanoseconds. */
uint64_t ghcomp_os_now(void);
/* The CPU time of all threads of the process, nanoseconds. */
uint64_t ghcomp_os_cpu_time(void);
/* The total idle time of the machine's CPUs, in nanoseconds, with a resolution of 10 ms. Takes some 10 us. False if it
   is unknown, or if the process may not use all CPUs. Leaves errno alone. */
bool ghcomp_os_idle_time(uint64_t *nanoseconds);
/* How many threads of all visible processes want a CPU of the machine now. */
enum ghcomp_demand {
    GHCOMP_DEMAND_LOW,   /* no more than there are CPUs: if two of them share a CPU, another one is idle. Also when
                            unknown */
    GHCOMP_DEMAND_SOME,  /* more, but fewer than two for each CPU: some CPU has one or none */
    GHCOMP_DEMAND_EACH,  /* two for each CPU */
    GHCOMP_DEMAND_CROWD  /* more than two for each */
};
/* Takes some 20 us. Leaves errno alone. */
enum ghcomp_demand ghcomp_os_demand(void);

/* Whether the process may use all CPUs of the machine, so that the demand holds for its own. As costly. */
bool ghcomp_os_has_all_cpus(void);

/* Saves the affinity mask that the process was started with. Idempotent, any thread. The runtime's constructor calls
   it. Constructors of shared libraries may call it earlier, when the runtime is linked into the program. */
void ghcomp_os_start(void);
/* The first: whether the calling thread's mask differs from the saved one; the second saves the former instead. Called
   while no thread is in the runtime. */
bool ghcomp_os_mask_changed(void);
void ghcomp_os_save_mask(void);
/* Limits the process to a part of the saved mask from here on; NULL: to all of it. Called while no thread is in the
   runtime. */
void ghcomp_os_narrow_mask(const cpu_set_t *part, size_t size);
/* Whether the calling thread's mask differs from the process's (ghcomp_os_affinity). */
bool ghcomp_os_mask_differs(void);
/* CPUs in the saved mask, at least 1. */
uint32_t ghcomp_os_cpus(void);
/* CPUs of the machine that are online, at least 1; reads a file. */
uint32_t ghcomp_os_online_cpus(void);
/* Returns that mask. *size is its size in bytes for the CPU_*_S macros. */
const cpu_set_t *ghcomp_os_affinity(size_t *size);
/* Reads, and sets, the calling thread's affinity mask of `size` bytes. 0 or an errno value. */
int ghcomp_os_mask(cpu_set_t *mask, size_t size);
int ghcomp_os_bind(const cpu_set_t *mask, size_t size);
/* The CPU that the calling thread runs on, or -1. */
int ghcomp_os_cpu(void);
/* Moves the calling thread to another CPU of its affinity mask, which stays as it is; the kernel chooses which. False:
   it has no other one, or may not choose. */
bool ghcomp_os_leave_cpu(void);
/* Whether the calling thread is the process's first. */
bool ghcomp_os_first_thread(void);

/* Starts a thread with the caller's signal mask (as in libgomp, so a signal that the program blocked before its first
   region reaches no worker), the affinity saved at load, if that can be set, and a stack of at least `stack` bytes (0:
   the system's default). The handle has to be given once to ghcomp_os_detach or ghcomp_os_join. Returns 0 or an errno
   value, EAGAIN after a tenth of a second of attempts; never prints. */
int ghcomp_os_spawn(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack);
/* The same with only one attempt, for a caller that has an alternative. */
int ghcomp_os_spawn_at_once(pthread_t *handle, void *(*entry)(void *), void *argument, size_t stack);

/* The advice after a failure with this errno value: the end of a message's line. */
const char *ghcomp_os_spawn_advice(int error);
/* Starts a thread that takes none of the process's signals, from its first instruction on. As above. */
int ghcomp_os_spawn_quiet(pthread_t *handle, void *(*entry)(void *), void *argument);
/* Detaches a thread that will not be joined. */
void ghcomp_os_detach(pthread_t handle);
/* Waits until the thread has ended and its stack can be reused. After `ns` nanoseconds it gives up, and detaches the
   thread. Returns how much of `ns` is left. */
uint64_t ghcomp_os_join(pthread_t handle, uint64_t ns);
/* Whether `count` threads can be created now; where the limit is small (RLIMIT_NPROC, a control group's pids.max),
   `count` + `spare`. Creates and ends some threads to find out. */
bool ghcomp_os_threads_available(uint32_t count, uint32_t spare);
/* Whether those limits allow `count` more threads. Creates and ends some threads only where RLIMIT_NPROC is small. */
bool ghcomp_os_threads_within_limits(uint32_t count);
/* Calls the function in the calling thread on a new stack of `size` bytes: for functions that need more stack than the
   caller may have. The function must return, not leave by longjmp. Returns 0, or an errno value if it was not
   called. */
int ghcomp_os_call_on_stack(size_t size, void (*function)(void *), void *argument);
/* Bytes that are left of the calling thread's stack; 0 when that is not known, as on a stack that the program has
   switched to. May read /proc and allocate. */
size_t ghcomp_os_stack_left(void);

/* Defer cancellation (pthread_cancel) of the calling thread between the two calls: used around cancellation points at
   which the thread holds a lock or has done something only in part. */
int ghcomp_os_defer_cancellation(void);
void ghcomp_os_restore_cancellation(int before);

/* As pthread_once, for what a query decides: the calling thread's signals wait meanwhile, but for those of its own
   faults. A handler that interrupted the function, and asked something, would wait for its own thread. */
struct ghcomp_os_once {
    _Atomic bool done;             /* store_release after the function, load_acquire */
    pthread_once_t control;
};
#define GHCOMP_OS_ONCE {false, PTHREAD_ONCE_INIT}
void ghcomp_os_once(struct ghcomp_os_once *once, void (*function)(void));

/* The limit on the stack of the process's first thread (RLIMIT_STACK) now, in bytes; SIZE_MAX: there is none, 0: it
   cannot be read. */
size_t ghcomp_os_stack_limit(void);
/* Whether that limit is another one than when the library was loaded. */
bool ghcomp_os_stack_limit_changed(void);
/* Whether the process's address space is limited (RLIMIT_AS) now. */
bool ghcomp_os_address_space_limited(void);
/* Whether the process has certainly had no other thread so far (or all have ended, by the C library's count). */
bool ghcomp_os_single_threaded(void);
/* Records that the process's first thread is in pthread_exit, in which it may run exit handlers. False: in the child of
   a fork(), which has another first thread. */
void ghcomp_os_first_thread_ends(bool does);
/* Whether the first thread is in pthread_exit, or has ended while others continue. Reads /proc. */
bool ghcomp_os_first_thread_ended(void);
/* The calling thread's number in /proc/self/task. */
int ghcomp_os_thread_id(void);
/* Whether the thread of that number runs, is runnable, or waits for a device; false when it sleeps, has ended, or /proc
   cannot be read. */
bool ghcomp_os_thread_works(int thread);

/* Bytes of a page. */
size_t ghcomp_os_page_size(void);
/* Allocates zeroed pages (NULL: there are none), and frees them; `size` as it was requested. */
void *ghcomp_os_map(size_t size);
void ghcomp_os_unmap(void *memory, size_t size);
/* Allocates zeroed pages that are locked in RAM, and freed as others; NULL: there are none, or no more may be locked.
   The second resizes them, keeping their contents, and may move them; NULL: nothing has changed. */
void *ghcomp_os_pin(size_t size);
void *ghcomp_os_repin(void *memory, size_t size, size_t new_size);
/* A set of NUMA nodes: node n is bit n % 64 of word n / 64. */
enum { GHCOMP_OS_NODES = 1024 };
struct ghcomp_os_nodes {
    unsigned long bits[GHCOMP_OS_NODES / 64];
};
/* The nodes on which the process may have memory; false: the system does not say. */
bool ghcomp_os_memory_nodes(struct ghcomp_os_nodes *nodes);
/* Asks the system to place pages that no thread has touched yet: on the set's only node, or on its nodes in turn, page
   by page. If a node has no memory left, or the system refuses, the pages are placed as usual. `memory` is a page's
   start. */
void ghcomp_os_place(void *memory, size_t size, const struct ghcomp_os_nodes *nodes);
