/* Keeps workers off the CPU of their master while the CPUs are contended (wait.h).
 *
 * When there are fewer CPUs than threads that want one, the kernel likes to wake a worker on the CPU of the master that
 * wakes it. The two then run in turns, each region takes two context switches, and in between GHC's scheduler finds the
 * CPU and gives the master's Capability to another Haskell thread, for a whole time slice. On a CPU of its own the
 * worker has done its part before the master looks for it.
 *
 * The master writes its CPU into the mail. A worker that finds itself on that CPU while the CPUs are contended takes it
 * out of its affinity mask, and follows the master's moves from then on.
 *
 * In a team that is larger than the machine all threads yield, and none sleeps. The kernel takes a thread that ran a
 * moment ago for bound to its cache, and may leave all of them on one CPU and another one idle. So each worker of such
 * a team sits on one CPU, its thread number counted from its master's CPU on, and moves when the master has moved; it
 * restores its mask when it begins a region of a team that fits. What both are worth:
 * docs/adr/0013-workers-keep-off-their-masters-cpu.md.
 *
 * Nothing is done where threads are bound, nor where OMP_PROC_BIND=false says that they should not be. The masks of the
 * program's own threads are never touched. A worker that asks how many CPUs it may use (omp_get_num_procs) is told as
 * if it had not been moved, and the workers of its inner teams get the mask that it would have (affinity.c).
 *
 * Called by team.c, pool.c, affinity.c and abi/omp/omp_api.c. Covered by test/unit/worker_placement.c.
 */
#include "core/team/worker_placement.h"

#include <string.h>

#include "core/affinity/affinity.h"
#include "core/cpu/wait.h"
#include "host/os.h"

int32_t ghcomp_worker_placement_cpu(void)
{
    return ghcomp_affinity.active || ghcomp_global.bind_set ? -1 : ghcomp_os_cpu();
}

/* Sets the worker's own mask without `cpu`. The kernel refuses an empty mask: the worker stays where it is. */
static void bind_but(struct ghcomp_thread *worker, int32_t cpu)
{
    struct ghcomp_cpus mask;
    ghcomp_affinity_worker_mask(worker, &mask);
    if (cpu >= 0)
        mask.bits[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
    ghcomp_os_bind((const cpu_set_t *)&mask, sizeof mask);
    worker->placement.restricted = cpu >= 0;
    worker->placement.pinned = 0;
}

/* Pins the worker to one of its CPUs: counted on from its master's, cyclically, by its number in the team. If the
   master's is not among them, nothing changes. */
static void pin(struct ghcomp_thread *worker, int32_t master)
{
    struct ghcomp_cpus mask, one;
    ghcomp_affinity_worker_mask(worker, &mask);
    if (!ghcomp_cpus_has(&mask, (uint32_t)master))
        return;
    uint32_t cpu = (uint32_t)master;
    for (uint32_t further = worker->mail.tid % ghcomp_cpus_count(&mask); further > 0; further--) {
        cpu = ghcomp_cpus_next(&mask, cpu + 1);
        if (cpu == GHCOMP_MAX_CPUS)
            cpu = ghcomp_cpus_next(&mask, 0);
    }
    worker->placement.master_cpu = master;
    worker->placement.tid = worker->mail.tid;
    if (worker->placement.pinned == cpu + 1)
        return;
    memset(&one, 0, sizeof one);
    ghcomp_cpus_add(&one, cpu);
    ghcomp_os_bind((const cpu_set_t *)&one, sizeof one);
    worker->placement.pinned = cpu + 1;
    worker->placement.restricted = true;
}

void ghcomp_worker_placement_apply(struct ghcomp_thread *worker, uint32_t team_size)
{
    int32_t cpu = worker->mail.cpu;
    bool fits = team_size <= ghcomp_global.num_cpus;
    if (cpu >= 0 && !fits) {
        if (worker->placement.pinned == 0 || worker->placement.master_cpu != cpu ||
            worker->placement.tid != worker->mail.tid)
            pin(worker, cpu);
        return;
    }
    bool here = cpu >= 0 && cpu < (int32_t)GHCOMP_MAX_CPUS && ghcomp_os_cpu() == cpu;
    if (worker->placement.pinned != 0 || (worker->placement.restricted && cpu < 0))
        bind_but(worker, -1);
    if (here && (worker->placement.restricted || ghcomp_load_relaxed(&ghcomp_wait.cpu_contended)))
        bind_but(worker, cpu);
}
