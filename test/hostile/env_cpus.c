/* Affinity masks that shrink while the program runs: other threads, and threads inside of regions, take CPUs away from
 * the workers and from the masters; then CPUs vanish altogether, as from a cpuset: the program has a sched_setaffinity
 * and a pthread_create of its own, which refuse CPUs that are gone, as the kernel does. (env_cpuset.py does the same in
 * a real cpuset.) Teams keep their size, results are right, and a place that no thread can be bound to is named in one
 * line.
 *
 * hosts: posix ghc
 * limit: 60
 * cflags: -D_GNU_SOURCE
 * ldflags: -rdynamic
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include "limits_cases.h"

static cpu_set_t gone; /* CPUs that are refused when a mask has no other */
static int vanished, refused;

/* Whether the kernel would refuse the mask; otherwise, what it makes of it. */
static int refuses(size_t size, const cpu_set_t *mask, cpu_set_t *effective)
{
    memset(effective, 0, sizeof *effective);
    memcpy(effective, mask, size < sizeof *effective ? size : sizeof *effective);
    if (!look(&vanished))
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &gone))
            CPU_CLR(cpu, effective);
    if (CPU_COUNT(effective) > 0)
        return 0;
    count_up(&refused);
    return 1;
}

int sched_setaffinity(pid_t id, size_t size, const cpu_set_t *mask)
{
    cpu_set_t effective;
    if (refuses(size, mask, &effective)) {
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_sched_setaffinity, id, sizeof effective, &effective);
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *mask)
{
    static int (*next)(pthread_t, size_t, const cpu_set_t *);
    cpu_set_t effective;
    if (next == NULL)
        next = (__typeof__(next))dlsym(RTLD_NEXT, "pthread_setaffinity_np");
    return refuses(size, mask, &effective) ? EINVAL : next(thread, sizeof effective, &effective);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*entry)(void *), void *argument)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    cpu_set_t mask, effective;
    if (next == NULL)
        next = (__typeof__(next))dlsym(RTLD_NEXT, "pthread_create");
    if (attributes != NULL && pthread_attr_getaffinity_np(attributes, sizeof mask, &mask) == 0 &&
        CPU_COUNT(&mask) < CPU_SETSIZE && refuses(sizeof mask, &mask, &effective))
        return EINVAL;
    return next(thread, attributes, entry, argument);
}

static cpu_set_t all;
static int cpus[2]; /* two of them */

static cpu_set_t only(int cpu)
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(cpu, &mask);
    return mask;
}

/* Binds all threads of the process. */
static void bind_everybody(const cpu_set_t *mask)
{
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *entry; (entry = readdir(tasks)) != NULL;)
        if (entry->d_name[0] != '.')
            sched_setaffinity(atoi(entry->d_name), sizeof *mask, mask); /* it may have ended */
    closedir(tasks);
}

static int region(int threads)
{
    int sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
        CHECK(omp_get_num_threads() == threads);
#pragma omp barrier
        sum++;
#pragma omp single
        for (int i = 0; i < 20; i++)
#pragma omp task shared(sum)
            CHECK(omp_get_num_threads() == threads);
    }
    CHECK(sum == threads);
    return omp_get_num_procs();
}

static int stop;

static void *shrink_and_grow(void *rounds)
{
    for (int i = 0; !look(&stop); i++) {
        cpu_set_t mask = i % 3 == 2 ? all : only(cpus[i % 2]);
        bind_everybody(&mask);
        sched_yield();
    }
    (void)rounds;
    bind_everybody(&all);
    return NULL;
}

/* Another thread changes the masks of all threads while regions run. */
static void from_outside(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, shrink_and_grow, NULL) == 0);
    for (int i = 0; i < 300; i++)
        region(1 + i % 7);
    open_gate(&stop);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(region(4) == CPU_COUNT(&all));
}

/* A region's members change their own masks and those of others. */
static void from_inside(void)
{
    for (int i = 0; i < 100; i++) {
        int sum = 0;
#pragma omp parallel num_threads(5) reduction(+ : sum)
        {
            cpu_set_t mask = only(cpus[(i + omp_get_thread_num()) % 2]);
            CHECK(sched_setaffinity(0, sizeof mask, &mask) == 0);
#pragma omp barrier
#pragma omp masked
            bind_everybody(&mask);
#pragma omp for schedule(dynamic)
            for (int k = 0; k < 20; k++)
                sum += k;
        }
        CHECK(sum == 190);
        region(1 + i % 9);
    }
}

