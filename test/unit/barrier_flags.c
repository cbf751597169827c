/* Teams that wait by flags: arrival flags that stay equal through changes of size and cancellations, cancelled
   constructs that have no work share, masters that sleep in the join, and all of that with membarrier and without, and
   with fenced flags. With ALWAYS_SLEEP (barrier_flags_sleep.c) each wait parks at once. Runs under ASan+UBSan and
   TSan. */
#include "unit.h"

#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "core/sync/barrier_flags.h"
#include "core/task/task.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"
#include "host/os.h"

enum { MOST = 12, ROUNDS = 400 };

static int seen[MOST]; /* plain: each member's own, read by the others behind a barrier */

static void check_flags(struct ghcomp_team *team)
{
    for (uint32_t i = 1; team != NULL && team->by_flags && i < team->size; i++)
        CHECK_EQUAL(ghcomp_load_relaxed(&team->barrier.flags[0]), ghcomp_load_relaxed(&team->barrier.flags[i]));
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

static void meet(void *data)
{
    int round = *(int *)data;
    struct ghcomp_member *self = ghcomp_self();
    uint32_t size = self->team->size;
    CHECK(!self->team->by_flags || (size > 1 && size <= GHCOMP_BARRIER_FLAGS));
    for (int phase = 0; phase < 3; phase++) {
        seen[self->tid] = 4 * round + phase;
        ghcomp_barrier_wait(self);
        for (uint32_t i = 0; i < size; i++)
            CHECK_EQUAL(4 * round + phase, seen[i]);
        ghcomp_barrier_wait(self);
    }
}

/* A team keeps its workers while its size stays the same; otherwise it gives some back or takes others. */
static void sizes_change(void)
{
    unsigned seed = 7;
    for (int round = 0, rounds = unit_rounds(ROUNDS); round < rounds; round++) {
        seed = seed * 1103515245u + 12345u;
        ghcomp_team_parallel(meet, &round, 1 + (seed >> 16) % MOST, 0);
        check_flags(ghcomp_self()->hot);
    }
}

/* --- regions that are cancelled ----------------------------------------------------------------------------------- */

static void stop_somewhere(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    unsigned seed = *(unsigned *)data;
    for (uint32_t phase = 0; phase < 6; phase++) {
        if (seed % 6 == phase && (seed >> 8) % self->team->size == self->tid) {
            ghcomp_cancel(self, GHCOMP_CANCEL_PARALLEL);
            return;
        }
        if (ghcomp_barrier_wait_cancellable(self))
            return;
    }
    CHECK(!"the region was cancelled");
}

static void cancelled_regions_leave_whole_teams(void)
{
    unsigned seed = 3;
    for (int round = 0, rounds = unit_rounds(ROUNDS); round < rounds; round++) {
        seed = seed * 1103515245u + 12345u;
        uint32_t size = 2 + (seed >> 16) % 4;
        unsigned choice = seed >> 8;
        ghcomp_team_parallel(stop_somewhere, &choice, size, 0);
        ghcomp_team_parallel(meet, &round, size, 0);
        check_flags(ghcomp_self()->hot);
    }
}

/* --- cancelled constructs that have no work share ----------------------------------------------------------------- */

static _Atomic uint32_t cancelled[64];

/* Each construct of a region is cancelled by a different member, or by none. Members reach the next construct at their
   own pace, and must not see the cancellation of the last one there. */
static void constructs(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    unsigned seed = *(unsigned *)data;
    for (uint32_t i = 0; i < 64; i++) {
        seed = seed * 1103515245u + 12345u;
        uint32_t who = (seed >> 16) % (self->team->size + 1);
        CHECK(!ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP) || who < self->team->size);
        if (who == self->tid) {
            ghcomp_cancel(self, GHCOMP_CANCEL_LOOP);
            CHECK(ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP));
            ghcomp_store_release(&cancelled[i], 1u);
        } else if (who < self->team->size && (seed >> 24) % 2 == 0) {
            while (ghcomp_load_acquire(&cancelled[i]) == 0)
                ghcomp_os_yield();
            CHECK(ghcomp_cancellation_point(self, GHCOMP_CANCEL_LOOP));
        }
        CHECK(!ghcomp_barrier_wait_cancellable(self));
    }
    /* Nothing is left that a construct could take for its own cancellation when the barriers' numbers come again. */
    ghcomp_barrier_wait(self);
    ghcomp_barrier_wait(self);
    CHECK((ghcomp_load_relaxed(&self->team->cancelled) & GHCOMP_CANCELLED_SHARE) == 0);
}

static void cancelled_constructs_end_with_their_barrier(void)
{
    for (unsigned round = 0; round < 60; round++) {
        for (int i = 0; i < 64; i++)
            ghcomp_store_relaxed(&cancelled[i], 0u);
        ghcomp_team_parallel(constructs, &round, 1 + round % 10, 0);
        check_flags(ghcomp_self()->hot);
    }
}

/* --- sleep -------------------------------------------------------------------------------------------------------- */

static void one_is_late(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    uint32_t late = *(uint32_t *)data;
    if (self->tid == late % self->team->size)
        ghcomp_os_nap(300000);
    if (late % 3 != 0)
        ghcomp_barrier_wait(self);
}

/* The others are asleep when the last member arrives: in the barrier, or the master in its join. */
static void sleepers_are_woken(void)
{
    for (uint32_t late = 0; late < 200; late++)
        ghcomp_team_parallel(one_is_late, &late, 2 + late % 5, 0);
}

