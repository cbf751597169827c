/* Tasks so small that the profiler measures a sample of them: of no length, of a known one, and tasks that wait for
 * those that they make. The test looks for lines by the word in their comment. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 2, EMPTY = 200000, KNOWN = 20000, KNOWN_NS = 500, PARENTS = 1000, CHILDREN = 8, CHILD_NS = 2000 };

static long sum;

static void count(void)
{
#pragma omp atomic
    sum += 1;
}

static long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void spin(long ns)
{
    long end = now() + ns;
    while (now() < end)
        ;
    count();
}

int main(void)
{
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    {
        for (int i = 0; i < EMPTY; i++)
#pragma omp task /* empty */
        {
            count();
        }
        for (int i = 0; i < KNOWN; i++)
#pragma omp task /* known */
        {
            spin(KNOWN_NS);
        }
        for (int i = 0; i < PARENTS; i++)
#pragma omp task /* parent */
        {
            count();
            for (int j = 0; j < CHILDREN; j++)
#pragma omp task /* child */
            {
                spin(CHILD_NS);
            }
#pragma omp taskwait
        }
    }
    printf("%ld\n", sum);
    return 0;
}
