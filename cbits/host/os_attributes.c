/* Linux: what threads inherit. Contract in os_attributes.h; covered by test/hostile/whose_workers.c.
 *
 * Each query is one system call, and most attributes cannot have changed since load without a privilege: so namespaces
 * are queried only with CAP_SYS_ADMIN, groups and file system ids with any capability, and the number of filters only
 * if neither the mode of seccomp nor no_new_privs shows a new one. The mode is queried first: a thread that has new
 * filters makes no further query, because a filter may kill it for one.
 *
 * A call that fails at load (an old kernel, a container's filter) is not made again. A call that worked then and is
 * denied now means that the thread is in a sandbox.
 */
#include "host/os_attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/os.h"

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

enum question { SECCOMP, NO_NEW_PRIVS, SCHEDULING, CAPABILITIES, IDS, FS, FILTERS, NAMESPACES, QUESTIONS };

/* At load; immutable afterwards. */
static struct {
    bool works[QUESTIONS];
    bool counts_filters;               /* a new filter may show in the number alone */
    struct ghcomp_os_attributes is;
} load;

static bool ask_scheduling(struct ghcomp_os_scheduling *is, int thread)
{
    if (syscall(SYS_sched_getattr, thread, is, sizeof *is, 0) != 0)
        return false;
    if (is->policy != SCHED_DEADLINE)
        is->runtime = is->deadline = is->period = 0;
    return true;
}

/* Whether two threads share their working directory, root and umask: 1 or 0; below 0: unknown. */
static int share_fs(int one, int other)
{
    long order = syscall(SYS_kcmp, one, other, KCMP_FS, 0, 0);
    return order < 0 ? -1 : order == 0;
}

/* --- single questions: whether the kernel has answered ------------------------------------------------------------ */

static bool ask_capabilities(struct ghcomp_os_attributes *is)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[2] = {{0}};
    if (syscall(SYS_capget, &header, data) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        is->capabilities[i] = data[i].effective;
        is->capabilities[2 + i] = data[i].permitted;
        is->capabilities[4 + i] = data[i].inheritable;
    }
    return true;
}

static bool has_any_capability(const struct ghcomp_os_attributes *is)
{
    return (is->capabilities[2] | is->capabilities[3]) != 0;
}

static bool may_administer(const struct ghcomp_os_attributes *is)
{
    return is->capabilities[CAP_SYS_ADMIN / 32 + 2] >> CAP_SYS_ADMIN % 32 & 1;
}

static uint32_t hash_groups(void)
{
    gid_t few[64], *groups = few;
    int count = (int)syscall(SYS_getgroups, 0, NULL);
    if (count > 64 && (groups = malloc((size_t)count * sizeof *groups)) == NULL)
        return 0;
    count = (int)syscall(SYS_getgroups, count, groups);
    uint32_t hash = 2166136261u;
    for (int i = 0; i < count; i++)
        hash = (hash ^ groups[i]) * 16777619u;
    if (groups != few)
        free(groups);
    return hash;
}

static bool ask_ids(struct ghcomp_os_attributes *is, bool may_change)
{
    if (syscall(SYS_getresuid, &is->ids[0], &is->ids[1], &is->ids[2]) != 0 ||
        syscall(SYS_getresgid, &is->ids[4], &is->ids[5], &is->ids[6]) != 0)
        return false;
    if (!may_change)
        return true;
    is->ids[3] = (uint32_t)syscall(SYS_setfsuid, -1); /* an invalid id changes nothing, and the present one is
                                                         returned */
    is->ids[7] = (uint32_t)syscall(SYS_setfsgid, -1);
    is->groups = hash_groups();
    return true;
}

/* The line of /proc/thread-self/status; its length varies little, and 4 KiB hold it in any case that matters. */
static bool ask_filters(struct ghcomp_os_attributes *is)
{
    char text[4096];
    long length = -1, file = syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/status", O_RDONLY | O_CLOEXEC, 0);
    if (file >= 0) {
        length = syscall(SYS_read, file, text, sizeof text - 1);
        syscall(SYS_close, file);
    }
    if (length <= 0)
        return false;
    text[length] = '\0';
    const char *line = strstr(text, "\nSeccomp_filters:");
    if (line != NULL)
        is->filters = (uint32_t)strtoul(line + 17, NULL, 10);
    return line != NULL;
}

/* Each link reads like net:[4026531833]. In a new thread, whose entries in /proc are new, too, this takes 26 us; with
   fstatat in place of readlinkat 34. */
