/* A program whose system calls are denied (denied.py): regions of several sizes, barriers that sleep, loops, tasks,
 * locks, nested teams, places, memory on the machine's nodes, other threads as masters, a fork. It prints "right" and
 * ends with status 0, or says what was wrong.
 *
 *   denied start NUMBERS ERRNO    from main's beginning on, before the first region, these calls (numbers, separated by
 *                                 commas) fail with that errno
 *   denied later NUMBERS ERRNO    ... from after a first region on, in all threads
 *   denied exec NUMBERS ERRNO     ... executes itself, so that the loader and the runtime's load meet it, too
 *   denied record start|later     prints the numbers of the calls that the program makes in that time, one a line
 *
 * Nothing here waits by the C library, which ends a process whose waits are denied. Status 77: the machine cannot do
 * it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIP = 77, WRONG = 2, SHORT = 3, TIMES = 40 };

static void wrong(const char *what, long got, long wanted)
{
    if (got == wanted)
        return;
    fprintf(stderr, "WRONG: %s: %ld instead of %ld\n", what, got, wanted);
    _exit(WRONG);
}

/* What the program itself cannot do is its own line and status. */
static void cannot(const char *what, int error)
{
    fprintf(stderr, "program: %s: %s\n", what, strerror(error));
    _exit(SHORT);
}

/* --- denying ------------------------------------------------------------------------------------------------------ */

/* `all`: of every call; in all threads of the process, which have no other filter. */
static void install(int number, unsigned action, bool all)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, all ? 0 : 1),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0) {
        printf("no filter can be installed: %s\n", strerror(errno));
        exit(SKIP);
    }
}

/* --- what it does ------------------------------------------------------------------------------------------------- */

static void regions(int largest)
{
    for (int size = largest; size >= 2; size--) {
        int members = 0, after = 0;
#pragma omp parallel num_threads(size)
        {
#pragma omp atomic
            members++;
#pragma omp barrier
#pragma omp single
            wrong("members before the barrier", members, size);
#pragma omp atomic
            after++;
        }
        wrong("members", after, size);
    }
}

/* One member comes late to each barrier, so that the others sleep. */
static void sleepers(int size)
{
    int rounds = 0;
#pragma omp parallel num_threads(size)
    for (int round = 0; round < 3; round++) {
        if (omp_get_thread_num() == round)
            for (int i = 0; i < 2000; i++)
                sched_yield();
#pragma omp barrier
#pragma omp master
        rounds++;
    }
    wrong("rounds", rounds, 3);
}

static void loops(void)
{
    long sum = 0, last = -1;
#pragma omp parallel for num_threads(3) schedule(dynamic, 2) reduction(+ : sum)
    for (int i = 0; i < 100; i++)
        sum += i;
    wrong("the sum of a dynamic loop", sum, 4950);
#pragma omp parallel for num_threads(3) ordered schedule(static, 1)
    for (int i = 0; i < 20; i++) {
#pragma omp ordered
        {
            wrong("the order of a loop", last, i - 1);
            last = i;
        }
    }
}

static void tasks(void)
{
    int chain = 0, done = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        for (int i = 0; i < TIMES; i++) {
#pragma omp task depend(inout : chain)
            {
                wrong("the order of tasks", chain, i);
                chain++;
            }
#pragma omp task
            {
#pragma omp atomic
                done++;
            }
        }
#pragma omp taskwait
    }
    wrong("tasks", chain + done, 2 * TIMES);
}

static void locks(void)
{
    int under_lock = 0, critical = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
    for (int i = 0; i < TIMES; i++) {
        omp_set_lock(&lock);
        under_lock++;
        if (i % 8 == 0)
            sched_yield();
        omp_unset_lock(&lock);
#pragma omp critical
        critical++;
    }
    omp_destroy_lock(&lock);
    wrong("under the lock", under_lock, 4 * TIMES);
    wrong("in the critical section", critical, 4 * TIMES);
}

static void nested(void)
{
    int inner = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        inner++;
    }
    omp_set_max_active_levels(1);
    wrong("members of inner teams", inner, 4);
}

static void questions(void)
{
    if (omp_get_num_procs() < 1)
        wrong("processors", omp_get_num_procs(), 1);
    if (omp_get_wtime() <= 0)
        wrong("time", 0, 1);
    for (int place = 0; place < omp_get_num_places(); place++)
        if (omp_get_place_num_procs(place) < 1)
            wrong("a place's processors", 0, 1);
    omp_get_place_num();
}

