/* omp_display_env: the block that OpenMP lays down, with the lines that libgomp prints in its order; verbose adds the rest.
   libgomp 14 marks each line with its device and shows the values that the process started with, and from 16 on
   it names another OpenMP version: of such a block the names and their order are compared.
   env: OMP_NUM_THREADS=4,3 OMP_STACKSIZE=2M
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

int main(void)
{
    static const char *const lines[] = {
        "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n",
        "  _OPENMP = '201511'\n",
        "  OMP_DYNAMIC = 'FALSE'\n",
        "  OMP_NESTED = 'TRUE'\n",
        "  OMP_NUM_THREADS = '4,3'\n",
        "  OMP_SCHEDULE = 'DYNAMIC'\n",
        "  OMP_PROC_BIND = 'FALSE'\n",
        "  OMP_PLACES = ''\n",
        "  OMP_STACKSIZE = '2097152'\n",
        "  OMP_WAIT_POLICY = 'PASSIVE'\n",
        "  OMP_THREAD_LIMIT = '4294967295'\n",
        "  OMP_MAX_ACTIVE_LEVELS = '255'\n",
        "  OMP_NUM_TEAMS = '6'\n",
        "  OMP_TEAMS_THREAD_LIMIT = '0'\n",
        "  OMP_CANCELLATION = 'FALSE'\n",
        "  OMP_DEFAULT_DEVICE = '0'\n",
        "  OMP_MAX_TASK_PRIORITY = '0'\n",
        "  OMP_DISPLAY_AFFINITY = 'FALSE'\n",
        "  OMP_AFFINITY_FORMAT = 'level %L thread %i affinity %A'\n",
        "  OMP_ALLOCATOR = 'omp_default_mem_alloc'\n",
        "  OMP_TARGET_OFFLOAD = 'DEFAULT'\n",
        "OPENMP DISPLAY ENVIRONMENT END\n",
    };
    enum { LINES = sizeof lines / sizeof *lines };
    omp_set_num_threads(9); /* a task's own: not shown */
    omp_set_num_teams(6);
    display(0);
    bool marked = strstr(text, "  [host] ") != NULL;
    const char *at = text;
    for (int i = 0; i < LINES; i++) {
        const char *value = marked ? strstr(lines[i], " = ") : NULL;
        size_t compared = value != NULL ? (size_t)(value - lines[i]) : strlen(lines[i]);
        if (marked && strncmp(at, "  [", 3) == 0) {
            at = strchr(at, ']'); /* the name follows after one blank; two stand before it in our line */
            CHECK(at != NULL && strncmp(at, "] ", 2) == 0);
            CHECK(strncmp(at + 2, lines[i] + 2, compared - 2) == 0);
            at = strchr(at, '\n') + 1;
            continue;
        }
        if (strncmp(at, lines[i], compared) != 0) {
            fprintf(stderr, "expected %sbut found %s", lines[i], at);
            return 1;
        }
        at = value != NULL ? strchr(at, '\n') + 1 : at + compared;
    }
    CHECK(*at == '\0');
    display(1);
    const char *in = marked ? "] " : "  ";
    static const char *const rest[] = {
        "OMP_NUM_THREADS = '4,3'\n", "GOMP_STACKSIZE = '2097152'\n", "GOMP_CPU_AFFINITY = ''\n", "GOMP_SPINCOUNT = '",
    };
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s%s", in, rest[i]);
        if (strstr(text, line) == NULL) {
            fprintf(stderr, "no %sin %s", line, text);
            return 1;
        }
    }
    return 0;
}