/* --- in a crowd --------------------------------------------------------------------------------------------------- */

#ifdef ALWAYS_SLEEP
static uint32_t by_counter;

static bool all_finished(struct ghcomp_team *team)
{
    uint32_t from = 1;
    return team->by_flags ? ghcomp_barrier_flags_all_finished(team, &from)
                          : ghcomp_load_acquire(&team->unfinished) <= 1;
}

/* The workers end their parts when the master is on its way to sleep in the join, or before the master comes to it. */
static void join_asleep_or_awake(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_team *team = self->team;
    bool asleep = *(bool *)data;
    seen[self->tid]++;
    ghcomp_barrier_wait(self);
    for (uint32_t i = 1; i < team->size; i++)
        CHECK_EQUAL(seen[0], seen[i]);
    if (self->tid == 0)
        by_counter += !team->by_flags;
    ghcomp_barrier_wait(self);
    while (self->tid == 0 ? !asleep && !all_finished(team) : asleep && !(ghcomp_load_relaxed(&team->unfinished) & 1u))
        ghcomp_os_yield();
}

static void join(bool asleep, uint32_t size, uint32_t regions)
{
    by_counter = 0;
    for (uint32_t i = 0; i < regions; i++)
        ghcomp_team_parallel(join_asleep_or_awake, &asleep, size, 0);
}

/* A team whose master sleeps at once, join after join, takes to the counter, and then back to flags. */
static void oversubscribed_teams_wait_by_the_counter(void)
{
    for (uint32_t size = 2; size <= 4; size++) {
        memset(seen, 0, sizeof seen);
        join(true, size, 200);
        CHECK(by_counter > 0 && by_counter <= 192);
        join(false, size, 40);
        CHECK(by_counter > 0);
        join(false, size, 1);
        CHECK_EQUAL(0, by_counter);
    }
}
#endif

/* --- the first task ----------------------------------------------------------------------------------------------- */

static _Atomic uint32_t made, ran;

static void count(void *data)
{
    (void)data;
    ghcomp_add_relaxed(&ran, 1u);
}

/* Barriers without tasks, then the first task at any of them, made by any member or by all at once. A task that was
   made before a barrier has run when the barrier ends. */
static void tasks_from_some_barrier_on(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    unsigned choice = *(unsigned *)data;
    for (uint32_t phase = 0; phase < 6; phase++) {
        if (phase >= choice % 7 && ((choice >> 4) % 2 == 0 || (choice >> 8) % self->team->size == self->tid)) {
            ghcomp_add_relaxed(&made, 1u);
            ghcomp_task_submit(self, ghcomp_task_new(self, count, 8, 8, 0));
        }
        ghcomp_barrier_wait(self);
        CHECK_EQUAL(ghcomp_load_relaxed(&made), ghcomp_load_relaxed(&ran));
        ghcomp_barrier_wait(self);
    }
}

/* The team has passed so many barriers since the last one with tasks. */
static void pass_barriers(struct ghcomp_team *team, uint32_t count)
{
    for (uint32_t i = 0; team != NULL && i < team->size && i < GHCOMP_BARRIER_FLAGS; i++)
        ghcomp_store_relaxed(&team->barrier.flags[i], ghcomp_load_relaxed(&team->barrier.flags[i]) + count);
}

static void tasks_begin_anywhere(void)
{
    unsigned seed = 11;
    for (int round = 0, rounds = unit_rounds(ROUNDS); round < rounds; round++) {
        seed = seed * 1103515245u + 12345u;
        unsigned choice = seed >> 8;
        pass_barriers(ghcomp_self()->hot, seed % 3 == 0 ? 0 : seed % 3 == 1 ? 0x7ffffffcu : 0xfffffff0u + seed % 32);
        ghcomp_team_parallel(tasks_from_some_barrier_on, &choice, 2 + (seed >> 20) % 5, 0);
        CHECK_EQUAL(ghcomp_load_relaxed(&made), ghcomp_load_relaxed(&ran));
    }
}

/* --- without membarrier ------------------------------------------------------------------------------------------- */

static bool no_fence;
bool __wrap_ghcomp_os_fence_all(void);
bool __real_ghcomp_os_fence_all(void);
bool __wrap_ghcomp_os_fence_all(void)
{
    return !no_fence && __real_ghcomp_os_fence_all();
}

int main(void)
{
    ghcomp_self();
    ghcomp_flags_to = ghcomp_unfenced_to = GHCOMP_BARRIER_FLAGS; /* on any machine */
    ghcomp_global.cancel = true;
    ghcomp_observers_add(GHCOMP_CANCELLABLE);
#ifdef ALWAYS_SLEEP
    for (int i = 0; i < GHCOMP_WAIT_KINDS; i++)
        ghcomp_wait_set_limit(i, 0, 0);
#endif
    for (int pass = 0; pass < 3; pass++) { /* unfenced flags, the same without membarrier, and fenced ones */
        no_fence = pass == 1;
        ghcomp_unfenced_to = pass == 2 ? 0 : GHCOMP_BARRIER_FLAGS;
        sizes_change();
        cancelled_regions_leave_whole_teams();
        cancelled_constructs_end_with_their_barrier();
        sleepers_are_woken();
#ifdef ALWAYS_SLEEP
        oversubscribed_teams_wait_by_the_counter();
#endif
        tasks_begin_anywhere();
    }
    return 0;
}