/* Blocks that are to lie on the machine's nodes. */
static void memory(void)
{
    static const omp_uintptr_t partitions[] = {omp_atv_nearest, omp_atv_blocked, omp_atv_interleaved};
    for (int i = 0; i < 3; i++) {
        const omp_alloctrait_t trait = {omp_atk_partition, partitions[i]};
        omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 1, &trait);
        char *block = omp_alloc(100000, allocator);
        if (block == NULL)
            cannot("a block", ENOMEM);
        memset(block, 1, 100000);
        wrong("the last byte", block[99999], 1);
        omp_free(block, allocator);
        omp_destroy_allocator(allocator);
    }
}

static int masters_done;

static void *master(void *nothing)
{
    regions(2);
    regions(3);
    __atomic_fetch_add(&masters_done, 1, __ATOMIC_RELEASE);
    return nothing;
}

static void masters(void)
{
    enum { MASTERS = 2 };
    pthread_t threads[MASTERS];
    masters_done = 0;
    for (int i = 0; i < MASTERS; i++) {
        int error = pthread_create(&threads[i], NULL, master, NULL);
        if (error != 0)
            cannot("a thread", error);
        pthread_detach(threads[i]);
    }
    while (__atomic_load_n(&masters_done, __ATOMIC_ACQUIRE) < MASTERS)
        sched_yield();
}

static void forks(void)
{
    pid_t child = fork();
    if (child < 0)
        cannot("fork", errno);
    if (child == 0) {
        regions(3);
        tasks();
        _exit(0);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child)
        cannot("waitpid", errno);
    if (!WIFEXITED(status))
        wrong("the signal that ended the child", WTERMSIG(status), 0);
    if (WEXITSTATUS(status) != 0)
        _exit(WEXITSTATUS(status)); /* it has said why */
}

static int work(void)
{
    regions(4);
    sleepers(3);
    regions(11); /* another kind of barrier */
    sleepers(10);
    loops();
    tasks();
    locks();
    nested();
    questions();
    memory();
    masters();
    forks();
    if (printf("right\n") != 6 || fflush(stdout) != 0)
        cannot("printing", errno);
    return 0;
}

/* --- recording ---------------------------------------------------------------------------------------------------- */

static int record(const char *when)
{
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(SKIP);
        raise(SIGSTOP);
        close(STDOUT_FILENO);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execl("/proc/self/exe", "denied", when, "all", "0", (char *)NULL);
        _exit(SKIP);
    }
    int status;
    bool seen[4096] = {false};
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
        ptrace(PTRACE_SETOPTIONS, child, NULL,
               PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_EXITKILL) != 0)
        return SKIP;
    ptrace(PTRACE_CONT, child, NULL, NULL);
    int last = SKIP;
    for (pid_t at; (at = waitpid(-1, &status, __WALL)) > 0;) {
        if (!WIFSTOPPED(status)) {
            if (at == child)
                last = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
            continue;
        }
        int deliver = WSTOPSIG(status);
        if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8)) {
            struct __ptrace_syscall_info call;
            if (ptrace(PTRACE_GET_SYSCALL_INFO, at, sizeof call, &call) <= 0)
                return SKIP;
            if (call.seccomp.nr < sizeof seen)
                seen[call.seccomp.nr] = true;
        }
        if (status >> 16 != 0 || deliver == SIGTRAP || deliver == SIGSTOP) /* an event, or a new thread's stop */
            deliver = 0;
        ptrace(PTRACE_CONT, at, NULL, (void *)(long)deliver);
    }
    for (size_t i = 0; i < sizeof seen; i++)
        if (seen[i])
            printf("%zu\n", i);
    return last;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "record") == 0)
        return record(argv[2]);
    if (argc == 2 && strcmp(argv[1], "run") == 0)
        return work();
    if (argc != 4)
        return WRONG;
    bool all = strcmp(argv[2], "all") == 0;
    unsigned action = all ? SECCOMP_RET_TRACE : SECCOMP_RET_ERRNO | (unsigned)atoi(argv[3]);
    if (strcmp(argv[1], "later") == 0)
        regions(6);
    for (char *rest = argv[2], *one; (one = strsep(&rest, ",")) != NULL;)
        install(all ? 0 : atoi(one), action, all);
    if (strcmp(argv[1], "exec") == 0) {
        execl("/proc/self/exe", "denied", "run", (char *)NULL);
        cannot("exec", errno);
    }
    return work();
}
