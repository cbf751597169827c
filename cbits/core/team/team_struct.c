/* Structs of teams: making, resizing, giving back workers, freeing; and fork().
 *
 * Sizes. When the size of a hot team changes, workers go back to the pool or come from it; no thread is destroyed. The
 * pool's stack order makes worker i of a team that shrank and grew again the same OS thread, unless another master took
 * it meanwhile.
 *
 * Nested hot teams belong to the member that encounters the region, so they stay with their OS thread as long as their
 * outer team stays hot, and go back to the pool with it. A region that cannot have all its threads first takes those of
 * the idle inner teams of its members, and of the teams below the encountering member's region of one thread.
 *
 * Called by team.c, league.c, lend.c, thread.c, pool.c, initial_region.c. Covered by test/unit/team.c and
 * test/conformance/process.
 */
#include "core/team/team_struct.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/sync/combining_tree.h"
#include "core/sync/seats.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/task/task_defer.h"
#include "core/team/initial_region.h"
#include "core/team/lend.h"
#include "core/team/pool.h"
#include "core/team/team.h"
#include "core/tool/tool_filter.h"
#include "core/tsan/races.h"
#include "core/worksharing/workshare.h"
#include "host/os.h"

/* Memory of teams is only ever reused: late workers read the door and the eventcount of a team whose region has ended
   (task_team.c). */
struct ghcomp_team *ghcomp_team_new(void)
{
    uint32_t observers = ghcomp_observers_now();
    ghcomp_races_hide(observers);
    struct ghcomp_team *team = ghcomp_pool_reuse_team();
    if (team == NULL) {
        team = ghcomp_alloc_lines(sizeof *team);
    } else {
        uint32_t region = team->region;
        memset(team, 0, offsetof(struct ghcomp_team, door));
        team->region = region;
        ghcomp_store_relaxed(&team->barrier.arrived, 0u);
        ghcomp_store_relaxed(&team->barrier.singles, 0u);
        ghcomp_store_relaxed(&team->unfinished, 0u);
    }
    team->generation = ghcomp_process_generation;
    team->size = 1;
    team->task_room = ghcomp_task_room_of(1);
    team->capacity = 1;
    team->members = ghcomp_alloc(sizeof *team->members);
    team->members[0] = &team->master;
    team->master.credits = ghcomp_tool_no_credits;
    ghcomp_workshare_team_init(team);
    ghcomp_races_show(observers);
    return team;
}

static void free_team(struct ghcomp_team *team)
{
    uint32_t observers = ghcomp_observers_now();
    ghcomp_races_hide(observers);
    ghcomp_workshare_team_free(team);
    ghcomp_seats_free(team); /* before the queue: until here an agent may look into the queue (left.c) */
    ghcomp_task_queue_free(&team->queue);
    ghcomp_task_free_deque(&team->master);
    free(team->members);
    free(team->wake);
    free(team->tool);
    free(team->master.implicit.tool);
    ghcomp_combining_tree_free(team->tree);
    ghcomp_pool_keep_team(team);
    ghcomp_races_show(observers);
}

/* Puts the workers of slots [first, size) back into the pool. */
static void drop_workers(struct ghcomp_team *team, uint32_t first)
{
    uint32_t count = team->size - first;
    if (count == 0)
        return;
    struct ghcomp_thread **workers = team->wake; /* large enough, and idle between regions */
    for (uint32_t i = 0; i < count; i++) {
        workers[i] = ghcomp_worker_of(team->members[first + i]);
        /* The worker waits at its mailbox, and its last region happened before this thread's join: so this thread owns
           the worker's teams. */
        ghcomp_team_forget(&workers[i]->self);
        ghcomp_workshare_member_leaves(team, &workers[i]->self);
    }
    ghcomp_pool_give(workers, count);
    team->size = first;
    team->task_room = ghcomp_task_room_of(first);
}

static void forget_team(struct ghcomp_team *team)
{
    if (team == NULL)
        return;
    /* After a fork() the workers are gone, and the team's memory may be in any state: leave it alone. */
    if (team->generation != ghcomp_process_generation)
        return;
    bool offered = ghcomp_lend_retire(team);
    drop_workers(team, 1);
    ghcomp_team_forget(&team->master);
    ghcomp_lend_retired(offered);
    free_team(team);
}

uint32_t ghcomp_team_dismiss(struct ghcomp_team *team)
{
    uint32_t count = team->size - 1;
    drop_workers(team, 1);
    ghcomp_team_forget(&team->master);
    return count;
}

void ghcomp_team_forget(struct ghcomp_member *member)
{
    forget_team(member->hot);
    forget_team(member->hot_serial);
    member->hot = member->hot_serial = NULL;
}

static void reserve_slots(struct ghcomp_team *team, uint32_t size)
{
    if (size <= team->capacity)
        return;
    uint32_t capacity = team->capacity * 2 > size ? team->capacity * 2 : size;
    struct ghcomp_member **members = ghcomp_alloc(capacity * sizeof *members);
    memcpy(members, team->members, team->size * sizeof *members);
    free(team->members);
    team->members = members;
    free(team->wake);
    team->wake = ghcomp_alloc(capacity * sizeof *team->wake);
    team->capacity = capacity;
}

