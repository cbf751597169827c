/* Signal handlers that ask where they are, as samplers do (omp_get_level() and its kin), in every thread of the process
   at any moment: in members of regions, in workers that start, idle, help with tasks or end, in threads that have just
   met the runtime or never do, and in destructors. The answers fit together, and no thread crashes or hangs: handlers
   interrupt malloc() in threads that the runtime does not know.
   hosts: posix ghc
   limit: 120
   deep-limit: 600
   symbols: omp_get_level omp_get_thread_num omp_get_num_threads omp_get_team_size omp_get_max_threads */
#include <dirent.h>
#include <sys/time.h>

#include "hostile.h"

static int stop, asked, wrong, ours;

/* What libgomp survives, which changes a member's number and its team while handlers may look: any answer will do. */
static int asks(void)
{
    static volatile int sink;
    sink = omp_get_thread_num() + omp_get_level() + omp_in_parallel() + omp_get_num_threads();
    return 1;
}

static int fits(void)
{
    int level = omp_get_level(), number = omp_get_thread_num(), size = omp_get_num_threads();
    int active = omp_get_active_level(), outer = omp_get_ancestor_thread_num(0), outer_size = omp_get_team_size(0);
    int same = omp_get_ancestor_thread_num(level), around = omp_get_team_size(level - 1), most = omp_get_max_threads();
    int limits = omp_get_thread_limit() > 0 && omp_get_max_active_levels() >= 0 && omp_get_num_teams() == 1;
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    if (omp_get_dynamic() || omp_in_final() || omp_get_team_num() != 0 || omp_get_proc_bind() > 4)
        return 0;
    return level >= 0 && level <= 2 && number >= 0 && number < size && active <= level && outer == 0 &&
           outer_size == 1 && same == number && (level == 0 ? around == -1 && size == 1 : around >= 1) && most > 0 &&
           omp_in_parallel() == (active > 0) && limits;
}

static void handler(int number)
{
    int before = errno;
    (void)number;
    count_up(&asked);
    if (!(ours ? fits() : asks()))
        count_up(&wrong);
    errno = before;
}

/* To every thread of the process but itself. */
static void *storm(void *unused)
{
    pid_t me = (pid_t)syscall(SYS_gettid);
    (void)unused;
    while (!look(&stop)) {
        DIR *tasks = opendir("/proc/self/task");
        struct dirent *entry;
        CHECK(tasks != NULL);
        while ((entry = readdir(tasks)) != NULL) {
            pid_t thread = (pid_t)atoi(entry->d_name);
            if (thread > 0 && thread != me)
                syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
        }
        closedir(tasks);
    }
    return NULL;
}

/* A thread of which the runtime never hears. */
static void *allocator(void *unused)
{
    uint64_t state = 7;
    (void)unused;
    while (!look(&stop)) {
        void *block = malloc(1 + draw(&state, 100000));
        CHECK(block != NULL);
        free(block);
    }
    return NULL;
}

/* A thread that meets the runtime and ends, with a destructor that asks. */
static pthread_key_t key;
static void at_end(void *value)
{
    (void)value;
    CHECK(omp_get_level() == 0 && omp_get_num_threads() == 1);
}
static void *short_life(void *unused)
{
    CHECK(pthread_setspecific(key, &key) == 0);
    CHECK(team(2) == 2);
    return unused;
}

/* Growing teams, nested ones, tasks that bring workers back, workers that are dismissed. */
static void regions(int rounds)
{
    int done = 0, expected = 0;
    omp_set_max_active_levels(2);
    for (int round = 0; round < rounds; round++) {
        int size = 1 + round % 5;
        expected += size;
#pragma omp parallel num_threads(size)
        {
#pragma omp atomic
            done++;
            if (round % 7 == 0)
                CHECK(team(2) == 2);
        }
        expected += 20;
#pragma omp parallel num_threads(3)
#pragma omp single nowait
        for (int i = 0; i < 20; i++)
#pragma omp task
        {
#pragma omp atomic
            done++;
        }
        if (round % 10 == 9)
            CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
    }
    CHECK(done == expected);
}

int main(void)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    pthread_t threads[2], brief;
    ours = getenv("GHCOMP_HOST") != NULL;
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(pthread_key_create(&key, at_end) == 0);
    CHECK(raise(SIGUSR1) == 0 && look(&asked) == 1); /* before anything else of OpenMP */
    CHECK(pthread_create(&threads[0], NULL, storm, NULL) == 0);
    CHECK(pthread_create(&threads[1], NULL, allocator, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int turn = 0; turn < times(10, 300); turn++) {
        regions(30);
        CHECK(pthread_create(&brief, NULL, short_life, NULL) == 0 && pthread_join(brief, NULL) == 0);
    }
    for (int size = 2; size < times(60, 300); size++)
        CHECK(team(size) == size);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    count_up(&stop);
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(look(&asked) > 1);
    printf("asked %d times, %d wrong\n", look(&asked), look(&wrong));
    return look(&wrong) != 0;
}
