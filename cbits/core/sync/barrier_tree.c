/* The barrier of large teams: barrier.c's, on cache lines that only a few threads share.
 *
 * Episodes are numbered, and each member keeps the number of the last one that it left (tree.slots). The lower bits of
 * the number are those in the eventcount, which stays the word of the whole team.
 *
 * 1. A member counts itself into the combining tree (combining_tree.c).
 * 2. In a region without tasks the member that completes the root empties it, ends a cancelled construct and moves the
 *    eventcount to the next episode (xchg_acqrel): that store ends the episode. Then it releases the first group by the
 *    word that this group spins on (store_release of leaf.go, pairs with load_acquire).
 * 3. A member that leaves releases one more group, if it exists: member t releases group t + 1. So a group of FAN_IN
 *    members releases the next FAN_IN groups, all are released in O(log n) steps, and no word has more than FAN_IN
 *    spinning readers.
 * 4. No member depends on step 3. A member that has spun for a while, or shares its CPU, checks the eventcount before
 *    it yields and before it sleeps. So a member without a CPU delays no group.
 * 5. Members sleep on the eventcount and are woken as in barrier.c: two by the releaser, two more by each woken one.
 *
 * leaf.go of an episode is written before its writer's next arrival, so before the next episode can end: the words
 * never go back, and between regions all hold the last episode. A member waits for its own episode by equality, because
 * the word may be one behind when the member left the last episode by the eventcount.
 *
 * In a region with tasks members run them while they wait. One of the members that find the root full and all tasks
 * complete does step 2: the one that empties the root. Leaving early, and pauses: as in barrier.c.
 *
 * Called by barrier.c, barrier_policy.c. Covered by
 * test/unit/{barrier_policy,team_tree,team_tree_sleep,pause_tree,pause_tree_sleep,task_tree,task_tree_sleep}.c,
 * test/unit/cancel_tree.c and test/conformance/large. Explored (test/explore/barrier_tree.c): no member passes too
 * early or sleeps for ever; two to five members, three to one preemptions.
 */
#include "core/sync/barrier_tree.h"
#include "core/sync/eventcount.h"

#include "core/sync/combining_tree.h"
#include "core/sync/task_team.h"

enum { EPISODE_SHIFT = 24 };
_Static_assert(GHCOMP_EVENTCOUNT_EPISODE == UINT32_C(1) << EPISODE_SHIFT, "the eventcount's episode is its top bits");

static inline uint32_t episode_of(uint32_t eventcount)
{
    return eventcount >> EPISODE_SHIFT;
}

/* The rest of step 2, after the root is empty: ends the episode. */
static void release(struct ghcomp_team *team, uint32_t episode)
{
    ghcomp_barrier_end_cancelled_share(team);
    if (ghcomp_xchg_acqrel(&team->barrier.eventcount, episode << EPISODE_SHIFT) & 1u)
        ghcomp_os_wake_class(&team->barrier.eventcount, 2, ghcomp_barrier_class(episode));
    ghcomp_store_release(&team->tree->nodes[0].go, episode);
}

/* Steps 1 and 2. True: the episode is over. */
static inline bool arrive(struct ghcomp_team *team, uint32_t tid, uint32_t episode)
{
    if (!ghcomp_combining_tree_arrive(team->tree, tid) || ghcomp_task_team_used(team))
        return false;
    ghcomp_store_relaxed(&team->tree->root->arrived, 0u);
    release(team, episode);
    return true;
}

/* Step 3. */
static inline void leave(struct ghcomp_combining_tree *tree, uint32_t tid, uint32_t episode)
{
    tree->slots[tid].episode = episode;
    if (tid + 1 < tree->groups)
        ghcomp_store_release(&tree->nodes[tid + 1].go, episode);
}

/* Runs a task, or ends the episode if all have arrived and all tasks are complete. True: it did; check again without
   waiting. */
