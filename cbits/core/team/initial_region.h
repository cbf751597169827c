/* Initial regions inside the program's code: a thread runs something as a new initial thread would. Protocol:
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
    struct ghcomp_tool_league_team league_team; /* ... and of the league's present team */
    struct ghcomp_initial_region *next;  /* from thread->initial.innermost on: the region around it; from
                                            thread->initial.spare on: the next one */
};

/* A new region for the calling thread, which is `encountering`, with the environment's ICVs. The caller sets what else
   its member is to begin with; then the thread enters it at once, and continues as that member. */
struct ghcomp_initial_region *ghcomp_initial_region_prepare(struct ghcomp_member *encountering, bool target);
void ghcomp_initial_region_enter(struct ghcomp_initial_region *region);
/* Runs the tasks of the region that are not complete. */
void ghcomp_initial_region_finish(struct ghcomp_initial_region *region);
/* Finishes it and makes the thread the encountering member again. */
void ghcomp_initial_region_leave(struct ghcomp_initial_region *region);

/* thread.c: the thread is gone. */
void ghcomp_initial_region_forget(struct ghcomp_thread *thread);
