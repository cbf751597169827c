/* Members of a team in different scheduling classes, all on one CPU: real-time threads above and below their master,
 * and idle ones. Whatever a thread waits for, it waits without the CPU that the others need: the kernel gives nothing
 * to a thread below a real-time one that only yields. RLIMIT_RTTIME ends a process whose real-time thread runs for a
 * second without a sleep; that is CPU time, so a busy machine changes nothing. Ordered loops and doacross are among
 * the waits that hand over from thread to thread; two masters share workers with GHCOMP_SHARE=all.
 *
 * timing: CPU time between two sleeps
 * env: GHCOMP_SHARE=all
 * hosts: posix ghc
 * limit: 120
 * cflags: -D_GNU_SOURCE
 */
#include <dlfcn.h>
#include <sched.h>
#include <sys/resource.h>

#include "hostile.h"

enum { MEMBERS = 3 };

struct class { int policy, priority; };
static const struct class OTHER = {SCHED_OTHER, 0}, IDLE = {SCHED_IDLE, 0};
static const struct class LOW = {SCHED_FIFO, 2}, HIGH = {SCHED_FIFO, 9};
static struct class of_master, of_workers;

static int become(struct class class)
{
    struct sched_param param = {.sched_priority = class.priority};
    return pthread_setschedparam(pthread_self(), class.policy, &param) == 0;
}

/* Again in each region: the runtime may have given it other threads. */
static void member(void)
{
    if (omp_get_thread_num() > 0 && !become(of_workers))
        abort();
}

static void plain(void)
{
    int in = 0;
#pragma omp parallel num_threads(MEMBERS) reduction(+ : in)
    {
        member();
        for (int i = 0; i < 4; i++) {
#pragma omp barrier
        }
        in++;
    }
    CHECK(in == MEMBERS);
}

static void tasks_at_the_end(void)
{
    int ran = 0;
#pragma omp parallel num_threads(MEMBERS)
    {
        member();
#pragma omp single nowait
        for (int i = 0; i < 10; i++)
#pragma omp task shared(ran)
#pragma omp atomic
            ran++;
    }
    CHECK(ran == 10);
}

static void tasks_awaited(void)
{
    int ran = 0, order = 0;
#pragma omp parallel num_threads(MEMBERS)
    {
        member();
#pragma omp single
        {
#pragma omp taskgroup
            for (int i = 0; i < 10; i++)
#pragma omp task shared(ran)
#pragma omp atomic
                ran++;
            for (int i = 0; i < 10; i++)
#pragma omp task shared(order) depend(inout : order)
                order += order == i;
#pragma omp taskwait
        }
    }
    CHECK(ran == 10 && order == 10);
}

static void handed_over(void)
{
    int next = 0, sum = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(MEMBERS)
    {
        int given;
        member();
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 12; i++) {
#pragma omp ordered
            next += next == i;
        }
        for (int i = 0; i < 10; i++) {
#pragma omp critical
            sum++;
            omp_set_lock(&lock);
            sum++;
            omp_unset_lock(&lock);
        }
#pragma omp single copyprivate(given)
        given = 7;
#pragma omp atomic
        sum += given;
    }
    omp_destroy_lock(&lock);
    CHECK(next == 12);
}

/* libgomp's waits for posts never sleep. */
static void posts(void)
{
    int done[24] = {0};
    if (dlsym(RTLD_DEFAULT, "ghcomp_version") == NULL)
        return;
#pragma omp parallel num_threads(MEMBERS)
    {
        member();
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 0; i < 24; i++) {
#pragma omp ordered depend(sink : i - 1)
            done[i] = i == 0 ? 1 : done[i - 1] + 1;
#pragma omp ordered depend(source)
        }
    }
    CHECK(done[23] == 24);
}

static void inner_regions(void)
{
    int in = 0;
#pragma omp parallel num_threads(2) reduction(+ : in)
    {
        member();
#pragma omp parallel num_threads(2) reduction(+ : in)
        in++;
    }
    CHECK(in == 4);
}

static void all(int rounds)
{
    omp_set_max_active_levels(2);
    plain();
    CHECK(become(of_master));
    for (int i = 0; i < rounds; i++) {
        plain();
        tasks_at_the_end();
        tasks_awaited();
        handed_over();
        posts();
        inner_regions();
    }
    CHECK(become(OTHER));
    puts("ok");
}

#define CASE(name, master, workers, rounds) \
    static void name(void) \
    { \
        of_master = master; \
        of_workers = workers; \
        all(rounds); \
    }

CASE(below_workers, OTHER, HIGH, 10)
CASE(low_below_high, LOW, HIGH, 10)
CASE(high_above_low, HIGH, LOW, 10)
CASE(above_workers, LOW, OTHER, 5)
CASE(idle_below_workers, IDLE, HIGH, 2)
CASE(above_idle_workers, LOW, IDLE, 2)

/* --- two masters that share workers ------------------------------------------------------------------------------- */

static void *master(void *class)
{
    CHECK(become(*(const struct class *)class));
    omp_set_dynamic(1);
    for (int i = 0; i < 300; i++) {
#pragma omp parallel num_threads(1 + i % MEMBERS)
        {
#pragma omp barrier
        }
        usleep(i % 7 == 0 ? 50 : 0);
    }
    return NULL;
}

static void two_masters(void)
{
    pthread_t threads[2];
    struct class classes[2] = {LOW, OTHER};
    for (int i = 0; i < 2; i++)
        CHECK(pthread_create(&threads[i], NULL, master, &classes[i]) == 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("ok");
}

/* For the cases, which are processes of their own: the runtime looks at the CPUs when it is loaded. */
static void one_cpu(void)
{
    cpu_set_t mask;
    struct rlimit most = {1000000, 1000000}; /* microseconds */
    int cpu = sched_getcpu();
    CPU_ZERO(&mask);
    CPU_SET(cpu < 0 ? 0 : cpu, &mask);
    CHECK(sched_setaffinity(0, sizeof mask, &mask) == 0);
    CHECK(setrlimit(RLIMIT_RTTIME, &most) == 0);
}

int main(int argc, char **argv)
{
    static const struct process_case cases[] = {
        {"below_workers", below_workers, 0, "ok\n"},   {"low_below_high", low_below_high, 0, "ok\n"},
        {"high_above_low", high_above_low, 0, "ok\n"}, {"above_workers", above_workers, 0, "ok\n"},
        {"idle_below", idle_below_workers, 0, "ok\n"}, {"above_idle", above_idle_workers, 0, "ok\n"},
        {"two_masters", two_masters, 0, "ok\n"},
    };
    if (argc > 1)
        return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0], 1);
    if (!become(LOW)) {
        puts("the process may not use real-time scheduling (CAP_SYS_NICE)");
        return 77;
    }
    become(OTHER);
    one_cpu();
    for (int passive = 0; passive < 2; passive++) {
        if (passive)
            setenv("OMP_WAIT_POLICY", "passive", 1);
        if (run_cases(argc, argv, cases, sizeof cases / sizeof cases[0], times(1, 50)) != 0)
            return 1;
    }
    return 0;
}
