/* Regions of known shapes for the test of the eventlog. */
#include <omp.h>
#include <time.h>

void shape_regions(int times, int threads);
void shape_nested(int outer, int inner);
void shape_tasks(int tasks, int threads);
void shape_sleep(int threads, int milliseconds);

static void wait_ms(int milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

/* Regions with two barriers each. */
void shape_regions(int times, int threads)
{
    for (int i = 0; i < times; i++) {
        #pragma omp parallel num_threads(threads)
        {
            #pragma omp barrier
            #pragma omp barrier
        }
    }
}

void shape_nested(int outer, int inner)
{
    omp_set_max_active_levels(2);
    #pragma omp parallel num_threads(outer)
    {
        #pragma omp parallel num_threads(inner)
        {
            #pragma omp barrier
        }
    }
}

/* Tasks long enough that other threads get some. */
void shape_tasks(int tasks, int threads)
{
    #pragma omp parallel num_threads(threads)
    #pragma omp single
    for (int i = 0; i < tasks; i++) {
        #pragma omp task
        wait_ms(1);
    }
}

/* One thread keeps the others waiting. */
void shape_sleep(int threads, int milliseconds)
{
    #pragma omp parallel num_threads(threads)
    {
        #pragma omp masked
        wait_ms(milliseconds);
        #pragma omp barrier
    }
}