static bool ask_namespaces(struct ghcomp_os_attributes *is)
{
    static const char *const names[] = {"net", "uts", "ipc", "cgroup", "time"};
    int folder = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/ns", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (folder < 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char link[64];
        long length = syscall(SYS_readlinkat, folder, names[i], link, sizeof link - 1);
        if (length <= 0) /* an older kernel has not all of them */
            continue;
        link[length] = '\0';
        const char *inode = strchr(link, '[');
        is->namespaces[i] = inode != NULL ? strtoull(inode + 1, NULL, 10) : 0;
    }
    syscall(SYS_close, folder);
    return true;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static void note(struct ghcomp_os_attributes *is, enum question question, bool answered)
{
    if (!answered && load.works[question])
        is->sandboxed = 1;
}

static void ask_sandbox(struct ghcomp_os_attributes *is)
{
    long mode = load.works[SECCOMP] ? prctl(PR_GET_SECCOMP, 0, 0, 0, 0) : 0;
    note(is, SECCOMP, mode >= 0);
    is->seccomp = mode > 0 ? (uint32_t)mode : 0;
    if (is->seccomp != load.is.seccomp)
        is->sandboxed = 1;
    if (is->sandboxed)
        return;
    long set = load.works[NO_NEW_PRIVS] ? prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) : 0;
    note(is, NO_NEW_PRIVS, set >= 0);
    is->no_new_privs = set > 0;
    if (is->no_new_privs != load.is.no_new_privs)
        is->sandboxed = 1;
    if (is->sandboxed || !load.counts_filters)
        return;
    note(is, FILTERS, ask_filters(is));
    if (is->filters != load.is.filters)
        is->sandboxed = 1;
}

static void ask_the_rest(struct ghcomp_os_attributes *is, const struct ghcomp_os_attributes *before)
{
    if (load.works[SCHEDULING])
        note(is, SCHEDULING, ask_scheduling(&is->scheduling, 0));
    if (load.works[CAPABILITIES])
        note(is, CAPABILITIES, ask_capabilities(is));
    if (load.works[IDS])
        note(is, IDS, ask_ids(is, has_any_capability(is) || has_any_capability(&load.is)));
    if (load.works[FS] && !ghcomp_os_first_thread()) {
        int shared = share_fs(ghcomp_os_thread_id(), (int)getpid());
        note(is, FS, shared >= 0);
        is->own_fs = shared == 0 && !ghcomp_os_first_thread_ended(); /* without the first thread there is nothing to
                                                                        compare with */
    }
    if (before != NULL)
        memcpy(is->namespaces, before->namespaces, sizeof is->namespaces);
    else if (load.works[NAMESPACES] && (may_administer(is) || may_administer(&load.is)))
        note(is, NAMESPACES, ask_namespaces(is));
}

static void ask_at_load(void)
{
    int saved_errno = errno;
    struct ghcomp_os_attributes *is = &load.is;
    long mode = prctl(PR_GET_SECCOMP, 0, 0, 0, 0), set = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    int thread = ghcomp_os_thread_id();
    load.works[SECCOMP] = mode >= 0;
    load.works[NO_NEW_PRIVS] = set >= 0;
    is->seccomp = mode > 0 ? (uint32_t)mode : 0;
    is->no_new_privs = set > 0;
    load.works[SCHEDULING] = ask_scheduling(&is->scheduling, 0);
    load.works[CAPABILITIES] = ask_capabilities(is);
    load.works[IDS] = ask_ids(is, false);
    load.works[FS] = share_fs(thread, thread) == 1;
    load.works[NAMESPACES] = true;
    if (is->seccomp != 0 && (is->no_new_privs || may_administer(is)))
        load.counts_filters = load.works[FILTERS] = ask_filters(is);
    errno = saved_errno;
}

/* Runs before the program can change anything, if the library is loaded with it. If the runtime is linked into the
   program, constructors of shared libraries may open regions earlier. */
__attribute__((constructor(101))) static void at_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, ask_at_load);
}

void ghcomp_os_attributes(struct ghcomp_os_attributes *is, const struct ghcomp_os_attributes *before)
{
    int saved_errno = errno;
    at_load();
    memset(is, 0, sizeof *is);
    ask_sandbox(is);
    if (!is->sandboxed)
        ask_the_rest(is, before);
    errno = saved_errno;
}

struct ghcomp_os_scheduling ghcomp_os_scheduling(int thread)
{
    int saved_errno = errno;
    struct ghcomp_os_scheduling is = {0}, unknown = {0};
    bool known = load.works[SCHEDULING] && ask_scheduling(&is, thread);
    errno = saved_errno;
    return known ? is : unknown;
}

bool ghcomp_os_same_fs(int thread)
{
    int saved_errno = errno;
    bool same = !load.works[FS] || share_fs(ghcomp_os_thread_id(), thread) != 0;
    errno = saved_errno;
    return same;
}
