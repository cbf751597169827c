/* Initial regions inside the program's code: the calling thread runs code as a new initial thread would. Protocol:
   initial_region.c. */
#pragma once

#include "core/state/types.h"
#include "core/tool/tool.h"

/* A region that a thread is in, or has left. Owner only. */
struct ghcomp_initial_region {
    struct ghcomp_member self;           /* its initial member, the only member of its team */
    struct ghcomp_team *team;
    struct ghcomp_group group;           /* its contention group */
    struct ghcomp_member *encountering;  /* the member that continues afterwards ... */
    struct ghcomp_group *outer_group;    /* ... and its contention group */
    bool target;                         /* it is a target region, not a team of a league */
    bool league_reported;                /* target regions: the begin of a league has been reported (league.c) */
    struct ghcomp_tool_league league;    /* ... its record for a tool, ... */
    struct ghcomp_tool_league_team league_team; /* ... and that of the team that runs now */
    struct ghcomp_initial_region *next;  /* from thread->initial.innermost on: the region around it; from
                                            thread->initial.spare on: the next one */
};

/* A new region for the calling thread, which is `encountering`, with the environment's ICVs. The caller may change the
   region's ICVs and numbers, and must then enter it; after that the thread continues as the region's member. */
struct ghcomp_initial_region *ghcomp_initial_region_prepare(struct ghcomp_member *encountering, bool target);
void ghcomp_initial_region_enter(struct ghcomp_initial_region *region);
/* Runs the tasks of the region that are not complete. */
void ghcomp_initial_region_finish(struct ghcomp_initial_region *region);
/* Finishes it and makes the thread the encountering member again. */
void ghcomp_initial_region_leave(struct ghcomp_initial_region *region);

/* For thread.c: frees the regions that a thread that has ended has kept. */
void ghcomp_initial_region_forget(struct ghcomp_thread *thread);
