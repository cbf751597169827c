/* Initial regions inside the program's code: target regions (target.c), and the teams of a league (league.c).
 *
 * The calling thread runs the region itself, as if it were a new initial thread: with an initial team (level 0), an
 * initial task and a contention group of its own. Its former state is unchanged afterwards. Initial regions nest, by
 * way of parallel regions or tasks inside them, so a thread has a stack of those that it is in
 * (thread->initial.innermost). It keeps the structs of those that it has left: only the first region of each depth
 * costs an allocation. An initial team needs no clean-up between two regions, as an initial thread's needs none between
 * constructs; the region's tasks are complete when it ends.
 *
 * The region borrows the hot teams of the encountering member, which has no region running on them: a parallel region
 * inside gets the same workers as one outside would, and a target region in a loop, or a league, does not move workers
 * between teams.
 *
 * Called by target.c, league.c and thread.c. Covered by test/unit/target.c, test/conformance/target and
 * test/clang/leagues*.
 */
#include "core/team/initial_region.h"

#include <stdlib.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/observe/fast_self.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/team/interrupt.h"
#include "core/team/team.h"

static struct ghcomp_initial_region *take(struct ghcomp_thread *thread)
{
    struct ghcomp_initial_region *region = thread->initial.spare;
    if (ghcomp_likely(region != NULL)) {
        thread->initial.spare = region->next;
        return region;
    }
    region = ghcomp_alloc_zeroed(sizeof *region);
    region->team = ghcomp_team_new_initial(thread, &region->self, &region->group);
    return region;
}

struct ghcomp_initial_region *ghcomp_initial_region_prepare(struct ghcomp_member *encountering, bool target)
{
    struct ghcomp_thread *thread = encountering->thread;
    struct ghcomp_initial_region *region = take(thread);
    struct ghcomp_member *self = &region->self;
    struct ghcomp_team *team = region->team;
    struct ghcomp_task *task = &self->implicit;
    region->encountering = encountering;
    region->outer_group = thread->in_group;
    region->next = thread->initial.innermost;
    thread->initial.innermost = region;
    region->target = target;
    region->league_reported = false;

    team->league_num = 0;
    team->league_size = 1;
    team->inside_region = encountering->team->level > 0 || encountering->team->inside_region;
    ghcomp_store_relaxed(&team->cancelled, 0u);
    ghcomp_store_relaxed(&region->group.threads, 1u);
    self->task = task;
    ghcomp_store_relaxed(&self->created, 0u);
    ghcomp_store_relaxed(&self->completed, 0u);
    self->chunk_begin = self->chunk_end = self->chunk_count = self->run_past = 0;
    self->place = encountering->place;
    self->partition_first = 0;
    self->partition_len = ghcomp_affinity.places.count;
    task->icv = team->icv;
    task->id = 0;

    if (ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_interrupt_scopes) != 0))
        self->interrupt = ghcomp_interrupt_of(encountering);

    self->hot = encountering->hot;
    self->hot_serial = encountering->hot_serial;
    encountering->hot = encountering->hot_serial = NULL;
    thread->in_group = &region->group;
    return region;
}

void ghcomp_initial_region_enter(struct ghcomp_initial_region *region)
{
    ghcomp_self_becomes(&region->self);
}

void ghcomp_initial_region_finish(struct ghcomp_initial_region *region)
{
    if (ghcomp_unlikely(ghcomp_task_team_pending(&region->self)))
        ghcomp_task_team_join(&region->self);
}

void ghcomp_initial_region_leave(struct ghcomp_initial_region *region)
{
    ghcomp_initial_region_finish(region);
    if (ghcomp_unlikely(region->self.implicit.table != NULL))
        ghcomp_depend_forget(&region->self.implicit);
    struct ghcomp_member *encountering = region->encountering;
    struct ghcomp_thread *thread = encountering->thread;
    encountering->hot = region->self.hot;
    encountering->hot_serial = region->self.hot_serial;
    region->self.hot = region->self.hot_serial = NULL;
    region->self.interrupt = NULL;
    thread->in_group = region->outer_group;
    thread->initial.innermost = region->next;
    region->next = thread->initial.spare;
    thread->initial.spare = region;
    ghcomp_self_becomes(encountering);
}

void ghcomp_initial_region_forget(struct ghcomp_thread *thread)
{
    while (thread->initial.spare != NULL) {
        struct ghcomp_initial_region *region = thread->initial.spare;
        thread->initial.spare = region->next;
        ghcomp_task_free_deque(&region->self);
        free(region->self.implicit.tool);
        ghcomp_team_free_initial(region->team);
        free(region);
    }
}
