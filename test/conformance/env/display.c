/* omp_display_env: the block that OpenMP specifies, with the lines that libgomp 16 prints in its order; verbose adds
   the rest. It shows the values that the process started with, which device each is for, and the values for devices.
   libgomp 12 marks no line and shows values that were set later, and libgomp 14 names another OpenMP version: of a
   block that does not begin as that of 16 does, only the names and their order are compared.
   env: OMP_NUM_THREADS=4,3 OMP_STACKSIZE=2M OMP_NUM_TEAMS=5 OMP_MAX_ACTIVE_LEVELS=255
   symbols: omp_display_env */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../common.h"

static char text[16384];

static void display(int verbose)
{
    FILE *file = tmpfile();
    int saved = dup(2);
    CHECK(file != NULL && saved >= 0);
    fflush(stderr);
    CHECK(dup2(fileno(file), 2) == 2);
    omp_display_env(verbose);
    fflush(stderr);
    CHECK(dup2(saved, 2) == 2);
    close(saved);
    rewind(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
}

/* The text after "[host] " or the like, if there is such a mark. */
static const char *after_mark(const char *line)
{
    const char *end = *line == '[' ? strstr(line, "] ") : NULL;
    return end != NULL ? end + 2 : line;
}

int main(void)
{
    static const char *const lines[] = {
        "_OPENMP = '202111'",
        "[host] OMP_DYNAMIC = 'FALSE'",
        "[host] OMP_NESTED = 'TRUE'",
        "[host] OMP_NUM_THREADS = '4,3'",
        "[host] OMP_SCHEDULE = 'DYNAMIC'",
        "[host] OMP_PROC_BIND = 'FALSE'",
        "[host] OMP_PLACES = ''",
        "[host] OMP_STACKSIZE = '2097152'",
        "[host] OMP_WAIT_POLICY = 'PASSIVE'",
        "[host] OMP_THREAD_LIMIT = '4294967295'",
        "[host] OMP_MAX_ACTIVE_LEVELS = '255'",
        "[host] OMP_NUM_TEAMS = '5'",
        "[host] OMP_TEAMS_THREAD_LIMIT = '0'",
        "[all] OMP_CANCELLATION = 'FALSE'",
        "[all] OMP_DEFAULT_DEVICE = '0'",
        "[all] OMP_MAX_TASK_PRIORITY = '0'",
        "[all] OMP_DISPLAY_AFFINITY = 'FALSE'",
        "[host] OMP_AFFINITY_FORMAT = 'level %L thread %i affinity %A'",
        "[host] OMP_ALLOCATOR = 'omp_default_mem_alloc'",
        "[all] OMP_TARGET_OFFLOAD = 'DEFAULT'",
    };
    enum { LINES = sizeof lines / sizeof *lines };
    static const char begin[] = "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n", end[] = "OPENMP DISPLAY ENVIRONMENT END\n";
    omp_set_num_threads(9); /* not what the process started with */
    omp_set_num_teams(6);
    display(0);
    CHECK(strncmp(text, begin, strlen(begin)) == 0);
    bool all = strstr(text, "  _OPENMP = '202111'\n") != NULL;
    const char *at = text + strlen(begin);
    for (int i = 0; i < LINES; i++) {
        CHECK(strncmp(at, "  ", 2) == 0);
        const char *line = at + 2, *expected = lines[i], *next = strchr(at, '\n');
        CHECK(next != NULL);
        size_t compared = strlen(expected);
        if (!all) {
            line = after_mark(line);
            expected = after_mark(expected);
            compared = strcspn(expected, " ") + 1;
        }
        if (strncmp(line, expected, compared) != 0 || (all && line[compared] != '\n')) {
            fprintf(stderr, "expected %s, but found %.*s\n", expected, (int)(next - at), at);
            return 1;
        }
        at = next + 1;
    }
    CHECK(strcmp(at, end) == 0);
    display(1);
    static const char *const rest[] = {
        "OMP_NUM_THREADS = '4,3'\n", "GOMP_STACKSIZE = '2097152'\n", "GOMP_CPU_AFFINITY = ''\n", "GOMP_SPINCOUNT = '",
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        char line[64];
        snprintf(line, sizeof line, "  %s%s", all ? "[host] " : "", rest[i]);
        if (strstr(text, all ? line : rest[i]) == NULL) {
            fprintf(stderr, "no %sin %s", line, text);
            return 1;
        }
    }
    return 0;
}
