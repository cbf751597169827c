/* Structs of teams, for team.c. Protocol: team_struct.c. */
#pragma once

#include "core/state/types.h"

/* A team of its master alone. */
struct ghcomp_team *ghcomp_team_new(void);
/* Brings the team to `size` threads; may get fewer only when threads cannot be created. */
void ghcomp_team_resize(struct ghcomp_team *team, uint32_t size, bool may_be_smaller);
