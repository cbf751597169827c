/* Teams for harnesses: members without a pool, or waits that park at once. */
#pragma once

#include <string.h>

#include "core/cpu/wait.h"
#include "core/state/types.h"
#include "core/task/task_defer.h"
#include "explore.h"

/* Each wait parks at its first miss, as on a busy machine whose budgets are used up: a spin is nothing but more of the
   same looks. What is counted for that is no point of the schedule. */
static inline void explore_park_at_once(void)
{
    for (int i = 0; i < GHCOMP_WAIT_KINDS; i++)
        ghcomp_wait_settings.free_ns[i] = ghcomp_wait_settings.oversubscribed_ns[i] = 0;
    ghcomp_cpu_load.cpus = 0;
    explore_ignore(&ghcomp_cpu_load, sizeof ghcomp_cpu_load);
    explore_ignore(&ghcomp_wait_settings, sizeof ghcomp_wait_settings);
}

/* A team whose members are threads of the scenario: no fork, no join. */
enum { EXPLORE_MEMBERS = 5 };
static struct ghcomp_team team;
static struct ghcomp_thread explore_threads[EXPLORE_MEMBERS];
static struct ghcomp_member *explore_members[EXPLORE_MEMBERS];

static inline void explore_make_team(uint32_t size)
{
    explore_park_at_once();
    team.size = size;
    team.task_room = ghcomp_task_room_of(size);
    team.region = 1;
    team.members = explore_members;
    team.icv = &ghcomp_global.initial;
    for (uint32_t i = 0; i < size; i++) {
        struct ghcomp_member *member = i == 0 ? &team.master : &explore_threads[i].self;
        team.members[i] = member;
        member->team = &team;
        member->tid = i;
        member->thread = &explore_threads[i];
        member->task = &member->implicit;
        member->implicit.icv = team.icv;
        member->implicit.executor = member;
    }
}

/* The calling thread becomes the team's member of its number. */
static inline struct ghcomp_member *explore_join_team(void)
{
    return ghcomp_self_member = team.members[explore_self()];
}
