/* Cancellation: where it is recorded, and which threads see it; task_run.c discards tasks.
 *
 * parallel   A bit of team.cancelled. Members that wait in a barrier of the team are woken to read it (barrier.c). A
 *            member that has met no cancellation point goes on, and in its loops the order of iterations and the values
 *            of reductions still hold, as on the peers. So a wait for a certain member (ordered, doacross, clang's
 *            reductions) ends early only when that one has left: each member records that it leaves, and before that in
 *            the work share whether it has a chunk there (store_release; the waits' polls load_acquire). Waits that
 *            sleep have a limit, or sleep on the eventcount, which a leaver notifies. The master clears all this after
 *            the join.
 * for,       share.cancelled, when the member has a chunk of a work share: then the share is the construct's own. No
 * sections   more chunks are handed out; a chunk under way continues to its next cancellation point. The flag ends with
 *            the share, so that a member still in an earlier nowait construct does not mistake it for its own. A
 *            loop that the compiler shares out without the runtime (static schedules) has no share: then it is a bit of
 *            team.cancelled, cleared by the barrier at the loop's end (barrier.c). A cancellable loop has that barrier
 *            because cancel and nowait exclude each other. In a team that waits by flags the number of that barrier is
 *            kept beside the bit: members may pass it at different times (barrier_flags.c).
 * taskgroup  taskgroup.cancelled of the innermost one that the program opened: its tasks that have not started do not
 *            start any more (task_run.c). Cancelling the region has this effect on all its tasks.
 *
 * With cancel-var off none of this happens, except in regions with Haskell bodies, which an exception cancels.
 *
 * Called by abi/gomp/{gomp_cancel.c,share_ends.h}, abi/kmp/{kmp_cancel,kmp_sync}.c, abi/observed/loop.h, team.c and
 * haskell/region.c. Covered by test/unit/{cancel,task}.c, test/conformance/{cancel,taskgroup} and test/clang/cancel.c.
 */
#include "core/team/cancel.h"

#include "core/sync/barrier_flags.h"
#include "core/sync/eventcount.h"
#include "core/task/taskgroup.h"
#include "core/tool/tool.h"
#include "core/worksharing/posts.h"
#include "core/worksharing/workshare.h"

static bool has_share(const struct ghcomp_member *self)
{
    return self->chunk_begin != self->chunk_end;
}

/* The bits of team.cancelled that say that the member's current construct is cancelled; in a team that waits by flags
   they include the construct's number. */
static uint32_t share_cancelled(const struct ghcomp_member *self)
{
    return GHCOMP_CANCELLED_SHARE |
           (self->team->by_flags ? ghcomp_barrier_flags_construct(self) << GHCOMP_CANCELLED_CONSTRUCT : 0);
}

/* Whether the member is a free agent: those are in no worksharing construct, so cancelling one has no effect. */
static bool in_no_construct(const struct ghcomp_member *self)
{
    return ghcomp_unlikely(ghcomp_agent(self));
}

static void cancel_share(struct ghcomp_member *self)
{
    if (in_no_construct(self))
        return;
    uint32_t said = ghcomp_load_relaxed(&self->team->cancelled), says;
    do
        says = (said & GHCOMP_CANCELLED_PARALLEL) | share_cancelled(self);
    while (!ghcomp_cas_acqrel(&self->team->cancelled, &said, says));
}

bool ghcomp_cancellation_point(struct ghcomp_member *self, int kind)
{
    if (!ghcomp_global.cancel)
        return false;
    if ((kind & GHCOMP_CANCEL_TASKGROUP) && ghcomp_taskgroup_cancelled(self->task->group))
        return true;
    if (!(kind & (GHCOMP_CANCEL_LOOP | GHCOMP_CANCEL_SECTIONS))) {
        bool cancelled = ghcomp_load_relaxed(&self->team->cancelled) & GHCOMP_CANCELLED_PARALLEL;
        return kind & GHCOMP_CANCEL_PARALLEL ? ghcomp_cancel_leaves(self, cancelled) : cancelled;
    }
    if (in_no_construct(self))
        return false;
    if (has_share(self))
        return ghcomp_load_acquire(&self->share->cancelled);
    uint32_t said = ghcomp_load_relaxed(&self->team->cancelled);
    return (said & ~(uint32_t)GHCOMP_CANCELLED_PARALLEL) == share_cancelled(self);
}

static void cancel_region(struct ghcomp_team *team)
{
    ghcomp_or_acqrel(&team->cancelled, (uint32_t)GHCOMP_CANCELLED_PARALLEL);
    ghcomp_eventcount_notify(team);
}

void ghcomp_cancel_region(struct ghcomp_team *team)
{
    for (uint32_t i = 0; i < team->size; i++)
        ghcomp_store_release(&team->members[i]->left, true);
    cancel_region(team);
}

/* A member in a task of its team has not left: it comes back to its implicit task. */
void ghcomp_cancel_leave(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    if (team->parent == NULL || self->task != &self->implicit || in_no_construct(self))
        return;
    struct ghcomp_workshare *share = self->share;
    if (has_share(self) && (share->ordered || share->doacross != NULL))
        ghcomp_store_release(&share->deserted, true);
    if (self->posts != NULL)
        ghcomp_posts_desert(self->posts);
    ghcomp_store_release(&self->left, true);
    ghcomp_eventcount_notify(team);
}

void ghcomp_cancel_reset(struct ghcomp_team *team)
{
    for (uint32_t i = 0; i < team->size; i++)
        ghcomp_store_relaxed(&team->members[i]->left, false);
    ghcomp_store_relaxed(&team->cancelled, 0u);
}

bool ghcomp_cancel(struct ghcomp_member *self, int kind)
{
    if (!ghcomp_global.cancel)
        return false;
    struct ghcomp_team *team = self->team;
    if (kind & GHCOMP_CANCEL_PARALLEL) {
        /* Outside all regions there is nothing to cancel, and no join that would clear the bit. */
        if (team->parent == NULL)
            return true;
        cancel_region(team);
        ghcomp_cancel_leave(self);
    } else if (kind & (GHCOMP_CANCEL_LOOP | GHCOMP_CANCEL_SECTIONS)) {
        if (!has_share(self)) {
            cancel_share(self);
            return true;
        }
        /* Sets `taken` to the loop's end, so that no more chunks are handed out. This precedes the flag: a member that
           reads the flag gets no more chunks. */
        ghcomp_store_relaxed(&self->share->taken, self->share->count);
        ghcomp_store_release(&self->share->cancelled, true);
    } else if (kind & GHCOMP_CANCEL_TASKGROUP) {
        struct ghcomp_taskgroup *group = self->task->group;
        while (group != NULL && group->workshare)
            group = group->outer;
        if (group != NULL)
            ghcomp_store_relaxed(&group->cancelled, true);
    }
    return true;
}

void ghcomp_cancel_report(struct ghcomp_member *self, int kind, bool activated)
{
    int construct = kind & GHCOMP_CANCEL_PARALLEL   ? ompt_cancel_parallel
                    : kind & GHCOMP_CANCEL_LOOP     ? ompt_cancel_loop
                    : kind & GHCOMP_CANCEL_SECTIONS ? ompt_cancel_sections
                                                    : ompt_cancel_taskgroup;
    ghcomp_tool_cancel(self, construct | (activated ? ompt_cancel_activated : ompt_cancel_detected));
}