static bool forget_kept(struct ghcomp_member *member)
{
    bool any = member->hot != NULL || member->hot_serial != NULL;
    ghcomp_team_forget(member);
    return any;
}

/* Gives up the inner teams of all members: between two regions of the team the master owns its workers' teams
   (drop_workers) and, as the encountering thread, its own. Returns whether there was one. */
static __attribute__((cold, noinline)) bool forget_inner_teams(struct ghcomp_team *team)
{
    struct ghcomp_team *serial = ghcomp_self()->hot_serial;
    bool any = forget_kept(&team->master);
    for (uint32_t i = 1; i < team->size; i++)
        any |= forget_kept(&ghcomp_worker_of(team->members[i])->self);
    if (serial != NULL && serial->generation == ghcomp_process_generation) {
        ghcomp_lend_reclaim(serial);
        any |= forget_kept(&serial->master);
    }
    return any;
}

static uint32_t take_workers(struct ghcomp_team *team, struct ghcomp_thread **workers, uint32_t wanted,
                             enum ghcomp_shortage shortage, int *error)
{
    /* Regions of C must have all their threads: they take those of inner teams before they wait for other threads to
       end. */
    bool at_once = shortage == GHCOMP_SHORTAGE_ENDS || shortage == GHCOMP_SHORTAGE_SHRINKS;
    uint32_t got = at_once ? ghcomp_pool_take_at_once(workers, wanted, error)
                           : ghcomp_shortage_take(workers, wanted, shortage, error);
    if (ghcomp_likely(got == wanted))
        return got;
    if (!forget_inner_teams(team) && !at_once)
        return got;
    if (shortage == GHCOMP_SHORTAGE_FAILS) /* ghcomp_shortage_take has put the workers back into the pool */
        got = 0;
    return got + ghcomp_shortage_take(workers + got, wanted - got, shortage, error);
}

bool ghcomp_team_resize(struct ghcomp_team *team, uint32_t size, enum ghcomp_shortage shortage)
{
    if (size < team->size) {
        drop_workers(team, size);
        return true;
    }
    reserve_slots(team, size);
    uint32_t wanted = size - team->size;
    struct ghcomp_thread **workers = team->wake; /* as in drop_workers */
    int error;
    uint32_t got = take_workers(team, workers, wanted, shortage, &error);
    if (got < wanted && !ghcomp_shortage_goes_on(shortage, size, team->size + got, error))
        return false;
    for (uint32_t i = 0; i < got; i++)
        team->members[team->size + i] = &workers[i]->self;
    ghcomp_affinity_inherit(workers, got);
    team->size += got;
    team->task_room = ghcomp_task_room_of(team->size);
    for (uint32_t i = 0; team->task_room.any > GHCOMP_TASK_ROOM_LEAST && i < team->size; i++)
        ghcomp_task_fit_deque(team->members[i], team->task_room.any);
    return true;
}

/* --- initial teams and fork() ------------------------------------------------------------------------------------- */

struct ghcomp_team *ghcomp_team_new_initial(struct ghcomp_thread *thread, struct ghcomp_member *member,
                                            struct ghcomp_group *group)
{
    struct ghcomp_team *team = ghcomp_team_new();
    team->icv = &ghcomp_global.initial;
    team->group = group;
    team->league_size = 1;
    team->members[0] = member;
    member->thread = thread;
    member->team = team;
    member->task = &member->implicit;
    member->implicit.icv = team->icv;
    member->implicit.executor = member;
    member->share = team->root;
    member->credits = ghcomp_tool_no_credits;
    return team;
}

void ghcomp_team_free_initial(struct ghcomp_team *team)
{
    free_team(team);
}

/* As in libomp, whose child is a new initial thread: its team has no other member, and is at level 0. */
static void be_alone(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    ghcomp_task_team_fork_child(team);
    team->size = 1;
    team->task_room = ghcomp_task_room_of(1);
    team->level = team->active_level = 0;
    team->by_flags = GHCOMP_FLAGS_NONE;
    team->by_tree = false;
    team->members[0] = self;
    self->tid = 0;
}

void ghcomp_team_fork_child(struct ghcomp_member *self, bool alone)
{
    struct ghcomp_initial_region *initial = self->thread->initial.innermost;
    struct ghcomp_member *innermost = self;
    ghcomp_task_fork_child(self);
    for (;;) {
        for (; self->team->parent != NULL; self = self->team->parent)
            if (self->tid == 0) {
                ghcomp_store_relaxed(&self->team->unfinished, 0u);
                for (uint32_t i = 1; self->team->by_flags && i < self->team->size; i++)
                    ghcomp_store_relaxed(&ghcomp_worker_of(self->team->members[i])->mail.finished_region,
                                         self->team->region);
                self->team->account = (struct ghcomp_account){0, 0, false, false};
                if (self->team->size > 1)
                    ghcomp_task_team_fork_child(self->team);
            }
        if (initial == NULL)
            break;
        self = initial->encountering;
        initial = initial->next;
    }
    if (alone && innermost->team->size > 1)
        be_alone(innermost);
}
