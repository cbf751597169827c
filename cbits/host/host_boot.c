/* Boots GHC's RTS in a process that has none: loads the companion object from the runtime's folder.
 *
 * A failure inside hs_init ends the process and cannot be caught, so all known causes are checked first. If a check
 * fails, or the companion cannot be loaded, the caller prints the reason and uses POSIX threads.
 *
 * The loader and hs_init may need more stack than the thread that opens a region has; then the boot runs on a larger
 * stack, but in the same thread. Another thread might wait for the loader's lock for ever: the region may be in a
 * library's constructor, whose thread has that lock.
 *
 * The RTS is not stopped when the process ends: it has nothing to write out, and stopping it would take time, threads
 * and memory. It is stopped only if its threads would keep a process alive that has no other thread (ghcomp_boot_down),
 * and only in the process that booted it. A Haskell library of the program that uses the same RTS has called hs_init
 * itself; then hs_exit counts down and stops nothing. Called by host_select.c and core/team/thread.c. Covered by
 * test/host/boot.sh and test/host/refuse.sh.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "host/host.h"
#include "host/os.h"

#define COMPANION "libghcomp_rts.so"

/* The boot opens 12 to 14 descriptors, which stay open; loading and the program need the rest. */
enum { DESCRIPTORS_NEEDED = 32 };
/* Several times the stack that a boot has used in tests, and the size of the stack that it gets if the caller has
   less. */
enum { STACK_NEEDED = 256 << 10, STACK_GIVEN = 1 << 20 };

static char own_folder[PATH_MAX]; /* immutable after load */
static struct {
    void (*down)(void);
    pid_t process;
} booted; /* lock host_select's; read by the process's last thread */

/* At load, because the path may be relative to the working directory, which the program may change. */
__attribute__((constructor)) static void note_folder(void)
{
    Dl_info self;
    if (dladdr(own_folder, &self) == 0 || self.dli_fname == NULL || realpath(self.dli_fname, own_folder) == NULL) {
        own_folder[0] = '\0';
        return;
    }
    char *slash = strrchr(own_folder, '/');
    if (slash != NULL)
        *slash = '\0';
}

/* Numbers of threads. For two Capabilities the RTS makes five before hs_init returns, and others later, and ends the
   process when it cannot. If few can be made, the RTS is not booted, and they are left to the program. */
enum { THREADS_NEEDED = 8, THREADS_LEFT = 32 };

static const char few_descriptors[] = "fewer than 32 file descriptors are left (ulimit -n)";

/* The reason if the process cannot, or should not, open enough more descriptors; NULL: it can. Counts the open ones
   until the answer is known. */
static const char *descriptors_scarce(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return NULL;
    DIR *open_files = opendir("/proc/self/fd");
    if (open_files == NULL)
        return errno == EMFILE ? few_descriptors : "the files that it has open cannot be counted (/proc/self/fd)";
    rlim_t used = 0;
    for (struct dirent *entry; used + DESCRIPTORS_NEEDED <= limit.rlim_cur && (entry = readdir(open_files)) != NULL;)
        if (entry->d_name[0] != '.' && strtoul(entry->d_name, NULL, 10) != (unsigned long)dirfd(open_files))
            used++;
    closedir(open_files);
    return used + DESCRIPTORS_NEEDED > limit.rlim_cur ? few_descriptors : NULL;
}

static bool has_symbol(const char *name)
{
    return dlsym(RTLD_DEFAULT, name) != NULL;
}

/* The reason if a sanitizer is in the process; NULL: there is none. Under ThreadSanitizer GHC's RTS would start, but
   races would be reported in its threads, which are not compiled for it. */
static const char *sanitizer(void)
{
    if (has_symbol("__tsan_init"))
        return "ThreadSanitizer would report races inside GHC's runtime; leave out GHCOMP_HOST to check the program's "
               "own";
    if (has_symbol("__asan_init") || has_symbol("__lsan_init") || has_symbol("__msan_init"))
        return "it runs under a sanitizer";
    return NULL;
}

/* Whether a call with harmless arguments has failed because the process may not make it (seccomp). */
static bool is_denied(long result)
{
    return result < 0 && (errno == EPERM || errno == ENOSYS || errno == EACCES);
}

/* The reason if a system call is denied whose failure would end hs_init or a thread of the RTS; NULL: none is. Calls
   that the RTS can do without, such as epoll_create, are not tried. */
