/* A program whose regions, loops, tasks and locks can be counted. Lines that end with a word in a comment are what the
 * test looks for by that word. */
#include <omp.h>
#include <stdio.h>

enum { THREADS = 3, TIMES = 5, PARTS = 40, ITERATIONS = 100, CHUNK = 10, LOCKED = 50 };

static long sum;

static void count(long by)
{
#pragma omp atomic
    sum += by;
}

static void regions(void)
{
    for (int i = 0; i < TIMES; i++)
#pragma omp parallel num_threads(THREADS) /* region */
        {
            count(1);
        }
#pragma omp parallel num_threads(1) /* alone */
    {
        count(1);
    }
    omp_set_max_active_levels(2);
    for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(2) /* outer */
        {
            count(1);
#pragma omp parallel num_threads(2) /* inner */
            {
                count(1);
            }
            count(1); /* else the call would be a jump, and return to who knows where */
        }
    }
}

static void loops(void)
{
    for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(THREADS) /* around */
        {
#pragma omp for schedule(dynamic, CHUNK) /* loop */
            for (int j = 0; j < ITERATIONS; j++)
                count(1);
#pragma omp barrier
            count(1);
        }
    }
}

static void tasks(void)
{
    for (int i = 0; i < TIMES; i++) {
#pragma omp parallel num_threads(THREADS) /* spawning */
        {
#pragma omp single
            {
                for (int j = 0; j < PARTS; j++) {
#pragma omp task /* task */
                    {
                        count(1);
#pragma omp task /* child */
                        {
                            count(1);
                        }
#pragma omp taskwait
                    }
                }
#pragma omp taskgroup
#pragma omp taskloop grainsize(4) /* taskloop */
                for (int j = 0; j < PARTS; j++)
                    count(1);
                count(1);
            }
            count(1);
        }
    }
}

static void locks(void)
{
    omp_lock_t lock, taken;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_lock(&taken);
    omp_init_nest_lock(&nest);
    omp_set_lock(&taken); /* taken */
    if (omp_test_lock(&taken))
        count(1000000);
#pragma omp parallel num_threads(THREADS) /* locking */
    {
        for (int i = 0; i < LOCKED; i++) {
            omp_set_lock(&lock); /* lock */
            sum++;
            omp_unset_lock(&lock);
            omp_set_nest_lock(&nest); /* nest */
            sum++;
            omp_unset_nest_lock(&nest);
#pragma omp critical /* critical */
            sum++;
        }
    }
    omp_unset_lock(&taken);
    omp_destroy_lock(&lock);
    omp_destroy_lock(&taken);
    omp_destroy_nest_lock(&nest);
}

int main(void)
{
    regions();
    loops();
    tasks();
    locks();
    printf("%ld\n", sum);
    return 0;
}
