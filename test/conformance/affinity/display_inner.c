/* OMP_DISPLAY_AFFINITY of gcc's code: inner teams are shown each time, teams of one never.
 *
 * env: OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="L%L/%n/%N"
 */
#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include "../common.h"

static int counter;

static void region(int threads)
{
#pragma omp parallel num_threads(threads)
#pragma omp atomic
    counter++;
}

static void nested(int outer, int inner, int count)
{
#pragma omp parallel num_threads(outer)
    if (omp_get_thread_num() == 0)
        for (int i = 0; i < count; i++)
            region(inner);
}

static void regions(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    region(1);
    region(2);
    region(1);
    region(2);
    nested(2, 2, 3);
    nested(1, 2, 2);
    nested(2, 1, 2);
    region(3);
    omp_set_max_active_levels(1);
    nested(3, 2, 2);
}

static int times(const char *text, const char *line)
{
    int count = 0;
    for (; (text = strstr(text, line)) != NULL; text++)
        count++;
    return count;
}

int main(void)
{
    static const struct {
        const char *line;
        int times;
    } expected[] = {{"L1/0/2\n", 1}, {"L1/1/2\n", 1}, {"L2/0/2\n", 5}, {"L2/1/2\n", 5},
                    {"L1/0/3\n", 1}, {"L1/1/3\n", 1}, {"L1/2/3\n", 1}};
    char name[] = "/tmp/affinity-XXXXXX", text[4096];
    int saved = dup(STDERR_FILENO), file = mkstemp(name), all = 0;
    CHECK(saved >= 0 && file >= 0);
    unlink(name);
    CHECK(dup2(file, STDERR_FILENO) >= 0);
    regions();
    CHECK(dup2(saved, STDERR_FILENO) >= 0);
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    CHECK(length > 0);
    text[length] = '\0';
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        CHECK(times(text, expected[i].line) == expected[i].times);
        all += expected[i].times;
    }
    CHECK(length == all * (ssize_t)strlen("L1/0/2\n"));
    return 0;
}
