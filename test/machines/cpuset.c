/* The control group's cpuset becomes smaller, another one, and larger while regions run, bound or not: teams keep the
 * size that they ask for, results are right, and omp_get_num_procs() says what the kernel lets the thread use. (root, a
 * control group of version 2)
 *
 * limit: 60
 */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "machine.h"

#define GROUP "/sys/fs/cgroup/test-cpuset"

static int put(const char *path, const char *format, int a, int b)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return 0;
    fprintf(file, format, a, b);
    return fclose(file) == 0;
}

static int members(void)
{
    int team = 0;
    long sum = 0;
#pragma omp parallel num_threads(5) reduction(+ : team, sum)
    {
        team++;
#pragma omp for schedule(guided)
        for (int i = 0; i < 100; i++)
            sum += i;
    }
    CHECK(sum == 4950, "the sum is %ld", sum);
    return team;
}

/* The mask of the calling thread, which is what a program that is not bound may use. */
static int allowed(void)
{
    cpu_set_t mask;
    CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0, "no mask");
    return CPU_COUNT(&mask);
}

int main(void)
{
    only_in_a_guest();
    int bound = omp_get_proc_bind() != omp_proc_bind_false, all = allowed();
    if (all < 4) {
        printf("it needs four CPUs\n");
        return 77;
    }
    mkdir(GROUP, 0755);
    if (!put(GROUP "/cpuset.cpus", "0-%d\n", all - 1, 0) || !put(GROUP "/cgroup.procs", "%d\n", (int)getpid(), 0)) {
        printf("no control group with a cpuset can be made here\n");
        return 77;
    }
    CHECK(members() == 5, "a team of another size");
    const int sets[][2] = {{1, 2}, {3, 3}, {0, 1}, {2, 3}, {0, all - 1}};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
        CHECK(put(GROUP "/cpuset.cpus", "%d-%d\n", sets[i][0], sets[i][1]), "set %u", i);
        for (int round = 0; round < 5; round++)
            CHECK(members() == 5, "a team of another size");
        if (!bound)
            CHECK(omp_get_num_procs() == allowed(), "%d processors, the mask has %d", omp_get_num_procs(), allowed());
    }
    if (!bound)
        CHECK(omp_get_num_procs() == all, "%d processors of %d are back", omp_get_num_procs(), all);
    put("/sys/fs/cgroup/cgroup.procs", "%d\n", (int)getpid(), 0);
    rmdir(GROUP);
    return 0;
}
