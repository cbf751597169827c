/* OMP_DISPLAY_AFFINITY: a line for each thread of the first region, none when nothing has changed, and all again for a
 * team of another size.
 *
 * env: OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="T%n/%N"
 */
#include <omp.h>

#include "../affinity_lines.h"

static int counter;

static void regions(int threads, int count)
{
    for (int i = 0; i < count; i++)
#pragma omp parallel num_threads(threads)
#pragma omp atomic
        counter++;
}

static void two_sizes(void)
{
    regions(2, 5);
    regions(3, 5);
}

int main(void)
{
    char text[LINES], line[32];
    size_t length = lines_of(two_sizes, text);
    for (int threads = 2; threads <= 3; threads++)
        for (int thread = 0; thread < threads; thread++) {
            snprintf(line, sizeof line, "T%d/%d\n", thread, threads);
            CHECK(times(text, line) == 1);
        }
    CHECK(length == 5 * strlen("T0/2\n"));
    CHECK(counter == 25);
    return 0;
}
