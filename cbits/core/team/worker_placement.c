/* Spreads the workers of teams that are larger than the machine over its CPUs.
 *
 * In such a team all threads yield, and none sleeps. The kernel regards a recently run thread as cache-hot, and may
 * leave all of them on one CPU while another one is idle. So the master writes its CPU into the mail, and each worker
 * is pinned to one CPU: the master's, counted on by the worker's thread number. It moves when the master has moved, and
 * restores its mask when it begins an errand, or a region whose master does not pass its CPU.
 *
 * A master does not write it while Capabilities are busy, nor for LATELY_TICKS after that: a thread pinned to a CPU
 * that Haskell uses waits although another CPU may be free. Measurements:
 * docs/internals/adr/0021-teams-hand-over-on-a-shared-cpu.md.
 *
 * The module does nothing where threads are bound, nor with OMP_PROC_BIND=false. The masks of the program's own threads
 * are never touched. omp_get_num_procs and the workers of inner teams use a worker's mask as it is without the pinning
 * (affinity.c).
 *
 * Called by team.c, fork_tree.c, worker.c, affinity.c and abi/omp/omp_api.c. Covered by test/unit/worker_placement.c.
 */
#include "core/team/worker_placement.h"

#include <string.h>

#include "core/affinity/affinity.h"
#include "core/cpu/cpu_account.h"
#include "host/os.h"

enum { LATELY_TICKS = 10000 * GHCOMP_TICKS_PER_US };

/* Ticks when a master saw a busy Capability the last time; atomic(relaxed), a hint. */
static _Atomic uint64_t haskell_looked_up GHCOMP_ALIGNED_PAIR;

static bool beside_haskell(void)
{
    uint64_t now = ghcomp_cpu_ticks();
    if (ghcomp_cpu_account_haskell() == 0)
        return now - ghcomp_load_relaxed(&haskell_looked_up) < LATELY_TICKS;
    ghcomp_store_relaxed(&haskell_looked_up, now);
    return true;
}

int32_t ghcomp_worker_placement_cpu(uint32_t team_size)
{
    if (team_size <= ghcomp_global.num_cpus || ghcomp_affinity.active || ghcomp_global.bind_set || beside_haskell())
        return -1;
    return ghcomp_os_cpu();
}

static void unpin(struct ghcomp_thread *worker)
{
    struct ghcomp_cpus mask;
    ghcomp_affinity_worker_mask(worker, &mask);
    ghcomp_os_bind((const cpu_set_t *)&mask, sizeof mask);
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
}

void ghcomp_worker_placement_apply(struct ghcomp_thread *worker)
{
    struct ghcomp_thread_placement *placement = &worker->placement;
    int32_t cpu = worker->mail.cpu;
    if (cpu < 0 && placement->pinned != 0)
        unpin(worker);
    else if (cpu >= 0 && (placement->pinned == 0 || placement->master_cpu != cpu || placement->tid != worker->mail.tid))
        pin(worker, cpu);
}
