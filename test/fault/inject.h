/* What the files of inject.c share: the calls that are counted, the plan by which some of them fail, and the macros
 * that a function here begins with. These read the function's return address, so they stand in the function itself.
 * What is shared is hidden: the runtime and the program see the C library's functions alone. */
#pragma once

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define CALLS(X)                                                                                                     \
    X(malloc) X(calloc) X(realloc) X(aligned_alloc) X(posix_memalign) X(strdup) X(open_memstream) X(inner_alloc)     \
    X(mmap) X(mprotect) X(mremap) X(mlock) X(munmap)                                                                 \
    X(pthread_create) X(pthread_attr_init) X(pthread_attr_setstacksize) X(pthread_attr_setdetachstate)               \
    X(pthread_attr_getstacksize) X(pthread_attr_setaffinity_np) X(pthread_setaffinity_np)                            \
    X(pthread_key_create) X(pthread_setspecific) X(__register_atfork) X(pthread_mutex_init)                          \
    X(sched_getaffinity) X(sched_setaffinity) X(sched_getcpu) X(sched_yield) X(sysconf) X(getrlimit) X(gethostname)  \
    X(open) X(openat) X(read) X(close) X(fopen) X(fread) X(fclose) X(opendir) X(readdir) X(closedir) X(readlinkat)   \
    X(stat) X(fstat) X(fcntl) X(access) X(realpath) X(clock_gettime) X(fwrite)                                       \
    X(dlopen) X(dlsym) X(dladdr) X(dl_iterate_phdr)                                                                  \
    X(futex_wait) X(membarrier) X(sys_sched_getaffinity) X(clock_nanosleep) X(sys_write) X(sys_gettid)               \
    X(sys_other)

#define NAME(call) CALL_##call,
enum call { CALLS(NAME) MOST };
#undef NAME

enum { HOW_SHORT = -1, HOW_GARBAGE = -2, HOW_EMPTY = -3 };

struct plan {
    enum call call;
    int how;
    uint64_t first, last, percent, seed;
};
struct range {
    uintptr_t low, high;
};

#pragma GCC visibility push(hidden)
extern struct range inject_runtime, inject_libc, inject_loader;
/* Inside a call by the runtime. */
extern __thread int inject_inner __attribute__((tls_model("initial-exec")));
/* Whether the above is valid: not while the plan is being read. */
bool inject_ready(void);
/* Counts the call. The plan by which it is to fail, then errno says why; or NULL. */
const struct plan *inject_fails(enum call call);
/* The C library's function of that name; `cache` is a pointer that is NULL before the first call. */
void *inject_real_of(void *cache, const char *name);
#pragma GCC visibility pop

static inline bool inject_in(const struct range *range, const void *address)
{
    return (uintptr_t)address - range->low < range->high - range->low;
}

#define CALLER __builtin_return_address(0)
#define OURS (inject_ready() && inject_in(&inject_runtime, CALLER))
#define PLAN(call) (OURS ? inject_fails(CALL_##call) : NULL)
/* `plan` may be used in the value. */
#define INJECT(call, value)                      \
    do {                                         \
        const struct plan *plan = PLAN(call);    \
        if (plan != NULL)                        \
            return value;                        \
    } while (0)

/* REAL(f): f as the C library has it. */
#define REAL(function)                                      \
    ({                                                      \
        static void *cache;                                 \
        __typeof__(&function) real;                         \
        *(void **)&real = inject_real_of(&cache, #function);       \
        real;                                               \
    })
/* The same call for the runtime with its inner allocations counted, for others as it is. */
#define WITHIN(type, call)              \
    do {                                \
        bool ours = OURS;               \
        inject_inner += ours;                  \
        type result = call;             \
        inject_inner -= ours;                  \
        return result;                  \
    } while (0)
