/* Regions so short that the profiler measures a sample of them, of lengths that the program knows, and ones that are
 * too long for that. The test looks for lines by the word in their comment. Prints how often anything was run, how
 * long the regions of `pattern` were made to be, and how long they took. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { PATTERN = 60000, UNIT_NS = 1000, LONG = 600, LONG_NS = 20000, SHARED = 20000, LOCKED = 5000, TASKS = 3000 };

static long sum, lost;

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void count(void)
{
#pragma omp atomic
    sum += 1;
}

static void spin(long ns)
{
    long end = now() + ns;
    while (now() < end)
        ;
    count();
}

/* One, two or three units in turn: a sample that is in step with the program would be wrong. */
static void patterns(void)
{
    long made = 0, took = 0;
    for (int i = 0; i < PATTERN; i++) {
        long begin = now();
#pragma omp parallel num_threads(1) /* pattern */
        {
            spin((1 + i % 3) * UNIT_NS);
        }
        took += now() - begin;
        made += (1 + i % 3) * UNIT_NS;
    }
    printf("%ld %ld\n", made, took);
}

static void others(void)
{
    for (int i = 0; i < LONG; i++)
#pragma omp parallel num_threads(1) /* long */
    {
        spin(LONG_NS);
    }
    for (int i = 0; i < SHARED; i++)
#pragma omp parallel num_threads(2) /* shared */
    {
        count();
    }
    for (int i = 0; i < LOCKED; i++)
#pragma omp parallel num_threads(2) /* locking */
    {
        count();
#pragma omp critical /* critical */
        lost++;
        count();
    }
    for (int i = 0; i < TASKS; i++)
#pragma omp parallel num_threads(2) /* outer */
    {
        if (omp_get_thread_num() == i % 2) {
#pragma omp task /* task */
            {
                count();
            }
        }
#pragma omp barrier
#pragma omp parallel num_threads(1) /* inner */
        {
            count();
        }
        count();
    }
}

int main(void)
{
    omp_set_max_active_levels(2);
    patterns();
    others();
    printf("%ld\n", sum + lost);
    return 0;
}
