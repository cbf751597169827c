/* Constructs inside of a region, for members that are in Haskell. Those that can wait are called by safe calls, which
 * release the Capability, the others by unsafe ones.
 *
 * A construct checks its caller. It returns NOT_A_MEMBER, and changes nothing, for a Haskell thread that a body has
 * forked (it is on another OS thread), for the body of an explicit task, which must not encounter a barrier, and for a
 * member that uses another member's Team. Haskell turns this into an error, and has checked before that the region is
 * not over.
 *
 * Deserted barriers. If a member left its body while another waits at a later barrier, that one would wait for ever.
 * Haskell counts each member's barriers. A member that waits raises region->barrier to its own number, then reads the
 * least number of the members that have left (barriers_of). A member that leaves lowers barriers_of, then reads
 * region->barrier. All of this is sequentially consistent, so that at least one of the two sees the other, and cancels
 * the region. A barrier that is over after a few polls is not counted in this.
 *
 * Called by OpenMP.Internal.Team. Covered by test/hs/library/{TeamTest,OrderedTest}.hs.
 */
#include "core/cpu/cpu_account.h"
#include "core/sync/barrier.h"
#include "core/sync/task_team.h"
#include "core/worksharing/loop.h"
#include "core/worksharing/ordered.h"
#include "core/worksharing/single.h"
#include "haskell/capability_claim.h"
#include "haskell/critical.h"
#include "haskell/region.h"
#include "haskell/task.h"

#define EXPORT __attribute__((visibility("default")))

/* --- unsafe ------------------------------------------------------------------------------------------------------- */

/* The caller's number in the region's team, also from an explicit task, or -1. */
EXPORT int ghcomp_hs_thread_num(const struct ghcomp_hs_region *region)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL && self->team == region->team ? (int)self->tid : -1;
}

/* What a cancellation point is to do: DONE, CANCELLED, or NOT_A_MEMBER. It writes nothing: a thread that a body has
   forked may come just after the end of the region. */
EXPORT int ghcomp_hs_point(const struct ghcomp_hs_region *region)
{
    const struct ghcomp_member *self = ghcomp_self_member;
    if (self == NULL || self->team != region->team)
        return GHCOMP_HS_NOT_A_MEMBER;
    return ghcomp_load_relaxed(&region->cancelled) != 0 ? GHCOMP_HS_CANCELLED : GHCOMP_HS_DONE;
}

/* The calling thread's member, as ghcomp_hs_member, if it has this number; otherwise NULL. */
static struct ghcomp_member *member_numbered(const struct ghcomp_hs_region *region, intptr_t number)
{
    struct ghcomp_member *self = ghcomp_hs_member(region);
    return self != NULL && (intptr_t)self->tid == number ? self : NULL;
}

/* The number of polls that an unsafe call may make for another member's action: for less than a microsecond, because a
   collection would have to wait for the caller, and only one when that member may need the caller's Capability or
   CPU. */
static int polls_of(const struct ghcomp_member *self)
{
    enum { POLLS = 20 };
    return self->team->size > ghcomp_capability_count() || ghcomp_cpu_load_oversubscribed() ? 1 : POLLS;
}

/* Enters a loop of `count` (unsigned) iterations, which are divided among all members. `chunk` 0: the schedule's
   default. `ordered`: its chunks take turns. The caller is a member: ghcomp_hs_barrier_begin has not returned
   NOT_A_MEMBER. */
EXPORT void ghcomp_hs_for_enter(intptr_t sched, uint64_t chunk, uint64_t count, intptr_t ordered)
{
    struct ghcomp_loop_kind kind = {.sched = (int)sched, .chunk = chunk};
    kind.order = ordered ? GHCOMP_LOOP_ORDERED : GHCOMP_LOOP_SINGLY; /* bodies may wait for each other by MVars */
    ghcomp_loop_enter(ghcomp_self_member, ghcomp_loop_range_unsigned(true, 0, count, 1), kind, NULL);
}

/* Takes the next chunk, into the words that ghcomp_hs_chunk points to; false when there is none. In an ordered loop
   this passes the last chunk's turn on, which must have come: this never waits. */
EXPORT bool ghcomp_hs_for_next(void)
{
    return ghcomp_loop_next(ghcomp_self_member);
}

EXPORT void ghcomp_hs_for_leave(void)
{
    ghcomp_loop_leave(ghcomp_self_member);
}

/* Whether the chunk of an ordered loop that the caller, the member with this number, runs has its turn, after some
   polls as in a barrier: 1, 0, or NOT_A_MEMBER. */
EXPORT int ghcomp_hs_ordered_due(const struct ghcomp_hs_region *region, intptr_t number)
{
    const struct ghcomp_member *self = member_numbered(region, number);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    for (int polls = polls_of(self); !ghcomp_ordered_due(self); polls--) {
        if (polls == 0)
            return 0;
        ghcomp_cpu_pause();
    }
    return 1;
}

/* Enters a single region. 1: the caller executes it; 0: another member does; -1: not a member. */
EXPORT int ghcomp_hs_single(const struct ghcomp_hs_region *region, intptr_t number)
{
    struct ghcomp_member *self = member_numbered(region, number);
    return self == NULL ? GHCOMP_HS_NOT_A_MEMBER : ghcomp_single_enter(self);
}

