/* A storm of signals into the master and the workers, from another thread (SIGUSR1 with SA_RESTART, SIGUSR2 without)
   and from timers (ITIMER_REAL, ITIMER_PROF), while loops, barriers, tasks, taskgroups, ordered, doacross loops, locks,
   criticals, copyprivate and nested regions run: results stay right, and no construct changes errno. Each thread of the
   team has handled signals.
   hosts: posix ghc
   limit: 60
   deep-limit: 600
   symbols: GOMP_parallel GOMP_doacross_wait GOMP_ordered_start GOMP_taskgroup_end GOMP_single_copy_start */
#include <dirent.h>
#include <sys/time.h>

#include "hostile.h"

enum { TEAM = 4, SIGNALS = 4 };

static const int numbers[SIGNALS] = {SIGUSR1, SIGUSR2, SIGALRM, SIGPROF};
static int handled[SIGNALS], in_team, stop;
static __thread volatile int mine; /* signals that the thread has handled */

static void handler(int number)
{
    for (int i = 0; i < SIGNALS; i++)
        if (numbers[i] == number)
            count_up(&handled[i]);
    mine = mine + 1;
}

/* To every thread of the process but itself. Signals to threads that block them stay pending there and do no harm. */
static void *storm(void *unused)
{
    pid_t me = (pid_t)syscall(SYS_gettid);
    uint64_t state = 5;
    (void)unused;
    while (!look(&stop)) {
        DIR *tasks = opendir("/proc/self/task");
        struct dirent *entry;
        CHECK(tasks != NULL);
        while ((entry = readdir(tasks)) != NULL) {
            pid_t thread = (pid_t)atoi(entry->d_name);
            if (thread > 0 && thread != me)
                syscall(SYS_tgkill, getpid(), thread, draw(&state, 2) == 0 ? SIGUSR1 : SIGUSR2);
        }
        closedir(tasks);
        usleep(draw(&state, 300));
    }
    return NULL;
}

/* The value that errno has before a construct, and must have after it. */
enum { UNUSUAL = 12345 };
#define KEEPS_ERRNO() CHECK(errno == UNUSUAL)

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void constructs(void)
{
    enum { MANY = 64 };
    int sum = 0, ordered = 0, in_critical = 0, in_lock = 0, nested_sum = 0, chain[MANY + 1] = {0};
    long tasks = 0, in_group = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
    errno = UNUSUAL;
#pragma omp parallel num_threads(TEAM) reduction(+ : nested_sum)
    {
        int copied = 0;
        errno = UNUSUAL;
#pragma omp for schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < MANY; i++)
            sum += i;
        KEEPS_ERRNO();
#pragma omp for ordered schedule(dynamic, 2)
        for (int i = 0; i < MANY; i++) {
#pragma omp ordered
            ordered += ordered == i;
        }
        KEEPS_ERRNO();
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 1; i <= MANY; i++) {
#pragma omp ordered depend(sink : i - 1)
            chain[i] = chain[i - 1] + 1;
#pragma omp ordered depend(source)
        }
        KEEPS_ERRNO();
#pragma omp single
        tasks = fib(9);
        KEEPS_ERRNO();
#pragma omp master
        {
#pragma omp taskgroup
            for (int i = 0; i < 30; i++) {
#pragma omp task shared(in_group)
                {
#pragma omp atomic
                    in_group++;
                }
            }
            CHECK(in_group == 30);
        }
        KEEPS_ERRNO();
        for (int i = 0; i < 5; i++) {
#pragma omp critical
            in_critical++;
            omp_set_lock(&lock);
            in_lock++;
            omp_unset_lock(&lock);
#pragma omp barrier
        }
        KEEPS_ERRNO();
#pragma omp single copyprivate(copied)
        copied = 17;
        CHECK(copied == 17);
        KEEPS_ERRNO();
        nested_sum += team(2);
        KEEPS_ERRNO();
    }
    KEEPS_ERRNO();
    omp_destroy_lock(&lock);
    CHECK(sum == MANY * (MANY - 1) / 2);
    CHECK(ordered == MANY);
    CHECK(chain[MANY] == MANY);
    CHECK(tasks == 34);
    CHECK(in_critical == 5 * TEAM && in_lock == 5 * TEAM);
    CHECK(nested_sum == 2 * TEAM);
}

static int enough(double begin, int least)
{
    if (now() - begin < (double)times(1, 60))
        return 0;
    for (int i = 0; i < SIGNALS; i++)
        if (look(&handled[i]) < least)
            return 0;
    return 1;
}

int main(void)
{
    pthread_t sender;
    struct itimerval often = {{0, 700}, {0, 700}}, none = {{0, 0}, {0, 0}};
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action = {.sa_handler = handler, .sa_flags = numbers[i] == SIGUSR2 ? 0 : SA_RESTART};
        CHECK(sigaction(numbers[i], &action, NULL) == 0);
    }
    exact();
    CHECK(team(TEAM) == TEAM); /* the workers are there */
    CHECK(pthread_create(&sender, NULL, storm, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0 && setitimer(ITIMER_PROF, &often, NULL) == 0);
    int rounds = 0;
    for (double begin = now(); !enough(begin, 100); rounds++)
        constructs();
    /* Signals reach every thread of the team, also while it does nothing but wait. */
#pragma omp parallel num_threads(TEAM)
    {
        for (int before = mine; mine < before + 3;)
            sched_yield();
        count_up(&in_team);
    }
    CHECK(in_team == TEAM);
    CHECK(setitimer(ITIMER_REAL, &none, NULL) == 0 && setitimer(ITIMER_PROF, &none, NULL) == 0);
    open_gate(&stop);
    CHECK(pthread_join(sender, NULL) == 0);
    CHECK(team(TEAM) == TEAM);
    printf("%d rounds; signals", rounds);
    for (int i = 0; i < SIGNALS; i++)
        printf(" %d", handled[i]);
    printf("\n");
    return 0;
}
