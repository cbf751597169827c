/* Preloaded into a program: counts the calls that the runtime makes into the C library, and fails those that it is told
 * to. inject.py compiles this, and says there what must hold.
 *
 * Only calls by the runtime itself are touched: the return address lies in libgomp.so.1. `inner_alloc` is the
 * exception: the C library's own allocations on behalf of a call by the runtime (opendir's, pthread_create's, ...).
 *
 *   FAULT_PAGE  a file, mapped shared: the number of calls of each function (struct row), and of those that failed. It
 *               tells the truth however the process ends.
 *   FAULT       "NAME HOW FIRST LAST PERCENT SEED", or two of these with ";" between them. Of NAME's calls those
 *               numbered FIRST to LAST (from 1) fail; with PERCENT below 100 only that part of them, chosen by SEED and
 *               the call's number. HOW is the errno value; "short": a read gives one byte; "garbage": it gives what is
 *               not in the file; "empty": nothing.
 *
 * A function that the runtime calls and that is not here must be in inject.py's list of calls that cannot fail.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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
#define NAME(call) [CALL_##call] = #call,
static const char *const names[] = {CALLS(NAME)};
#undef NAME

enum { HOW_SHORT = -1, HOW_GARBAGE = -2, HOW_EMPTY = -3 };

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* The counts change by atomic operations. */
struct row {
    char name[32];
    uint64_t calls, failed;
};

static struct row own_rows[MOST], *rows = own_rows;
static struct plan {
    enum call call;
    int how;
    uint64_t first, last, percent, seed;
} plans[2] = {{.call = MOST}, {.call = MOST}};
struct range {
    uintptr_t low, high;
};
static struct range runtime, libc, loader;
static int state; /* 0: not read yet, 1: being read, 2: the above is valid */
static __thread int inner __attribute__((tls_model("initial-exec"))); /* inside a call by the runtime */

static bool in(const struct range *range, const void *address)
{
    return (uintptr_t)address - range->low < range->high - range->low;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    const char *path = info->dlpi_name != NULL ? info->dlpi_name : "", *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    struct range *range = strcmp(name, "libgomp.so.1") == 0              ? &runtime
                          : strcmp(name, "libc.so.6") == 0               ? &libc
                          : strncmp(name, "ld-linux", 8) == 0            ? &loader
                                                                         : NULL;
    if (range == NULL)
        return 0;
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD) {
            uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = begin + info->dlpi_phdr[i].p_memsz;
            low = begin < low ? begin : low;
            high = end > high ? end : high;
        }
    *range = (struct range){low, high};
    return 0;
}