/* Whether the caller, the member with this number, may wait at a barrier: DONE, NOT_A_MEMBER, or IN_CRITICAL. ALONE: it
   would have no member and no task to wait for. */
EXPORT int ghcomp_hs_barrier_begin(const struct ghcomp_hs_region *region, intptr_t number)
{
    struct ghcomp_member *self = member_numbered(region, number);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    if (ghcomp_unlikely(ghcomp_hs_here.held != 0))
        return GHCOMP_HS_IN_CRITICAL;
    return self->team->size == 1 && !ghcomp_task_team_pending(self) ? GHCOMP_HS_ALONE : GHCOMP_HS_DONE;
}

/* Records that the caller's body has ended after `barriers` barriers. Returns whether another member waits at a later
   one. */
EXPORT bool ghcomp_hs_left(struct ghcomp_hs_region *region, uint64_t barriers)
{
    uint64_t fewest = ghcomp_load_seqcst(&region->barriers_of);
    while ((fewest == 0 || fewest > barriers + 1) &&
           !ghcomp_cas_seqcst(&region->barriers_of, &fewest, barriers + 1))
        continue;
    return ghcomp_load_seqcst(&region->barrier) > barriers;
}

/* Begins a barrier, with a few polls. True: it is over. False: ghcomp_hs_barrier continues it, with the same `wait`. */
EXPORT bool ghcomp_hs_barrier_arrive(const struct ghcomp_hs_region *region, struct ghcomp_hs_wait *wait)
{
    struct ghcomp_member *self = ghcomp_hs_member(region);
    if (self == NULL || ghcomp_task_team_used(self->team))
        return false;
    wait->pause.fn = ghcomp_hs_run_task;
    return ghcomp_barrier_arrive(self, &wait->pause, polls_of(self));
}

/* --- safe --------------------------------------------------------------------------------------------------------- */

/* Whether some member has left its body without coming to the region's `number`th barrier. */
static bool deserted(struct ghcomp_hs_region *region, uint64_t number)
{
    uint64_t left = ghcomp_load_seqcst(&region->barriers_of);
    return left != 0 && left - 1 < number;
}

/* Waits for the turn of the caller's chunk, for a short time. DONE: it has come. FOUND: not yet; the caller checks
   whether to continue, and calls again. CANCELLED: it may never come. `number` is that of the barrier at the loop's
   end. DESERTED: the region has been cancelled, because a member has left without coming to that barrier, and so to the
   loop. */
EXPORT int ghcomp_hs_ordered_wait(struct ghcomp_hs_region *region, uint64_t number, bool again)
{
    struct ghcomp_member *self = ghcomp_hs_member(region);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    bool in_haskell = ghcomp_cpu_account_in_haskell(false), due = ghcomp_ordered_wait_briefly(self, again);
    ghcomp_cpu_account_in_haskell(in_haskell);
    if (due)
        return GHCOMP_HS_DONE;
    if (ghcomp_load_relaxed(&self->team->cancelled) & GHCOMP_CANCELLED_PARALLEL)
        return GHCOMP_HS_CANCELLED;
    if (!deserted(region, number))
        return GHCOMP_HS_FOUND;
    ghcomp_hs_cancel(region);
    return GHCOMP_HS_DESERTED;
}

static int wait_at_barrier(struct ghcomp_member *self, struct ghcomp_hs_region *region, struct ghcomp_hs_wait *wait,
                           bool deserted, void *frame)
{
    for (;;) {
        if (ghcomp_barrier_wait_paused(self, &wait->pause))
            return deserted                                  ? GHCOMP_HS_DESERTED
                   : ghcomp_load_relaxed(&region->cancelled) ? GHCOMP_HS_CANCELLED
                                                             : GHCOMP_HS_DONE;
        if ((wait->found = ghcomp_hs_task_start(self, wait->pause.task, frame)) != NULL)
            return GHCOMP_HS_FOUND;
    }
}

/* Waits at a barrier, the caller's `number`th; returns early when the region is cancelled. `wait` is zeroed before the
   first call. FOUND: wait->found is a task; the caller runs it and calls again with the same `wait`. DESERTED: the
   region has been cancelled, because some member will not come. */
EXPORT int ghcomp_hs_barrier(struct ghcomp_hs_region *region, uint64_t number, struct ghcomp_hs_wait *wait)
{
    struct ghcomp_member *self = ghcomp_hs_member(region);
    if (self == NULL)
        return GHCOMP_HS_NOT_A_MEMBER;
    uint64_t highest = ghcomp_load_seqcst(&region->barrier);
    while (highest < number && !ghcomp_cas_seqcst(&region->barrier, &highest, number))
        continue;
    bool alone = deserted(region, number);
    if (alone)
        ghcomp_hs_cancel(region); /* the wait below then ends at once, and takes back the arrival */
    wait->pause.fn = ghcomp_hs_run_task;
    bool in_haskell = ghcomp_cpu_account_in_haskell(false);
    int outcome = wait_at_barrier(self, region, wait, alone, __builtin_dwarf_cfa());
    ghcomp_cpu_account_in_haskell(in_haskell);
    return outcome;
}
