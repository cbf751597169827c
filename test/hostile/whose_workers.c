/* A region's members are as if its master had made them: with its nice value, scheduling class, sandbox,
   credentials, namespaces and working directory. Threads with attributes of their own come and go beside the first
   thread, in both orders: no master gets a worker that is less restricted than itself, or more; and workers of such
   threads end. What a machine or its user may not do is left out. Each case is a process of its own.
   hosts: posix ghc
   limit: 120
   symbols: GOMP_parallel */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "hostile.h"

enum { TEAM = 4 };

/* What a thread can be seen to be. */
struct seen {
    int nice, policy, opens, no_new_privs;
    unsigned user, capabilities;
    char folder[256], host[65];
};

static struct seen look_at_self(void)
{
    struct seen is;
    struct utsname names;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    memset(&is, 0, sizeof is);
    is.nice = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
    is.policy = sched_getscheduler(0);
    int file = open("/dev/null", O_RDONLY);
    is.opens = file >= 0;
    if (file >= 0)
        close(file);
    is.no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
    is.user = (unsigned)geteuid();
    CHECK(syscall(SYS_capget, &header, data) == 0);
    is.capabilities = data[0].effective;
    CHECK(getcwd(is.folder, sizeof is.folder) != NULL && uname(&names) == 0);
    memcpy(is.host, names.nodename, sizeof is.host);
    return is;
}

static void same(const struct seen *master)
{
    struct seen is = look_at_self();
    CHECK(is.nice == master->nice && is.policy == master->policy && is.opens == master->opens);
    CHECK(is.no_new_privs == master->no_new_privs && is.user == master->user);
    CHECK(is.capabilities == master->capabilities);
    CHECK(strcmp(is.folder, master->folder) == 0 && strcmp(is.host, master->host) == 0);
}

/* A region, in which each member opens one: all are as the thread that opens the first. */
static void alike(void)
{
    struct seen master = look_at_self();
    int met = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(TEAM)
    {
        same(&master);
#pragma omp parallel num_threads(2)
        {
            same(&master);
#pragma omp atomic
            met++;
        }
    }
    CHECK(met == 2 * TEAM);
}

/* --- what a thread does to itself; false: it may not -------------------------------------------------------------- */

static int nicer(void)
{
    return setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 10) == 0;
}

static int batch(void)
{
    struct sched_param none = {0};
    return sched_setscheduler(0, SCHED_BATCH, &none) == 0;
}

static int elsewhere(void)
{
    return unshare(CLONE_FS) == 0 && chdir("/usr") == 0;
}

static int no_new_privs(void)
{
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

static int no_files(void)
{
    struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                   BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return no_new_privs() && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

/* For this thread alone, past the C library. */
static int other_user(void)
{
    return geteuid() == 0 && syscall(SYS_setresuid, -1, 65534, -1) == 0;
}

static int fewer_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (syscall(SYS_capget, &header, data) != 0 || (data[0].effective & 1u << CAP_KILL) == 0)
        return 0;
    data[0].effective &= ~(1u << CAP_KILL);
    return syscall(SYS_capset, &header, data) == 0;
}

static int other_host(void)
{
    return unshare(CLONE_NEWUTS) == 0 && sethostname("elsewhere", 9) == 0;
}

/* --- cases -------------------------------------------------------------------------------------------------------- */

static int (*change)(void);

static void *changed(void *could)
{
    if (change()) {
        alike();
        *(int *)could = 1;
    }
    return NULL;
}

static void *plain(void *unused)
{
    alike();
    return unused;
}

static void in_thread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, argument) == 0 && pthread_join(thread, NULL) == 0);
}

/* Its workers are not the first thread's. */
static void before_main(void)
{
    int could = 0;
    in_thread(changed, &could);
    alike();
    in_thread(plain, NULL);
}

/* It does not get the first thread's, nor those that a thread has left. */
static void after_main(void)
{
    int could = 0;
    in_thread(plain, NULL);
    in_thread(changed, &could);
    alike();
    in_thread(changed, &could);
}

static int threads(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    while (readdir(tasks) != NULL)
        count++;
    closedir(tasks);
    return count - 2;
}

/* The workers of threads that come and go end with them. They take their time: a minute, until the test's limit. */
static void come_and_go(void)
{
    int could = 0;
    alike();
    int before = threads();
    for (int i = 0; i < 50; i++)
        in_thread(changed, &could);
    while (threads() > before + 2 * (2 * TEAM))
        usleep(1000);
    alike();
}

/* A member changes itself. With its team's master it may stay, with others it may not. */
static void *change_members(void *could)
{
#pragma omp parallel num_threads(TEAM)
    if (change())
#pragma omp atomic write
        *(int *)could = 1;
    return NULL;
}

static void in_a_region(void)
{
    int could = 0;
    in_thread(change_members, &could);
    in_thread(plain, NULL);
    alike();
}

/* A thread that has had regions is not looked at in each; what it gets in addition then is as it is. */
static void *late(void *unused)
{
    int wrong = 0;
    CHECK(team(2) == 2);
    if (!change())
        return unused;
    struct seen master = look_at_self();
#pragma omp parallel num_threads(2 * TEAM) reduction(+ : wrong)
    {
        struct seen is = look_at_self();
        wrong += memcmp(&is, &master, sizeof is) != 0;
    }
    CHECK(wrong <= 1);
    return unused;
}

static void after_a_region(void)
{
    in_thread(plain, NULL);
    in_thread(late, NULL);
    alike();
}

#define CASE(order, what)            \
    static void order##_##what(void) \
    {                                \
        change = what;               \
        order();                     \
    }
#define CASES(what)            \
    CASE(before_main, what)    \
    CASE(after_main, what)     \
    CASE(come_and_go, what)    \
    CASE(after_a_region, what)
CASES(nicer)
CASES(batch)
CASES(elsewhere)
CASES(no_new_privs)
CASES(no_files)
CASES(other_user)
CASES(fewer_capabilities)
CASES(other_host)
CASE(in_a_region, nicer)
CASE(in_a_region, batch)
CASE(in_a_region, elsewhere)

#define ROW(order, what) {#order " " #what, order##_##what, 0, ""}
#define ROWS(what) ROW(before_main, what), ROW(after_main, what), ROW(come_and_go, what), ROW(after_a_region, what)
static const struct process_case cases[] = {
    ROWS(nicer), ROWS(batch), ROWS(elsewhere), ROWS(no_new_privs), ROWS(no_files), ROWS(other_user),
    ROWS(fewer_capabilities), ROWS(other_host), ROW(in_a_region, nicer), ROW(in_a_region, batch),
    ROW(in_a_region, elsewhere)};

/* The C library loads what pthread_exit needs, which libgomp's workers end by; in the sandbox it could not. */
static void *ends(void *unused)
{
    pthread_exit(unused);
}

int main(int argc, char **argv)
{
    in_thread(ends, NULL);
    return run_cases(argc, argv, cases, sizeof cases / sizeof *cases, times(1, 20));
}