static const char *denied_call(void)
{
    struct timespec now;
    if (!ghcomp_os_futex_allowed())
        return "a sandbox denies futex calls, without which GHC's runtime cannot wait";
    if (is_denied(poll(NULL, 0, 0)) || is_denied(epoll_wait(-1, &(struct epoll_event){0}, 1, 0)))
        return "a sandbox denies poll or epoll_wait, without which GHC's runtime cannot wait for files";
    if (is_denied(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)) ||
        is_denied(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)))
        return "a sandbox denies the clocks of CPU time (clock_gettime), which GHC's runtime reads";
    return NULL;
}

/* Why hs_init would, or might, end the process; NULL: no reason is known. */
static const char *obstacle(void)
{
    if (getauxval(AT_SECURE) != 0)
        return "the process runs with raised privileges";
    if (ghcomp_os_address_space_limited())
        return "its address space is limited (ulimit -v) and GHC's runtime reserves 1 TB of it";
    const char *sanitizes = sanitizer();
    if (sanitizes != NULL)
        return sanitizes;
    if (ghcomp_find_object("vgpreload_"))
        return "it runs under valgrind";
    const char *scarce = descriptors_scarce();
    if (scarce != NULL)
        return scarce;
    if (ghcomp_find_rts_thread())
        return "it already has a GHC runtime, which is linked statically and cannot be entered (build the program "
               "with the ghc-openmp package)";
    const char *denied = denied_call();
    if (denied != NULL)
        return denied;
    if (!ghcomp_os_threads_available(THREADS_NEEDED, THREADS_LEFT))
        return "too few threads can be created for it and the program: 8 are needed, and 40 where ulimit -u or a "
               "container's pids.max limits them";
    return NULL;
}

static const struct ghcomp_host *boot(uint32_t capabilities, char *why, size_t size)
{
    const char *reason = obstacle();
    if (reason != NULL) {
        snprintf(why, size, "%s", reason);
        return NULL;
    }
    char path[PATH_MAX + sizeof "/" COMPANION];
    snprintf(path, sizeof path, "%s/" COMPANION, own_folder);
    if (own_folder[0] == '\0') {
        snprintf(why, size, "the folder of libgomp.so.1, where " COMPANION " must be, cannot be found");
        return NULL;
    }
    if (access(path, F_OK) != 0) {
        snprintf(why, size, "%s/" COMPANION " is missing (it is built where GHC is installed)", own_folder);
        return NULL;
    }
    void *companion = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (companion == NULL) {
        snprintf(why, size, "%s", dlerror());
        return NULL;
    }
    const struct ghcomp_host *(*start)(uint32_t);
    void *found = dlsym(companion, "ghcomp_rts_boot"), *down = dlsym(companion, "ghcomp_rts_down");
    memcpy(&start, &found, sizeof start);
    const struct ghcomp_host *table = found != NULL && down != NULL ? start(capabilities) : NULL;
    if (table == NULL || table->abi != GHCOMP_HOST_ABI) {
        snprintf(why, size, "%s does not fit this libgomp.so.1 (install both from the same build)", path);
        return NULL;
    }
    memcpy(&booted.down, &down, sizeof booted.down);
    booted.process = getpid();
    return table;
}

struct boot_call {
    uint32_t capabilities;
    char *why;
    size_t size;
    const struct ghcomp_host *table;
};

static void call_boot(void *data)
{
    struct boot_call *call = data;
    call->table = boot(call->capabilities, call->why, call->size);
}

const struct ghcomp_host *ghcomp_boot(uint32_t capabilities, char *why, size_t size)
{
    struct boot_call call = {capabilities, why, size, NULL};
    int error = 0;
    if (ghcomp_os_stack_left() >= STACK_NEEDED)
        call_boot(&call);
    else
        error = ghcomp_os_call_on_stack(STACK_GIVEN, call_boot, &call);
    if (error != 0)
        snprintf(why, size, "there is no memory for a stack to start one on (%s)", strerror(error));
    return call.table;
}

void ghcomp_boot_down(void)
{
    enum { LIMIT_MS = 10000 }; /* the RTS runs none of the program's Haskell code, so it is never busy for long */
    static _Atomic bool stopped; /* xchg_relaxed: one of several callers continues */
    if (booted.down == NULL || booted.process != getpid() || ghcomp_xchg_relaxed(&stopped, true))
        return;
    if (ghcomp_host_retire(LIMIT_MS))
        booted.down();
}
