/* The process ends at a bad moment: exit, quick_exit, _exit, abort, a fatal signal or exec, called by the master, a
   worker, a task, an atexit handler or a thread beside a running region; with workers that wait, compute, or are about
   to start. The status is the one that was asked for, exit writes what stdio has buffered, and nothing hangs. Each case
   is a process of its own. delays.py runs this program many times with delays in it.
   hosts: posix ghc
   limit: 90
   deep-limit: 1500
   symbols: GOMP_parallel GOMP_task */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "hostile.h"

enum how { EXIT, QUICK_EXIT, UNDERSCORE_EXIT, ABORT, KILL, EXEC, HOWS };

static const char *const how_names[HOWS] = {"exit", "quick_exit", "_exit", "abort", "kill", "exec"};
static const int statuses[HOWS] = {41, 42, 43, -SIGABRT, -SIGTERM, 44};
static enum how how;
static int started;

static void end(void)
{
    switch (how) {
    case EXIT:
        exit(41);
    case QUICK_EXIT:
        quick_exit(42);
    case UNDERSCORE_EXIT:
        _exit(43);
    case ABORT:
        abort();
    case KILL:
        kill(getpid(), SIGTERM);
        for (;;)
            pause();
    default:
        execl("/bin/sh", "sh", "-c", "printf other; exit 44", (char *)NULL);
        _exit(127);
    }
}

/* Stays inside while the process ends, at a different point for each thread. */
static void stay(void)
{
    static int never;
    int me = omp_get_thread_num();
    if (me % 2 == 0)
        while (!look(&never))
            sched_yield();
#pragma omp critical(stay)
    while (!look(&never))
        ;
}

static void master_ends(void)
{
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() == 0)
        end();
}

static void worker_ends(void)
{
#pragma omp parallel num_threads(4)
    if (omp_get_thread_num() == 3)
        end();
}

static void all_end(void)
{
#pragma omp parallel num_threads(4)
    {
#pragma omp barrier
#pragma omp critical(one)
        end(); /* exit() by two threads at a time is not allowed */
    }
}

static void ends_while_others_compute(void)
{
#pragma omp parallel num_threads(4)
    {
        meet(&started, 4);
        if (omp_get_thread_num() == 2)
            end();
        stay();
    }
}

static void inner_worker_ends(void)
{
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
    {
#pragma omp critical(one)
        if (count_up(&started) == 5)
            end();
    }
}

static void task_ends(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 50; i++) {
#pragma omp task firstprivate(i)
        {
            if (i == 30)
                end();
        }
    }
}

static void between_regions(void)
{
    CHECK(team(4) == 4);
    end();
}

static void right_after_first(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum++;
    end();
}

static void *regions_for_ever(void *unused)
{
    (void)unused;
    exact();
    for (uint64_t state = 3;;) {
        int size = 1 + (int)draw(&state, 4);
        CHECK(team(size) == size);
        count_up(&started);
    }
    return NULL;
}

static void beside_regions(void)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, regions_for_ever, NULL) == 0);
    wait_until(&started, 5);
    end();
}

static void first_regions_beside(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, regions_for_ever, NULL) == 0);
    for (volatile int i = getpid() % 64 * 4000; i > 0; i--)
        ;
    end();
}

/* exit() must not be called again inside of a handler. */
static void handler(void)
{
    CHECK(team(3) == 3);
    if (how != EXIT)
        end();
}

static void handler_ends(void)
{
    atexit(handler);
    CHECK(team(2) == 2);
    exit(how == EXIT ? 41 : 1);
}

static void handler_in_worker(void)
{
    atexit(handler);
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 1)
        exit(how == EXIT ? 41 : 1);
}

static const struct {
    const char *name;
    void (*body)(void);
} places[] = {{"master", master_ends},
              {"worker", worker_ends},
              {"all", all_end},
              {"while others compute", ends_while_others_compute},
              {"inner worker", inner_worker_ends},
              {"task", task_ends},
              {"between regions", between_regions},
              {"right after the first region", right_after_first},
              {"beside regions", beside_regions},
              {"beside first regions", first_regions_beside},
              {"handler", handler_ends},
              {"handler of a worker's exit", handler_in_worker}};
enum { PLACES = sizeof places / sizeof *places };

static int one_case(const char *name)
{
    for (int i = 0; i < HOWS; i++)
        for (int k = 0; k < PLACES; k++) {
            char this[100];
            snprintf(this, sizeof this, "%s, %s", how_names[i], places[k].name);
            if (strcmp(name, this) != 0)
                continue;
            how = (enum how)i;
            alarm(CASE_SECONDS);
            exact();
            printf("buffered");
            places[k].body();
            return 126; /* nobody has ended it */
        }
    return 125;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return one_case(argv[1]);
    int count = 0;
    for (int turn = 0, turns = times(2, 200); turn < turns; turn++)
        for (int i = 0; i < HOWS; i++)
            for (int k = 0; k < PLACES; k++) {
                /* While a process executes another program clone() fails, which ends libgomp and with it the
                 * process. */
                if (i == EXEC && (places[k].body == first_regions_beside || places[k].body == beside_regions) &&
                    dlsym(RTLD_DEFAULT, "ghcomp_version") == NULL)
                    continue;
                char name[100], said[200];
                snprintf(name, sizeof name, "%s, %s", how_names[i], places[k].name);
                const char *expected = i == EXIT ? "buffered" : i == EXEC ? "other" : "";
                int status = run_case(argv, name, said, sizeof said);
                count++;
                if (status != statuses[i] || strcmp(said, expected) != 0) {
                    fprintf(stderr, "%s: status %d instead of %d, printed `%s` instead of `%s`\n", name, status,
                            statuses[i], said, expected);
                    return 1;
                }
            }
    printf("%d ends\n", count);
    return 0;
}
