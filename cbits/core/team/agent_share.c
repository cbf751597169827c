/* A free agent's share of the CPUs, where the workers are shared with Haskell (cpu_account.h).
 *
 * Each agent enters the account as a thread. Where regions and Capabilities use all CPUs an agent finds none and
 * leaves. It also leaves at the end of a task if the account has more threads than CPUs by then. But in a team of one
 * there may be no other thread that comes for a task. There an agent stays in any case: it works for WORK and rests for
 * REST in turn, until the CPUs are not all wanted, or no task is left. One that has found no CPU is a *guest*: it
 * begins with a rest, and the account, by which regions and Haskell get their CPUs, does not count it. Agents that
 * OMP_THREADS_RESERVE reserves are counted, and never rest.
 *
 * Called by agents.c. Covered by test/unit/agents.c, test/hs/runtime/Pool.hs. */
#include "core/team/agent_share.h"

#include "core/cpu/cpu_account.h"
#include "core/state/settings.h"
#include "host/os.h"

enum {
    WORK_TICKS = 100 * GHCOMP_TICKS_PER_US,
    REST_NS = 1000000
};

uint32_t ghcomp_agents_reserved(void)
{
    uint32_t agents = ghcomp_settings.reserved.agents;
    return agents != GHCOMP_RESERVED_ALL ? agents : ghcomp_global.num_cpus - 1;
}

void ghcomp_agent_share_begin(struct ghcomp_agent_share *share)
{
    *share = (struct ghcomp_agent_share){0};
    if (!ghcomp_load_relaxed(&ghcomp_cpu_account_shared))
        return;
    if (ghcomp_agents_reserved() != 0)
        ghcomp_cpu_account_enter(&share->account, 1, false);
    else
        share->guest = ghcomp_cpu_account_enter_idle(&share->account, 2, false) != 2;
}

void ghcomp_agent_share_end(struct ghcomp_agent_share *share)
{
    if (share->account.threads != 0)
        ghcomp_cpu_account_leave(&share->account);
}

bool ghcomp_agent_cpu_is_wanted(const struct ghcomp_agent_share *share)
{
    if (!ghcomp_load_relaxed(&ghcomp_cpu_account_shared) || ghcomp_agents_reserved() != 0)
        return false;
    uint32_t threads = ghcomp_cpu_account_counts().threads + share->guest;
    return threads + ghcomp_cpu_account_haskell() > ghcomp_global.num_cpus;
}

void ghcomp_agent_rests(struct ghcomp_agent_share *share)
{
    if (ghcomp_cpu_ticks() - share->rested < WORK_TICKS)
        return;
    ghcomp_os_nap(REST_NS);
    share->rested = ghcomp_cpu_ticks();
}
