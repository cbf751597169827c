/* Seats: the places in a team of free agents, workers that run its tasks with threadset(omp_pool) and are not its
 * members (core/team/agents.c).
 *
 * A seat is a member struct of the team's own, beyond its members. The agent that sits on it is a member to the tasks
 * that it runs, and the seat's `created` and `completed` count in the sums by which the team finds all tasks complete
 * (task_team.c): each is written by one thread at a time, so the argument there holds for them as for the members'.
 *
 *   free -> taken    a thread of the team, which calls an agent, or an agent that comes by itself: cas_acquire
 *   taken -> free    the agent that leaves: store_release
 *
 * A visit counts as one more task. The caller counts it in `created` before it sends the worker, and an agent that
 * comes by itself while it has a task of the team that has not run (core/team/left.c). The agent gives the seat
 * back and then counts it in team.outside (add_acqrel), which is its last access to the team. So while an agent is in
 * the team, or on its way, the team's tasks are not complete: barriers and the region's end wait until it has left, and
 * no seat is taken when the master changes or gives up the team.
 *
 * A team of one has no sums on its short path: it compares its member's two counts (ghcomp_task_team_pending). The two
 * could be equal while tasks are incomplete, because the member also completes tasks that agents have made. So before a
 * region's first visit, that is before it calls an agent or lists the team, the member moves BIAS from a seat's count
 * to its own.
 *
 * Used by task_team.c, team_struct.c, core/team/agents.c. Covered by test/unit/agents.c and test/clang/free_agents*.c.
 * Explored (test/explore/agents.c). */
#pragma once

#include <stdlib.h>

#include "core/state/types.h"

enum { GHCOMP_SEATS_BIAS = 1 << 30 };

struct ghcomp_seat {
    struct ghcomp_member member;   /* written by the agent; `created` also by the caller, before it sends the worker */
    _Atomic bool taken;
    struct ghcomp_group *group;    /* the contention group that counts the agent, or NULL; written by the caller */
};

/* What a free agent that has worked for another team needs in order to enter this one; protocol and locks in
   core/team/left.c. */
struct ghcomp_left {
    _Atomic uint32_t listed;       /* the team is on the list: store_release under the lock, load_acquire */
    _Atomic uint32_t ever;         /* ... has been in this region: written under the lock; atomic(relaxed) for its
                                      threads and master, load_acquire for threads outside */
    struct ghcomp_left *next, *previous; /* lock: the list */
    struct ghcomp_team *team;      /* lock, as what follows */
    uint64_t kind;                 /* of its workers: the kind's number, since the kind may be gone by now */
    struct ghcomp_group *group;    /* the contention group of the thread that has listed it */
    uint32_t limit;                /* ... and its thread-limit-var */
    struct ghcomp_float_control float_control; /* ... and what its tasks expect */
};

struct ghcomp_seats {
    struct ghcomp_left left;
    uint32_t count;                /* immutable */
    bool biased;                   /* the bias is applied; in a team of one, set by its member before the first visit */
    struct ghcomp_seat seat[];
};

/* Whether the team has seats. */
static inline bool ghcomp_seats_used(const struct ghcomp_team *team)
{
    return ghcomp_load_relaxed(&team->seats) != NULL;
}

/* The sums of the seats' counts; see task_team.c for their order. Any thread of the team. */
static inline uint32_t ghcomp_seats_completed(struct ghcomp_team *team)
{
    struct ghcomp_seats *seats = ghcomp_load_acquire(&team->seats);
    uint32_t sum = 0;
    for (uint32_t i = 0; ghcomp_unlikely(seats != NULL) && i < seats->count; i++)
        sum += ghcomp_load_acquire(&seats->seat[i].member.completed);
    return sum;
}

static inline uint32_t ghcomp_seats_created(struct ghcomp_team *team)
{
    struct ghcomp_seats *seats = ghcomp_load_acquire(&team->seats);
    uint32_t sum = 0;
    for (uint32_t i = 0; ghcomp_unlikely(seats != NULL) && i < seats->count; i++)
        sum += ghcomp_load_relaxed(&seats->seat[i].member.created);
    return sum;
}

/* Returns the seats of the calling member's team; makes `most` of them if there are none. */
struct ghcomp_seats *ghcomp_seats_ready(struct ghcomp_member *self, uint32_t most);
/* A free seat, taken, without a visit; NULL: there is none. */
struct ghcomp_seat *ghcomp_seats_take_free(struct ghcomp_seats *seats);
/* Counts a visit. Called by the thread that has taken the seat, while a task of the team is incomplete. */
void ghcomp_seats_count_visit(struct ghcomp_seat *seat);
/* A free seat of the team of the calling member, taken, and its visit counted; NULL: there is none. */
struct ghcomp_seat *ghcomp_seats_take(struct ghcomp_member *self, uint32_t most);
/* Gives the seat back, and uncounts the visit, when the caller sends no worker after all. */
void ghcomp_seats_untake(struct ghcomp_seat *seat);
/* The agent has left it. */
static inline void ghcomp_seats_give(struct ghcomp_seat *seat)
{
    ghcomp_store_release(&seat->taken, false);
}

/* Takes the team off the list (core/team/left.c), so that no agent comes or searches its queue any more. Called as
   ghcomp_seats_reset. */
void ghcomp_left_forget(struct ghcomp_left *left);

/* Master, when all tasks of a region are complete. */
static inline void ghcomp_seats_reset(struct ghcomp_team *team)
{
    struct ghcomp_seats *seats = ghcomp_load_relaxed(&team->seats);
    if (ghcomp_likely(seats == NULL))
        return;
    ghcomp_left_forget(&seats->left);
    seats->biased = false;
    for (uint32_t i = 0; i < seats->count; i++) {
        ghcomp_store_relaxed(&seats->seat[i].member.created, 0u);
        ghcomp_store_relaxed(&seats->seat[i].member.completed, 0u);
    }
}

/* Called in the child of fork(), in which at most the calling thread is an agent. */
static inline void ghcomp_seats_fork_child(struct ghcomp_team *team)
{
    struct ghcomp_seats *seats = ghcomp_load_relaxed(&team->seats);
    ghcomp_seats_reset(team);
    for (uint32_t i = 0; seats != NULL && i < seats->count; i++)
        ghcomp_store_relaxed(&seats->seat[i].taken, false);
}

/* The team is given up. */
static inline void ghcomp_seats_free(struct ghcomp_team *team)
{
    struct ghcomp_seats *seats = ghcomp_load_relaxed(&team->seats);
    if (ghcomp_likely(seats == NULL))
        return;
    ghcomp_left_forget(&seats->left);
    for (uint32_t i = 0; i < seats->count; i++)
        free(seats->seat[i].member.implicit.tool);
    free(seats);
    ghcomp_store_relaxed(&team->seats, NULL);
}
