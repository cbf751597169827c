/* Preloaded into a program: counts the calls that the runtime makes into the C library, and fails those that it is told
 * to. inject.py compiles this with inject_process.c and inject_files.c, and says there what must hold. Here are the
 * plan and syscall().
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
 * A function that the runtime calls and that is in none of the three must be in inject.py's list of calls that cannot
 * fail.
 */
#include "inject.h"

#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME(call) [CALL_##call] = #call,
static const char *const names[] = {CALLS(NAME)};
#undef NAME

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* The counts change by atomic operations. */
struct row {
    char name[32];
    uint64_t calls, failed;
};

static struct row own_rows[MOST], *rows = own_rows;
static struct plan plans[2] = {{.call = MOST}, {.call = MOST}};
struct range inject_runtime, inject_libc, inject_loader;
static int state; /* 0: not read yet, 1: being read, 2: the above is valid */
__thread int inject_inner __attribute__((tls_model("initial-exec")));

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    const char *path = info->dlpi_name != NULL ? info->dlpi_name : "", *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    struct range *range = strcmp(name, "libgomp.so.1") == 0              ? &inject_runtime
                          : strcmp(name, "libc.so.6") == 0               ? &inject_libc
                          : strncmp(name, "ld-linux", 8) == 0            ? &inject_loader
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

static void read_plan(void)
{
    int (*iterate)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
    static void *cache;
    *(void **)&iterate = inject_real_of(&cache, "dl_iterate_phdr");
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

bool inject_ready(void)
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

const struct plan *inject_fails(enum call call)
{
    const struct plan *plan = plan_for(call, __atomic_add_fetch(&rows[call].calls, 1, __ATOMIC_RELAXED));
    if (plan == NULL)
        return NULL;
    __atomic_add_fetch(&rows[call].failed, 1, __ATOMIC_RELAXED);
    if (plan->how > 0)
        errno = plan->how;
    return plan;
}

/* --- the real functions ------------------------------------------------------------------------------------------- */

void *inject_real_of(void *cache, const char *name)
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
    const struct plan *plan = call != MOST ? inject_fails(call) : NULL;
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
