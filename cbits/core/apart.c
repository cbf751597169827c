/* Keeps workers off the CPU of their master while Haskell is pressed (wait.h).
 *
 * When there are fewer CPUs than threads that want one, the kernel likes to wake a worker on the CPU of the master that
 * wakes it. The two then run in turns, each region takes two switches, and in between GHC's scheduler finds the CPU and
 * gives the master's Capability to another Haskell thread, for a whole time slice. On a CPU of its own the worker has
 * done its part before the master looks for it. Measured on two cores beside two allocating threads: 42,000 regions a
 * second instead of 12,000, with as much left for Haskell.
 *
 * The master writes where it is into the mail. A worker that finds itself there while Haskell is pressed takes that CPU out
 * of its affinity mask, and follows the master's moves from then on; it puts its mask back when it begins a region that
 * does not say where its master is. Nothing is done where threads are bound, and
 * for teams that have no CPU for each thread. The masks of the program's own threads are never touched.
 *
 * Called by team.c and pool.c. Covered by test/unit/apart.c.
 */
#include "core/apart.h"

#include <string.h>

#include "core/affinity.h"
#include "core/wait.h"
#include "host/os.h"

int32_t ghcomp_apart_cpu(uint32_t team_size)
{
    return ghcomp_affinity.active || team_size > ghcomp_global.num_cpus ? -1 : ghcomp_os_cpu();
}

static void bind_but(const struct ghcomp_thread *worker, int32_t cpu)
{
    struct ghcomp_cpus mask;
    size_t size = sizeof mask;
    if (worker->affinity != NULL) {
        mask = *worker->affinity;
    } else {
        const cpu_set_t *at_load = ghcomp_os_affinity(&size);
        memcpy(&mask, at_load, size < sizeof mask ? size : sizeof mask);
    }
    if (cpu >= 0)
        mask.bits[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
    /* The kernel refuses an empty mask, and the worker stays where it is. */
    ghcomp_os_bind((const cpu_set_t *)&mask, size);
}

void ghcomp_apart_place(struct ghcomp_thread *worker)
{
    int32_t cpu = worker->mail.cpu;
    bool here = cpu >= 0 && cpu < (int32_t)GHCOMP_MAX_CPUS && ghcomp_os_cpu() == cpu &&
                (worker->apart || ghcomp_load_relaxed(&ghcomp_wait.pressed));
    if (cpu >= 0 && !here)
        return;
    bind_but(worker, cpu);
    worker->apart = cpu >= 0;
}
