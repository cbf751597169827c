/* A free agent's share of the CPUs, where the workers are shared with Haskell. Protocol: agent_share.c. */
#pragma once

#include "core/state/types.h"

struct ghcomp_agent_share {
    struct ghcomp_account account; /* empty for a guest */
    bool guest;                    /* there was no CPU for it */
    uint64_t rested;               /* ticks: when it last rested; 0: it has not */
};

/* How many agents need no CPU of their own: those of OMP_THREADS_RESERVE. */
uint32_t ghcomp_agents_reserved(void);
/* The calling agent begins, and ends. */
void ghcomp_agent_share_begin(struct ghcomp_agent_share *share);
void ghcomp_agent_share_end(struct ghcomp_agent_share *share);
/* Whether regions and Haskell are to have all CPUs. */
bool ghcomp_agent_cpu_is_wanted(const struct ghcomp_agent_share *share);
/* A CPU is wanted, and the agent goes on: it rests first, if it has used its share since it last rested. */
void ghcomp_agent_rests(struct ghcomp_agent_share *share);