/* The mask of the master: omp_get_num_procs follows it, and so do new workers. */
static void of_the_master(void)
{
    CHECK(region(3) == CPU_COUNT(&all));
    cpu_set_t mask = only(cpus[1]);
    CHECK(sched_setaffinity(0, sizeof mask, &mask) == 0);
    CHECK(region(3) == 1 && region(6) == 1);
    int strayed = 0;
#pragma omp parallel num_threads(9) reduction(+ : strayed)
    {
        cpu_set_t mine;
        CHECK(sched_getaffinity(0, sizeof mine, &mine) == 0);
        strayed += omp_get_thread_num() >= 6 && !CPU_EQUAL(&mine, &mask); /* made just now */
    }
    CHECK(strayed == 0);
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    CHECK(region(12) == CPU_COUNT(&all));
}

static void vanish(void)
{
    cpu_set_t rest = all;
    gone = only(cpus[1]);
    CPU_CLR(cpus[1], &rest);
    open_gate(&vanished);
    bind_everybody(&rest); /* the kernel moves threads off a CPU that leaves their cpuset */
}

/* CPUs vanish before the first region, and between regions; there are places for them. */
static void vanished_first(void)
{
    vanish();
    for (int threads = 1; threads < 9; threads++)
        region(threads);
}

static void vanished_later(void)
{
    region(5);
    vanish();
    for (int threads = 1; threads < 9; threads++)
        region(threads);
    CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
    region(6);
}

/* A clause that no place is left for. */
static void vanished_clause(void)
{
    region(2);
    vanish();
    for (int i = 0; i < 50; i++) {
        int sum = 0;
#pragma omp parallel num_threads(3) proc_bind(spread) reduction(+ : sum)
        sum++;
#pragma omp parallel num_threads(4) proc_bind(close) reduction(+ : sum)
        sum++;
#pragma omp parallel num_threads(2) proc_bind(primary) reduction(+ : sum)
        sum++;
        CHECK(sum == 9);
    }
}

/* All CPUs that the process was started with are gone but for the ones of the calling thread. */
static void vanished_for_workers(void)
{
    vanish();
    gone = all; /* every mask is refused: threads stay where they are */
    for (int threads = 1; threads < 9; threads++)
        region(threads);
    CHECK(look(&refused) > 0 || !is_ours());
}

/* libgomp ends when it cannot bind a thread. */
#define OURS_SAYS_PLACE .only_ours = 1, .err = "cannot be bound to place"
static const struct hostile_case cases[] = {
    {.name = "from_outside", .run = from_outside},
    {.name = "from_outside_places", .run = from_outside, .environment = "OMP_PLACES=threads OMP_PROC_BIND=spread"},
    {.name = "from_inside", .run = from_inside},
    {.name = "from_inside_places", .run = from_inside, .environment = "OMP_PROC_BIND=close"},
    {.name = "of_the_master", .run = of_the_master},
    {.name = "vanished_first", .run = vanished_first},
    {.name = "vanished_first_places", .run = vanished_first, .environment = "OMP_PROC_BIND=true", OURS_SAYS_PLACE},
    {.name = "vanished_later", .run = vanished_later},
    {.name = "vanished_later_places", .run = vanished_later, .environment = "OMP_PLACES=threads", OURS_SAYS_PLACE},
    {.name = "vanished_clause", .run = vanished_clause, .environment = "OMP_PROC_BIND=spread", OURS_SAYS_PLACE},
    {.name = "vanished_for_workers", .run = vanished_for_workers},
};

/* The CPUs that the process may use, as a list: a case whose threads are bound at load cannot ask any more. */
static void find_cpus(void)
{
    const char *list = getenv("HOSTILE_CPUS");
    if (list == NULL) {
        static char text[8 * CPU_SETSIZE];
        CHECK(syscall(SYS_sched_getaffinity, 0, sizeof all, &all) > 0);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &all))
                sprintf(text + strlen(text), "%d ", cpu);
        setenv("HOSTILE_CPUS", list = text, 1);
    }
    CPU_ZERO(&all);
    char *rest = (char *)list;
    for (long cpu = strtol(list, &rest, 10), found = 0; rest != list; cpu = strtol(list, &rest, 10)) {
        CPU_SET(cpu, &all);
        if (found < 2)
            cpus[found++] = (int)cpu;
        list = rest;
    }
}

int main(int argc, char **argv)
{
    find_cpus();
    if (CPU_COUNT(&all) < 2) {
        puts("needs two CPUs");
        return 77;
    }
    return run_cases(argc, argv, cases, sizeof cases / sizeof *cases);
}