static long raw(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static void *real_of(void *cache, const char *name);
static void read_plan(void)
{
    int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
    static void *cache;
    *(void **)&iterate = real_of(&cache, "dl_iterate_phdr");
    iterate(look_at, NULL);
    const char *page = getenv("FAULT_PAGE"), *text = getenv("FAULT");
    if (page != NULL) {
        long file = raw(SYS_open, (long)page, O_RDWR | O_CLOEXEC, 0, 0, 0, 0);
        long map = file < 0 ? -1 : raw(SYS_mmap, 0, sizeof own_rows, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (map < 0 && map > -4096)
            abort();
        raw(SYS_close, file, 0, 0, 0, 0, 0);
        rows = (struct row *)map;
    }
    for (int i = 0; i < MOST; i++)
        strcpy(rows[i].name, names[i]);
    for (struct plan *plan = plans; text != NULL && plan < plans + 2; plan++) {
        char name[32] = "", how[16] = "";
        if (sscanf(text, "%31s %15s %lu %lu %lu %lu", name, how, &plan->first, &plan->last, &plan->percent,
                   &plan->seed) != 6)
            abort();
        plan->how = strcmp(how, "short") == 0     ? HOW_SHORT
                    : strcmp(how, "garbage") == 0 ? HOW_GARBAGE
                    : strcmp(how, "empty") == 0   ? HOW_EMPTY
                                                  : atoi(how);
        for (int i = 0; i < MOST; i++)
            if (strcmp(names[i], name) == 0)
                plan->call = (enum call)i;
        text = strchr(text, ';');
        text = text != NULL ? text + 1 : NULL;
    }
}

static bool ready(void)
{
    int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(now == 2, 1))
        return true;
    int fresh = 0;
    if (now == 0 && __atomic_compare_exchange_n(&state, &fresh, 1, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        read_plan(); /* what it calls itself is not counted */
        __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
        return true;
    }
    return false;
}

static const struct plan *plan_for(enum call call, uint64_t n)
{
    for (const struct plan *plan = plans; plan < plans + 2; plan++) {
        uint64_t mixed = (n + plan->seed * 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 31) * 0x94d049bb133111ebu;
        if (call == plan->call && n >= plan->first && n <= plan->last && (mixed >> 32) % 100 < plan->percent)
            return plan;
    }
    return NULL;
}

/* Counts the call. The plan by which it is to fail, then errno says why; or NULL. */
static const struct plan *fails(enum call call)
{
    const struct plan *plan = plan_for(call, __atomic_add_fetch(&rows[call].calls, 1, __ATOMIC_RELAXED));
    if (plan == NULL)
        return NULL;
    __atomic_add_fetch(&rows[call].failed, 1, __ATOMIC_RELAXED);
    if (plan->how > 0)
        errno = plan->how;
    return plan;
}

#define CALLER __builtin_return_address(0)
#define OURS (ready() && in(&runtime, CALLER))
#define PLAN(call) (OURS ? fails(CALL_##call) : NULL)
/* `plan` may be used in the value. */
#define INJECT(call, value)                      \
    do {                                         \
        const struct plan *plan = PLAN(call);    \
        if (plan != NULL)                        \
            return value;                        \
    } while (0)

/* --- the real functions ------------------------------------------------------------------------------------------- */

static void *real_of(void *cache, const char *name)
{
    static void *(*look_up)(void *, const char *);
    void *found = __atomic_load_n((void **)cache, __ATOMIC_RELAXED);
    if (found != NULL)
        return found;
    if (look_up == NULL && ((*(void **)&look_up = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34")) == NULL))
        *(void **)&look_up = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    found = look_up(RTLD_NEXT, name);
    if (found == NULL)
        abort();
    __atomic_store_n((void **)cache, found, __ATOMIC_RELAXED);
    return found;
}

/* REAL(f): f as the C library has it. */
#define REAL(function)                                      \
    ({                                                      \
        static void *cache;                                 \
        __typeof__(&function) real;                         \
        *(void **)&real = real_of(&cache, #function);       \
        real;                                               \
    })
/* The same call for the runtime with its inner allocations counted, for others as it is. */
#define WITHIN(type, call)              \
    do {                                \
        bool ours = OURS;               \
        inner += ours;                  \
        type result = call;             \
        inner -= ours;                  \
        return result;                  \
    } while (0)

/* --- memory ------------------------------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

#define INNER (inner > 0 && (in(&libc, CALLER) || in(&loader, CALLER)))
#define ALLOC(call)                                                                       \
    do                                                                                    \
        if (ready() && (in(&runtime, CALLER)  ? fails(CALL_##call)                        \
                        : INNER               ? fails(CALL_inner_alloc)                   \
                                              : NULL))                                    \
            return NULL;                                                                  \
    while (0)

void *malloc(size_t size)
{
    ALLOC(malloc);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    ALLOC(calloc);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    ALLOC(realloc);
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    ALLOC(aligned_alloc);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    INJECT(posix_memalign, plan->how);
    return REAL(posix_memalign)(block, alignment, size);
}

char *strdup(const char *text)
{
    INJECT(strdup, NULL);
    WITHIN(char *, REAL(strdup)(text));
}

FILE *open_memstream(char **text, size_t *size)
{
    INJECT(open_memstream, NULL);
    WITHIN(FILE *, REAL(open_memstream)(text, size));
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    INJECT(mmap, MAP_FAILED);
    return REAL(mmap)(at, size, protection, flags, file, offset);
}

void *mremap(void *at, size_t size, size_t larger, int flags, ...)
{
    INJECT(mremap, MAP_FAILED);
    va_list rest;
    va_start(rest, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
    va_end(rest);
    return REAL(mremap)(at, size, larger, flags, to);
}

int mprotect(void *at, size_t size, int protection)
{
    INJECT(mprotect, -1);
    return REAL(mprotect)(at, size, protection);
}

int mlock(const void *at, size_t size)
{
    INJECT(mlock, -1);
    return REAL(mlock)(at, size);
}

int munmap(void *at, size_t size)
{
    INJECT(munmap, -1);
    return REAL(munmap)(at, size);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument)
{
    INJECT(pthread_create, plan->how);
    WITHIN(int, REAL(pthread_create)(thread, attributes, entry, argument));
}

int pthread_attr_init(pthread_attr_t *attributes)
{
    INJECT(pthread_attr_init, plan->how);
    return REAL(pthread_attr_init)(attributes);
}

int pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size)
{
    INJECT(pthread_attr_setstacksize, plan->how);
    return REAL(pthread_attr_setstacksize)(attributes, size);
}

int pthread_attr_getstacksize(const pthread_attr_t *attributes, size_t *size)
{
    INJECT(pthread_attr_getstacksize, plan->how);
    return REAL(pthread_attr_getstacksize)(attributes, size);
}

int pthread_attr_setdetachstate(pthread_attr_t *attributes, int how)
{
    INJECT(pthread_attr_setdetachstate, plan->how);
    return REAL(pthread_attr_setdetachstate)(attributes, how);
}

int pthread_attr_setaffinity_np(pthread_attr_t *attributes, size_t size, const cpu_set_t *mask)
{
    INJECT(pthread_attr_setaffinity_np, plan->how);
    WITHIN(int, REAL(pthread_attr_setaffinity_np)(attributes, size, mask));
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask)
{
    INJECT(pthread_setaffinity_np, plan->how);
    return REAL(pthread_setaffinity_np)(thread, size, mask);
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    INJECT(pthread_key_create, plan->how);
    return REAL(pthread_key_create)(key, destructor);
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    INJECT(pthread_setspecific, plan->how);
    WITHIN(int, REAL(pthread_setspecific)(key, value));
}

extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object)
{
    /* Called by a jump from pthread_atfork, which is linked into the runtime. */
    const struct plan *plan = ready() && in(&runtime, object) ? fails(CALL___register_atfork) : NULL;
    if (plan != NULL)
        return plan->how;
    WITHIN(int, REAL(__register_atfork)(prepare, parent, child, object));
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    INJECT(pthread_mutex_init, plan->how);
    return REAL(pthread_mutex_init)(mutex, attributes);
}

/* --- CPUs and limits ---------------------------------------------------------------------------------------------- */

int sched_getaffinity(pid_t id, size_t size, cpu_set_t *mask)
{
    INJECT(sched_getaffinity, -1);
    return REAL(sched_getaffinity)(id, size, mask);
}

int sched_setaffinity(pid_t id, size_t size, const cpu_set_t *mask)
{
    INJECT(sched_setaffinity, -1);
    return REAL(sched_setaffinity)(id, size, mask);
}

int sched_getcpu(void)
{
    INJECT(sched_getcpu, -1);
    return REAL(sched_getcpu)();
}

int sched_yield(void)
{
    INJECT(sched_yield, -1);
    return REAL(sched_yield)();
}

long sysconf(int name)
{
    INJECT(sysconf, -1);
    return REAL(sysconf)(name);
}

int getrlimit(__rlimit_resource_t which, struct rlimit *limit)
{
    INJECT(getrlimit, -1);
    return REAL(getrlimit)(which, limit);
}

int gethostname(char *name, size_t size)
{
    INJECT(gethostname, -1);
    return REAL(gethostname)(name, size);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    INJECT(clock_gettime, -1);
    return REAL(clock_gettime)(clock, now);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(rest, int) : 0;
}

int open(const char *path, int flags, ...)
{
    INJECT(open, -1);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return REAL(open)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    INJECT(openat, -1);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return REAL(openat)(folder, path, flags, mode);
}

/* What a failed read of `size` bytes gives: -1 for an error; else so many bytes, which may be none of the file's. */
static ssize_t bad_read(const struct plan *plan, char *to, size_t size, size_t got)
{
    if (plan->how > 0)
        return -1;
    if (plan->how == HOW_EMPTY)
        return 0;
    if (plan->how == HOW_SHORT)
        return got > 0 ? 1 : 0;
    /* Numbers that are too large, fields that are missing, lines that never end; at last the file does. */
    static int reads;
    static const char *const pieces[] = {"99999999999999999999 -1\n", "::\n", "0::/..\n", "-", ",,,0-", "\377\200",
                                         "1 1 1:1 / /x - cgroup2 c cpu\n", "cpu", " ", "18446744073709551615-2\n"};
    if (__atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED) > 200)
        return 0;
    uint64_t mixed = (uint64_t)reads * 0x9e3779b97f4a7c15u + plan->seed;
    size_t used = 0;
    while (used < size) {
        mixed = (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
        const char *piece = pieces[(mixed >> 33) % (sizeof pieces / sizeof pieces[0])];
        size_t length = strlen(piece) < size - used ? strlen(piece) : size - used;
        memcpy(to + used, piece, length);
        used += length;
    }
    return (ssize_t)size;
}

ssize_t read(int file, void *to, size_t size)
{
    const struct plan *plan = PLAN(read);
    if (plan == NULL || plan->how == HOW_SHORT)
        return REAL(read)(file, to, plan != NULL && size > 1 ? 1 : size);
    return bad_read(plan, to, size, size);
}

int close(int file)
{
    int result = REAL(close)(file); /* Linux closes it in any case */
    INJECT(close, -1);
    return result;
}

FILE *fopen(const char *path, const char *how)
{
    INJECT(fopen, NULL);
    WITHIN(FILE *, REAL(fopen)(path, how));
}

size_t fread(void *to, size_t size, size_t count, FILE *file)
{
    const struct plan *plan = PLAN(fread);
    size_t got = REAL(fread)(to, size, count, file);
    if (plan == NULL)
        return got;
    ssize_t instead = bad_read(plan, to, size * count, got);
    return instead > 0 ? (size_t)instead : 0;
}

int fclose(FILE *file)
{
    int result = REAL(fclose)(file);
    INJECT(fclose, EOF);
    return result;
}

size_t fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    INJECT(fwrite, 0);
    WITHIN(size_t, REAL(fwrite)(from, size, count, file));
}

int fputs(const char *text, FILE *file)
{
    WITHIN(int, REAL(fputs)(text, file));
}

int fprintf(FILE *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    bool ours = OURS;
    inner += ours;
    int result = vfprintf(file, format, args);
    inner -= ours;
    va_end(args);
    return result;
}

DIR *opendir(const char *path)
{
    INJECT(opendir, NULL);
    WITHIN(DIR *, REAL(opendir)(path));
}

struct dirent *readdir(DIR *folder)
{
    INJECT(readdir, NULL);
    return REAL(readdir)(folder);
}

int closedir(DIR *folder)
{
    int result = REAL(closedir)(folder);
    INJECT(closedir, -1);
    return result;
}

ssize_t readlinkat(int folder, const char *path, char *to, size_t size)
{
    INJECT(readlinkat, -1);
    return REAL(readlinkat)(folder, path, to, size);
}

int stat(const char *path, struct stat *status)
{
    INJECT(stat, -1);
    return REAL(stat)(path, status);
}

int fstat(int file, struct stat *status)
{
    INJECT(fstat, -1);
    return REAL(fstat)(file, status);
}

int fcntl(int file, int what, ...)
{
    INJECT(fcntl, -1);
    va_list rest;
    va_start(rest, what);
    long argument = va_arg(rest, long);
    va_end(rest);
    return REAL(fcntl)(file, what, argument);
}

int access(const char *path, int how)
{
    INJECT(access, -1);
    return REAL(access)(path, how);
}

char *realpath(const char *path, char *to)
{
    INJECT(realpath, NULL);
    WITHIN(char *, REAL(realpath)(path, to));
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

void *dlopen(const char *path, int flags)
{
    if (PLAN(dlopen) != NULL)
        path = "/nowhere/the-call-is-made-to-fail.so"; /* so that dlerror has a text */
    return REAL(dlopen)(path, flags);
}

void *dlsym(void *handle, const char *name)
{
    INJECT(dlsym, NULL);
    return REAL(dlsym)(handle, name);
}

int dladdr(const void *address, Dl_info *info)
{
    INJECT(dladdr, 0);
    return REAL(dladdr)(address, info);
}

int dl_iterate_phdr(int (*function)(struct dl_phdr_info *, size_t, void *), void *data)
{
    INJECT(dl_iterate_phdr, 0);
    return REAL(dl_iterate_phdr)(function, data);
}

/* --- syscall() ---------------------------------------------------------------------------------------------------- */

/* FUTEX_WAKE is never made to fail: the kernel's cannot, but for an address that is not mapped. */
static enum call call_of(long number, long operation)
{
    long command = operation & FUTEX_CMD_MASK;
    switch (number) {
    case SYS_futex:
        return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET ? CALL_futex_wait : MOST;
    case SYS_membarrier:
        return CALL_membarrier;
    case SYS_sched_getaffinity:
        return CALL_sys_sched_getaffinity;
    case SYS_clock_nanosleep:
        return CALL_clock_nanosleep;
    case SYS_write:
        return CALL_sys_write;
    case SYS_gettid:
        return CALL_sys_gettid;
    default:
        return CALL_sys_other;
    }
}

long syscall(long number, ...)
{
    va_list rest;
    va_start(rest, number);
    long a = va_arg(rest, long), b = va_arg(rest, long), c = va_arg(rest, long), d = va_arg(rest, long),
         e = va_arg(rest, long), f = va_arg(rest, long);
    va_end(rest);
    enum call call = OURS ? call_of(number, b) : MOST;
    const struct plan *plan = call != MOST ? fails(call) : NULL;
    if (plan != NULL) {
        if (plan->how != HOW_SHORT)
            return -1;
        c = c > 1 ? 1 : c;
    }
    long result = raw(number, a, b, c, d, e, f);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
