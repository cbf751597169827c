/* CPUs go off and come back while regions run, bound or not: teams keep their size and results are right, before,
 * meanwhile and after. A thread that was bound to a CPU alone is moved by the kernel. (root)
 *
 * limit: 60
 */
#define _GNU_SOURCE
#include <pthread.h>

#include "machine.h"

enum { ROUNDS = 3, REGIONS = 5 };

static int first_mask, stop;

static int switched(int cpu, int on)
{
    char path[100];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", cpu);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 0;
    fprintf(file, "%d\n", on);
    return fclose(file) == 0;
}

static void regions(int threads)
{
    for (int round = 0; round < REGIONS; round++) {
        long sum = 0;
        int team = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum, team)
        {
            team++;
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 100; i++)
                sum += i;
#pragma omp barrier
#pragma omp for
            for (int i = 0; i < 100; i++)
                sum += i;
        }
        CHECK(team == threads, "a team of %d, not %d", team, threads);
        CHECK(sum == 9900, "the sum is %ld", sum);
    }
}

/* Another thread opens regions, too, and asks. */
static void *others(void *unused)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        regions(2);
        int procs = omp_get_num_procs();
        CHECK(procs >= 1 && procs <= first_mask, "%d CPUs of %d", procs, first_mask);
        usleep(1000);
    }
    return unused;
}

int main(void)
{
    cpu_set_t cpus;
    pthread_t thread;
    only_in_a_guest();
    expected_cpus(&cpus);
    first_mask = CPU_COUNT(&cpus);
    int last = MOST - 1;
    while (!CPU_ISSET(last, &cpus))
        last--;
    if (last == 0 || !switched(last, 1)) {
        printf("CPU %d cannot be switched here\n", last);
        return 77;
    }
    regions(first_mask);
    CHECK(pthread_create(&thread, NULL, others, NULL) == 0, "no thread");
    for (int round = 0; round < ROUNDS; round++) {
        int other = last > 1 ? last / 2 : last;
        CHECK(switched(last, 0), "CPU %d stays on", last);
        regions(first_mask);
        if (other != last && CPU_ISSET(other, &cpus))
            switched(other, 0);
        regions(first_mask + 1);
        switched(other, 1);
        CHECK(switched(last, 1), "CPU %d stays off", last);
        regions(first_mask);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    regions(first_mask);
    return 0;
}
