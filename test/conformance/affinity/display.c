/* OMP_DISPLAY_AFFINITY: a line for each thread of the first region, none when nothing has changed, and all again for a
 * team of another size.
 *
 * env: OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT="T%n/%N"
 */
#include <fcntl.h>
#include <omp.h>
#include <unistd.h>

#include "../common.h"

/* Regions of clang's code tell it on standard output, as on libomp. */
#ifdef __clang__
#define SHOWN stdout
#define SHOWN_FILENO STDOUT_FILENO
#else
#define SHOWN stderr
#define SHOWN_FILENO STDERR_FILENO
#endif

static int counter;

static void regions(int threads, int count)
{
    for (int i = 0; i < count; i++)
#pragma omp parallel num_threads(threads)
#pragma omp atomic
        counter++;
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
    char name[] = "/tmp/affinity-XXXXXX", text[4096], line[32];
    int saved = dup(SHOWN_FILENO), file = mkstemp(name);
    CHECK(saved >= 0 && file >= 0);
    unlink(name);
    fflush(SHOWN);
    CHECK(dup2(file, SHOWN_FILENO) >= 0);
    regions(2, 5);
    regions(3, 5);
    fflush(SHOWN);
    CHECK(dup2(saved, SHOWN_FILENO) >= 0);
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    CHECK(length > 0);
    text[length] = '\0';
    for (int threads = 2; threads <= 3; threads++)
        for (int thread = 0; thread < threads; thread++) {
            snprintf(line, sizeof line, "T%d/%d\n", thread, threads);
            CHECK(times(text, line) == 1);
        }
    CHECK(length == 5 * (ssize_t)strlen("T0/2\n"));
    CHECK(counter == 25);
    return 0;
}