static bool run_or_release(struct ghcomp_member *self, uint32_t episode, struct ghcomp_wait_pause *pause)
{
    struct ghcomp_team *team = self->team;
    if (ghcomp_barrier_run_task(self, pause))
        return true;
    if (!ghcomp_combining_tree_full(team->tree) || !ghcomp_task_team_quiescent(team))
        return false;
    if (ghcomp_combining_tree_empty(team->tree))
        release(team, episode);
    return true;
}

enum ghcomp_barrier_outcome ghcomp_barrier_tree_wait(struct ghcomp_member *self, bool cancellable,
                                                     struct ghcomp_wait_pause *pause)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_combining_tree *tree = team->tree;
    struct ghcomp_barrier *barrier = &team->barrier;
    uint32_t tid = self->tid, episode = tree->slots[tid].episode + 1;
    if (cancellable && ghcomp_barrier_region_cancelled(team))
        return GHCOMP_BARRIER_CANCELLED;
    bool over = false, slept = false;
    if (pause == NULL || !pause->arrived) {
        over = arrive(team, tid, episode);
        if (pause != NULL)
            pause->arrived = true;
    }
    _Atomic uint32_t *go = &ghcomp_combining_tree_leaf(tree, tid)->go;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_BARRIER);
    struct ghcomp_eventcount_wait sleep = {0};
    while (!over) {
        /* Step 4: after the next miss the member may yield or sleep. */
        bool looks = spin.left == 0;
        uint32_t eventcount = looks ? ghcomp_load_acquire(&barrier->eventcount) : 0;
        if (ghcomp_load_acquire(go) == episode || (looks && episode_of(eventcount) == (uint8_t)episode))
            break;
        if (cancellable && ghcomp_barrier_region_cancelled(team))
            return GHCOMP_BARRIER_CANCELLED;
        if (ghcomp_unlikely(ghcomp_task_team_used(team)) && run_or_release(self, episode, pause)) {
            if (pause != NULL && pause->task != NULL)
                return GHCOMP_BARRIER_PAUSED;
            spin = ghcomp_spin_start(GHCOMP_WAIT_BARRIER);
            sleep.announced = false;
            continue;
        }
        ghcomp_task_none_in_wait(self);
        if (!ghcomp_eventcount_spin_again(&spin, &sleep) &&
            ghcomp_eventcount_sleep_class(self, team, eventcount, &sleep, ghcomp_barrier_class(episode))) {
            slept = true;
            ghcomp_task_team_woken(self, team);
        }
    }
    if (slept)
        ghcomp_os_wake_class(&barrier->eventcount, 2, ghcomp_barrier_class(episode));
    leave(tree, tid, episode);
    return ghcomp_barrier_left(team, cancellable);
}

bool ghcomp_barrier_tree_arrive(struct ghcomp_member *self, struct ghcomp_wait_pause *pause, uint32_t polls)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_combining_tree *tree = team->tree;
    uint32_t tid = self->tid, episode = tree->slots[tid].episode + 1;
    bool over = !pause->arrived && arrive(team, tid, episode);
    pause->arrived = true;
    for (; !over && polls > 0; polls--) {
        over = ghcomp_load_acquire(&ghcomp_combining_tree_leaf(tree, tid)->go) == episode;
        ghcomp_cpu_pause();
    }
    if (!over && episode_of(ghcomp_load_acquire(&team->barrier.eventcount)) != (uint8_t)episode)
        return false;
    leave(tree, tid, episode);
    return true;
}

void ghcomp_barrier_tree_fit(struct ghcomp_team *team)
{
    team->tree = ghcomp_combining_tree_fit(team->tree, team->size,
                                           episode_of(ghcomp_load_relaxed(&team->barrier.eventcount)));
}

void ghcomp_barrier_tree_reset(struct ghcomp_team *team)
{
    ghcomp_combining_tree_reset(team->tree, episode_of(ghcomp_load_relaxed(&team->barrier.eventcount)));
}
