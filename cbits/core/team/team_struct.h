/* Structs of teams, for team.c. Protocol: team_struct.c. */
#pragma once

#include "core/state/types.h"
#include "core/team/shortage.h"

/* A team of its master alone. */
struct ghcomp_team *ghcomp_team_new(void);
/* Brings the team to `size` threads. When threads cannot be created it gets fewer, or changes nothing (false), as
   `shortage` says. For the team's master. */
bool ghcomp_team_resize(struct ghcomp_team *team, uint32_t size, enum ghcomp_shortage shortage);
