/* omp_display_env: the block that OpenMP lays down, with the lines that libgomp prints in its order; verbose adds the rest.
   env: OMP_NUM_THREADS=4,3 OMP_STACKSIZE=2M
   symbols: omp_display_env */
#include <omp.h>
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
    const char *at = text;
    for (int i = 0; i < LINES; i++) {
        if (strncmp(at, lines[i], strlen(lines[i])) != 0) {
            fprintf(stderr, "expected %sbut found %s", lines[i], at);
            return 1;
        }
        at += strlen(lines[i]);
    }
    CHECK(*at == '\0');
    display(1);
    CHECK(strstr(text, "  OMP_NUM_THREADS = '4,3'\n") != NULL);
    CHECK(strstr(text, "\n  GOMP_STACKSIZE = '2097152'\n") != NULL);
    CHECK(strstr(text, "\n  GOMP_CPU_AFFINITY = ''\n") != NULL);
    CHECK(strstr(text, "\n  GOMP_SPINCOUNT = '") != NULL);
    return 0;
}
