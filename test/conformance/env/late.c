/* When a variable that main() sets takes effect. In gcc's code: never, as libgomp reads the environment when it is
 * loaded. clang's code: before the first call of any kind, never behind it, as on libomp. In both the team has no more
 * threads than omp_get_max_threads() said. Each case is a process of its own, this program again with three arguments.
 *
 * expect-stdout: all cases as expected
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../common.h"

#ifdef __clang__
enum { AT_FIRST_CALL = 1 };
#else
enum { AT_FIRST_CALL = 0 };
#endif

static int team(void)
{
    int count = 0;
#pragma omp parallel reduction(+ : count)
    count++;
    return count;
}

static int inner_levels(void)
{
    return omp_get_max_active_levels() > 1;
}

static int schedule_chunk(void)
{
    omp_sched_t kind;
    int chunk;
    omp_get_schedule(&kind, &chunk);
    return chunk == 9;
}

static int format(void)
{
    char text[100];
    omp_get_affinity_format(text, sizeof text);
    return strcmp(text, "late") == 0;
}

/* Whether the initial environment has the variable, its late value, and how an effect shows: `ask` gives `with`. */
static const struct {
    const char *name, *text;
    int (*ask)(void);
    int with, without;
} cases[] = {
    {"OMP_NUM_THREADS", "5", omp_get_max_threads, 5, 2},
    {"OMP_NUM_THREADS", "5", team, 5, 2},
    {"OMP_THREAD_LIMIT", "1", team, 1, 2},
    {"OMP_THREAD_LIMIT", "3", omp_get_thread_limit, 3, 0x7fffffff},
    {"OMP_DYNAMIC", "true", omp_get_dynamic, 1, 0},
    {"OMP_SCHEDULE", "guided,9", schedule_chunk, 1, 0},
    {"OMP_MAX_ACTIVE_LEVELS", "3", omp_get_max_active_levels, 3, 1},
    {"OMP_NESTED", "true", inner_levels, 1, 0},
    {"OMP_CANCELLATION", "true", omp_get_cancellation, 1, 0},
    {"OMP_MAX_TASK_PRIORITY", "7", omp_get_max_task_priority, 7, 0},
    {"OMP_PROC_BIND", "spread", (int (*)(void))omp_get_proc_bind, 4, 0},
    {"OMP_DEFAULT_DEVICE", "3", omp_get_default_device, 3, 0},
    {"OMP_AFFINITY_FORMAT", "late", format, 1, 0},
#if defined __clang__ || __GNUC__ >= 12
    {"OMP_NUM_TEAMS", "3", omp_get_max_teams, 3, 0},
    {"OMP_TEAMS_THREAD_LIMIT", "3", omp_get_teams_thread_limit, 3, 0},
#endif
};
enum { CASES = sizeof cases / sizeof *cases };

enum when { FIRST, AFTER_NUMBER, AFTER_ROUTINE, AFTER_SETTER, AFTER_CONSTRUCT, AFTER_CRITICAL, WHENS };

static void critical(void)
{
    static int count;
#pragma omp critical
    count++;
}

static void before(enum when when)
{
    switch (when) {
    case AFTER_NUMBER: /* no first call: it is 0 in any case */
        CHECK(omp_get_thread_num() == 0);
        break;
    case AFTER_ROUTINE:
        CHECK(omp_get_max_threads() == 2);
        break;
    case AFTER_SETTER:
        omp_set_dynamic(0);
        break;
    case AFTER_CONSTRUCT:
        CHECK(team() == 2);
        break;
    case AFTER_CRITICAL:
        critical();
        break;
    default:
        break;
    }
}

static int one(int number, enum when when, int sizes)
{
    before(when);
    setenv(cases[number].name, cases[number].text, 1);
    int counts = AT_FIRST_CALL && when <= AFTER_NUMBER, want = counts ? cases[number].with : cases[number].without;
    int said = sizes ? omp_get_max_threads() : 0, got = cases[number].ask();
    if (got != want)
        fprintf(stderr, "%s=%s, %d: %d, not %d\n", cases[number].name, cases[number].text, (int)when, got, want);
    CHECK(!sizes || team() <= said);
    return got != want;
}

/* The variable is there at load, and main() takes it away. */
static int removed(void)
{
    unsetenv("OMP_NUM_THREADS");
    setenv("OMP_THREAD_LIMIT", "100", 1);
    int before = AT_FIRST_CALL ? omp_get_num_procs() : 2;
    CHECK(omp_get_max_threads() == before);
    return 0;
}

static int run(const char *self, int number, int when, int sizes)
{
    char first[12], second[12], third[12];
    snprintf(first, sizeof first, "%d", number);
    snprintf(second, sizeof second, "%d", when);
    snprintf(third, sizeof third, "%d", sizes);
    pid_t child = fork();
    if (child == 0) {
        setenv("OMP_NUM_THREADS", "2", 1);
        execl("/proc/self/exe", self, first, second, third, (char *)NULL);
        _exit(2);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 4)
        return atoi(argv[1]) == CASES ? removed() : one(atoi(argv[1]), (enum when)atoi(argv[2]), atoi(argv[3]));
    int bad = run(argv[0], CASES, 0, 0) != 0;
    for (int number = 0; number < CASES; number++)
        for (int when = 0; when < WHENS; when++)
            for (int sizes = 0; sizes < 2; sizes++)
                bad += run(argv[0], number, when, sizes) != 0;
    if (bad == 0)
        puts("all cases as expected");
    return bad != 0;
}
