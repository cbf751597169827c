/* What the members of a team do in the harnesses of the barriers that count (barrier_count.c, barrier_tree.c). */
#pragma once

#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "counted_task.h"
#include "team.h"

static unsigned came[3]; /* plain: ordered by the barrier */

static void meet(struct ghcomp_member *self, unsigned barrier)
{
    came[barrier]++;
    ghcomp_barrier_wait(self);
    EXPLORE_EQUAL(team.size, came[barrier]);
}

static void one_barrier(void *nothing)
{
    (void)nothing;
    meet(explore_join_team(), 0);
}

static void two_barriers(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    meet(self, 0);
    meet(self, 1);
}

/* Member 1 makes a task before the first barrier. */
static void with_a_task(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == 1)
        leave_task(self);
    meet(self, 0);
    EXPLORE_EQUAL(1, ran);
}

/* ... and waits for it in its own code: a member that sleeps in the barrier must be woken for it. */
static void with_a_task_awaited(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == 1) {
        leave_task(self);
        while (ran == 0)
            explore_pause();
    }
    meet(self, 0);
}

static void cancelled(void *nothing)
{
    (void)nothing;
    struct ghcomp_member *self = explore_join_team();
    if (self->tid == 0)
        ghcomp_cancel_region(&team);
    else
        EXPLORE_CHECK(ghcomp_barrier_wait_cancellable(self));
}

static void make_members(uint32_t size, void (*function)(void *))
{
    for (uint32_t i = 0; i < size; i++)
        explore_thread(function, NULL);
}
