/* The CPUs that the process may use: the machine's without those that are off, isolated, or not in its control group.
 * They are what the runtime counts, the size of a team that asks for none, and all of them work for such a team.
 */
#define _GNU_SOURCE
#include "machine.h"

int main(void)
{
    cpu_set_t expected, mask, used;
    expected_cpus(&expected);
    CHECK(sched_getaffinity(0, sizeof mask, &mask) == 0, "no mask");
    /* libgomp has bound the thread when it was loaded. */
    CHECK(omp_get_proc_bind() != omp_proc_bind_false || CPU_EQUAL(&mask, &expected),
          "the process has %d CPUs, its machine %d", CPU_COUNT(&mask), CPU_COUNT(&expected));
    int cpus = CPU_COUNT(&expected);
    CHECK(omp_get_num_procs() == cpus, "it says %d, there are %d", omp_get_num_procs(), cpus);
    CHECK(omp_get_max_threads() == cpus, "it says %d, there are %d", omp_get_max_threads(), cpus);
    int team = 0;
    CPU_ZERO(&used);
#pragma omp parallel
    {
        cpu_set_t mine;
        CHECK(sched_getaffinity(0, sizeof mine, &mine) == 0, "no mask");
#pragma omp critical
        {
            team++;
            CPU_OR(&used, &used, &mine);
        }
        CHECK(omp_get_num_threads() == cpus, "the team has %d, there are %d", omp_get_num_threads(), cpus);
        CHECK(omp_get_num_procs() == cpus, "a member is told %d, there are %d", omp_get_num_procs(), cpus);
    }
    CHECK(team == cpus, "%d members came, there are %d CPUs", team, cpus);
    CHECK(CPU_EQUAL(&used, &expected), "the members' masks have %d CPUs, the machine %d", CPU_COUNT(&used), cpus);
    return 0;
}
