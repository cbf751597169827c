/* A free agent's share of the CPUs, where the workers are shared with Haskell. Protocol: agent_share.c. */
#pragma once

#include "core/state/types.h"

struct ghcomp_agent_share {
    struct ghcomp_account account; /* the agent's part in the account; empty for a guest */
    bool guest;                    /* no CPU was idle when the agent began */
    uint64_t rested;               /* when the agent last rested, in ticks; 0: never */
};

/* The number of agents that OMP_THREADS_RESERVE reserves, for which no idle CPU is needed. */
uint32_t ghcomp_agents_reserved(void);
/* The first is called when the calling agent begins its work, the second when it has finished. */
void ghcomp_agent_share_begin(struct ghcomp_agent_share *share);
void ghcomp_agent_share_end(struct ghcomp_agent_share *share);
/* Whether regions and Haskell need all CPUs, so that the agent should stop or rest. */
bool ghcomp_agent_cpu_is_wanted(const struct ghcomp_agent_share *share);
/* For an agent that goes on although its CPU is wanted: naps, if the last nap was long enough ago. */
void ghcomp_agent_rests(struct ghcomp_agent_share *share);
