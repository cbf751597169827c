/* OMP_DISPLAY_AFFINITY of gcc's code: inner teams are shown each time, teams of one never.
 *
 * env: OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="L%L/%n/%N"
 */
#include <omp.h>

#include "../affinity_lines.h"

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

int main(void)
{
    static const struct {
        const char *line;
        int times;
    } expected[] = {{"L1/0/2\n", 1}, {"L1/1/2\n", 1}, {"L2/0/2\n", 5}, {"L2/1/2\n", 5},
                    {"L1/0/3\n", 1}, {"L1/1/3\n", 1}, {"L1/2/3\n", 1}};
    char text[LINES];
    size_t length = lines_of(regions, text), all = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        CHECK(times(text, expected[i].line) == expected[i].times);
        all += (size_t)expected[i].times;
    }
    CHECK(length == all * strlen("L1/0/2\n"));
    return 0;
}
