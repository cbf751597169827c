/* Cancellation from inside: members asleep in a barrier, in an ordered wait, in a doacross wait; flags that end with
   their construct; teams that are complete again afterwards; cancel-var off. Runs under ASan+UBSan and TSan. */
#include "unit.h"

#include <string.h>

#include "core/sync/barrier.h"
#include "core/sync/barrier_flags.h"
#include "core/team/cancel.h"
#include "core/worksharing/doacross.h"
#include "core/team/barrier_policy.h"
#include "core/worksharing/ordered.h"
#include "core/worksharing/sections.h"
#include "core/worksharing/single.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"

static const struct ghcomp_loop_kind in_order = {GHCOMP_SCHED_DYNAMIC, 1, GHCOMP_LOOP_ORDERED};
static const struct ghcomp_loop_kind by_ones = {GHCOMP_SCHED_DYNAMIC, 1, GHCOMP_LOOP_RISING};
static _Atomic int arrived, past, executed;

static struct ghcomp_loop_range up_to(uint64_t count)
{
    return ghcomp_loop_range_unsigned(true, 0, count, 1);
}

static void until(_Atomic int *counter, int value)
{
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    while (ghcomp_load_acquire(counter) < value)
        ghcomp_spin_again(&spin);
}

/* All that a region can have, after regions that were cancelled. */
static void whole(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (int round = 0; round < 5; round++) {
        ghcomp_loop_enter(self, up_to(30), by_ones, NULL);
        while (ghcomp_loop_next(self))
            ghcomp_add_relaxed(&executed, (int)(self->chunk_end - self->chunk_begin));
        ghcomp_loop_leave(self);
        CHECK(!ghcomp_barrier_wait_cancellable(self));
        CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_PARALLEL));
        CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP));
        CHECK_EQUAL(30 * (round + 1), ghcomp_load_relaxed(&executed));
        ghcomp_barrier_wait(self);
    }
}

static void is_whole(uint32_t threads)
{
    executed = 0;
    ghcomp_team_parallel(whole, NULL, threads, 0);
    CHECK_EQUAL(150, executed);
}

/* Member 0 cancels once another member sleeps in the barrier, after some constructs that not all members have
   entered. */
static void sleepers(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 0) {
        struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
        while (self->team->size > 1 && !(ghcomp_load_relaxed(&self->team->barrier.eventcount) & 1u))
            ghcomp_spin_again(&spin);
        CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_PARALLEL));
        CHECK(ghcomp_cancellation_point(self, GHCOMP_CANCEL_PARALLEL));
        CHECK(ghcomp_cancellation_point(self, GHCOMP_CANCEL_TASKGROUP));
        CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP));
        return;
    }
    for (uint32_t i = 0; i < self->tid; i++)
        ghcomp_single_enter(self);
    CHECK(ghcomp_barrier_wait_cancellable(self));
    CHECK(ghcomp_cancellation_point(self, GHCOMP_CANCEL_PARALLEL));
}

/* The chunk at 0 never passes its turn on and never posts: its member cancels the region. */
static void stuck(void *data)
{
    bool doacross = data != NULL;
    struct ghcomp_member *self = ghcomp_self();
    uint64_t counts[1] = {100}, first[1] = {0};
    if (doacross)
        ghcomp_doacross_enter(self, 1, counts, by_ones, NULL);
    else
        ghcomp_loop_enter(self, up_to(100), in_order, NULL);
    CHECK(ghcomp_loop_next(self));
    if (self->chunk_begin == 0) {
        until(&arrived, (int)self->team->size - 1);
        ghcomp_cancel(self, GHCOMP_CANCEL_PARALLEL);
        return;
    }
    ghcomp_add_release(&arrived, 1);
    if (doacross)
        ghcomp_doacross_wait(self, first);
    else
        ghcomp_ordered_wait(self);
    CHECK(ghcomp_cancellation_point(self, GHCOMP_CANCEL_PARALLEL));
}

/* A loop of 2^62 iterations that one of the first iterations cancels, under every schedule; sections; a loop without a
   work share. */
static void constructs(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (int sched = GHCOMP_SCHED_STATIC; sched <= GHCOMP_SCHED_GUIDED; sched++) {
        ghcomp_loop_enter(self, up_to(1ull << 62), (struct ghcomp_loop_kind){sched, 2, GHCOMP_LOOP_RISING}, NULL);
        bool cancelled = false;
        while (!cancelled && ghcomp_loop_next(self))
            for (uint64_t i = self->chunk_begin; i < self->chunk_end; i++) {
                if (i == 0)
                    CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_LOOP));
                cancelled = ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP);
                if (cancelled)
                    break;
            }
        if (cancelled)
            CHECK(!ghcomp_loop_next(self));
        ghcomp_loop_leave(self);
        CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP));
        CHECK(!ghcomp_barrier_wait_cancellable(self));
    }

    ghcomp_sections_enter(self, UINT32_MAX, NULL);
    while (ghcomp_sections_next(self) != 0)
        if (self->chunk_begin == 5)
            ghcomp_cancel(self, GHCOMP_CANCEL_SECTIONS);
    ghcomp_loop_leave(self);
    CHECK(!ghcomp_barrier_wait_cancellable(self));

    if (self->tid == 0)
        CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_LOOP));
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    while (!ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP))
        ghcomp_spin_again(&spin);
    CHECK(!ghcomp_barrier_wait_cancellable(self));
    CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP));
    ghcomp_add_relaxed(&past, 1);
}

static void switched_off(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (int kind = GHCOMP_CANCEL_PARALLEL; kind <= GHCOMP_CANCEL_TASKGROUP; kind *= 2)
        CHECK(!ghcomp_cancel(self, kind) && !ghcomp_cancellation_point(self, kind));
    CHECK(!ghcomp_barrier_wait_cancellable(self));
}

int main(void)
{
#ifdef LARGE_TEAMS /* see cancel_tree.c */
    ghcomp_tree_from = 2;
#endif
    ghcomp_flags_to = ghcomp_unfenced_to = GHCOMP_BARRIER_FLAGS; /* on any machine */
    /* A wait in a barrier sleeps at once. */
    ghcomp_wait_set_limit(GHCOMP_WAIT_BARRIER, 0, 0);
    ghcomp_global.cancel = false;
    ghcomp_team_parallel(switched_off, NULL, 3, 0);
    ghcomp_global.cancel = true;
    for (uint32_t threads = 1; threads <= 9; threads++) {
        for (int round = 0; round < 10; round++) {
            ghcomp_team_parallel(sleepers, NULL, threads, 0);
            arrived = 0;
            ghcomp_team_parallel(stuck, NULL, threads, 0);
            arrived = 0;
            ghcomp_team_parallel(stuck, &arrived, threads, 0);
        }
        is_whole(threads);
        past = 0;
        ghcomp_team_parallel(constructs, NULL, threads, 0);
        CHECK_EQUAL(threads, past);
        is_whole(threads);
    }
    /* Outside every region no cancellation is left. */
    struct ghcomp_member *self = ghcomp_self();
    CHECK(ghcomp_cancel(self, GHCOMP_CANCEL_PARALLEL));
    CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_PARALLEL));
    return 0;
}
