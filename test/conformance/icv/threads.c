/* Numbers of threads: what omp_set_num_threads and omp_set_dynamic do to the next region, whose ICVs they change, and
   that the number of processors follows the caller's affinity mask in gcc's code (clang's: test/clang/num_procs.c; a
   quota: test/container).
   env: OMP_NUM_THREADS=3 OMP_DYNAMIC=false GHCOMP_CPU_QUOTA=ignore
   symbols: omp_get_thread_num omp_get_num_threads omp_get_max_threads omp_set_num_threads omp_get_num_procs
   symbols: omp_get_dynamic omp_set_dynamic omp_get_thread_limit omp_in_parallel omp_get_wtime omp_get_wtick
   symbols: omp_in_final omp_get_cancellation omp_get_max_task_priority */
#define _GNU_SOURCE
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>

#include "../common.h"

static int region_size(void)
{
    int size = 0, count = 0;
#pragma omp parallel reduction(+ : count)
    {
        CHECK(omp_get_thread_num() >= 0 && omp_get_thread_num() < omp_get_num_threads());
        if (omp_get_thread_num() == 0)
            size = omp_get_num_threads();
        count++;
    }
    CHECK(count == size);
    return size;
}

static void sizes(void)
{
    CHECK(omp_get_max_threads() == 3 && region_size() == 3);
    omp_set_num_threads(5);
    CHECK(omp_get_max_threads() == 5 && region_size() == 5);
    omp_set_num_threads(0);
    CHECK(omp_get_max_threads() == 1 && region_size() == 1);
    omp_set_num_threads(4);
    omp_set_num_threads(INT_MIN);
    CHECK(omp_get_max_threads() == 1);
    omp_set_num_threads(2);
    CHECK(omp_get_num_threads() == 1 && omp_get_thread_num() == 0);
    CHECK(omp_get_thread_limit() == INT_MAX);
}

/* ICVs that a region's tasks set are their own; they start with those of the encountering task. */
static void ownership(void)
{
    omp_set_num_threads(2);
    for (int round = 0; round < 2; round++) {
#pragma omp parallel
        {
            CHECK(omp_get_max_threads() == 2 && !omp_get_dynamic());
            omp_set_num_threads(7 + omp_get_thread_num());
            omp_set_dynamic(1);
#pragma omp barrier
            CHECK(omp_get_max_threads() == 7 + omp_get_thread_num() && omp_get_dynamic());
        }
        CHECK(omp_get_max_threads() == 2 && !omp_get_dynamic());
    }
    omp_set_dynamic(-5);
    CHECK(omp_get_dynamic() == 1);
#pragma omp parallel num_threads(1)
    CHECK(omp_get_dynamic());
    omp_set_dynamic(0);
    CHECK(omp_get_dynamic() == 0);
}

/* A new initial thread starts with the environment's values. */
static void *new_initial_thread(void *argument)
{
    (void)argument;
    CHECK(omp_get_max_threads() == 3 && omp_get_level() == 0);
    omp_set_num_threads(9);
    return NULL;
}

static void initial_threads(void)
{
    pthread_t thread;
    omp_set_num_threads(2);
    CHECK(pthread_create(&thread, NULL, new_initial_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(omp_get_max_threads() == 2);
}

static void inside(void)
{
    CHECK(!omp_in_parallel() && !omp_in_final());
#pragma omp parallel num_threads(2)
    CHECK(omp_in_parallel() && !omp_in_final());
#pragma omp parallel num_threads(1)
    CHECK(!omp_in_parallel());
#pragma omp parallel if (0)
    CHECK(!omp_in_parallel() && omp_get_num_threads() == 1);
}

/* clang's code counts at its first call. */
#ifdef __clang__
#define NOW(cpus) CPU_COUNT(&all)
#else
#define NOW(cpus) (cpus)
#endif

static void processors(void)
{
    cpu_set_t all, one;
    CHECK(sched_getaffinity(0, sizeof all, &all) == 0);
    CHECK(omp_get_num_procs() == CPU_COUNT(&all));
    int cpu = 0;
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
    CHECK(omp_get_num_procs() == NOW(1));
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    CHECK(omp_get_num_procs() == CPU_COUNT(&all));
}

static void time_passes(void)
{
    double begin = omp_get_wtime(), now = begin;
    CHECK(omp_get_wtick() > 0 && omp_get_wtick() <= 0.01);
    while (now == begin)
        now = omp_get_wtime();
    CHECK(now > begin);
}

int main(void)
{
    CHECK(!omp_get_cancellation() && omp_get_max_task_priority() == 0);
    sizes();
    ownership();
    initial_threads();
    inside();
    processors();
    time_passes();
    return 0;
}
