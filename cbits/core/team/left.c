/* The list of teams with left tasks: where agents that become free look for work in other teams than their own
 * (agents.c).
 *
 * A thread that puts a task with threadset(omp_pool) into its team's queue, and cannot call an agent, lists the team.
 * An agent that has counted itself out looks at the list. All of it is under one lock, `lock`; the queue's lock may be
 * taken inside. It is taken for teams with such tasks only.
 *
 *   unlisted -> listed   a member, after it has put a task into the queue; a thread outside the team, when it puts one
 *                        there
 *   listed -> unlisted   an agent that looks, before it looks into the queue; it lists the team again if it has found
 *                        a task there, at the end of the list. The master, when the region's tasks are complete
 *
 * No task is overlooked: a thread that finds its team listed has put its task into the queue before. If an agent
 * unlists the team and finds no task, then the task has been taken, or the agent had the queue's lock before the thread
 * put the task there: then the thread sees that the team is not listed. Whether the list is read by an agent, or a new
 * one is called, is decided as for the tasks of the agent's own team: the thread lists the team and then reads `agents`
 * by an add_acqrel; the agent counts itself out by a sub_acqrel and then reads `count`.
 *
 * A team stays while an agent looks at it: its master takes the lock when the tasks of a region are complete in which
 * it has been listed (`ever`), before it changes or gives up anything of the team. An agent that has taken a task keeps
 * the region going until the task has run. Before that it counts its visit as one more task (seats.h), as a member that
 * calls an agent does.
 *
 * `listed` and `ever` are 0 or the process's generation plus 1, so values from before a fork() do not count.
 *
 * Called by agents.c, task_threadset.c, task_team.c, team_struct.c. Covered by test/unit/agents.c and
 * test/explore/agents.c. */
#include "core/team/left.h"

#include "core/sync/lock.h"
#include "core/task/task.h"
#include "core/team/kind.h"

static struct {
    _Atomic uint32_t lock;         /* lock.h */
    _Atomic uint32_t count;        /* lock; atomic(relaxed), ordered by `agents` */
    struct ghcomp_left *first, *last; /* lock */
} left;

static uint32_t now(void)
{
    return ghcomp_process_generation + 1;
}

static struct ghcomp_left *of(const struct ghcomp_team *team)
{
    struct ghcomp_seats *seats = ghcomp_load_acquire(&team->seats);
    return seats != NULL ? &seats->left : NULL;
}

/* lock */
static void append(struct ghcomp_left *team)
{
    team->previous = left.last;
    team->next = NULL;
    *(left.last != NULL ? &left.last->next : &left.first) = team;
    left.last = team;
    ghcomp_store_relaxed(&left.count, ghcomp_load_relaxed(&left.count) + 1);
    ghcomp_store_release(&team->listed, now());
}

/* lock */
static void take_out(struct ghcomp_left *team)
{
    *(team->previous != NULL ? &team->previous->next : &left.first) = team->next;
    *(team->next != NULL ? &team->next->previous : &left.last) = team->previous;
    ghcomp_store_relaxed(&left.count, ghcomp_load_relaxed(&left.count) - 1);
    ghcomp_store_relaxed(&team->listed, 0u);
}

bool ghcomp_left_any(void)
{
    return ghcomp_load_relaxed(&left.count) != 0;
}

bool ghcomp_left_listed(const struct ghcomp_team *team)
{
    const struct ghcomp_left *record = of(team);
    return record != NULL && ghcomp_load_acquire(&record->listed) == now();
}

void ghcomp_left_list(struct ghcomp_member *self, const struct ghcomp_kind *kind)
{
    struct ghcomp_left *record = of(self->team);
    ghcomp_lock_take(&left.lock);
    if (ghcomp_load_relaxed(&record->listed) != now()) {
        record->team = self->team;
        record->kind = kind->number;
        record->limit = self->task->icv->thread_limit;
        record->group = self->thread->in_group;
        record->float_control = ghcomp_float_control();
        ghcomp_store_relaxed(&record->ever, now());
        append(record);
    }
    ghcomp_lock_give(&left.lock);
}

void ghcomp_left_put(struct ghcomp_team *team, struct ghcomp_task *task)
{
    struct ghcomp_left *record = of(team);
    if (record == NULL || ghcomp_load_acquire(&record->ever) != now()) {
        ghcomp_task_queue_put(team, task);
        return;
    }
    ghcomp_lock_take(&left.lock);
    ghcomp_task_queue_put(team, task);
    if (ghcomp_load_relaxed(&record->listed) != now())
        append(record);
    ghcomp_lock_give(&left.lock);
}

/* lock. Takes a left task of the team, and counts the visit. False: the team has none, and is no longer listed. */
static bool enter(struct ghcomp_left_visit *visit)
{
    struct ghcomp_team *team = visit->left->team;
    take_out(visit->left);
    visit->task = ghcomp_task_queue_get_left(team);
    if (visit->task == NULL)
        return false;
    ghcomp_seats_count_visit(visit->seat);
    visit->float_control = visit->left->float_control;
    append(visit->left);
    return true;
}

bool ghcomp_left_take(struct ghcomp_left_visit *visit, bool (*admit)(struct ghcomp_left_visit *),
                      void (*refuse)(struct ghcomp_left_visit *))
{
    bool found = false;
    struct ghcomp_left *next;
    ghcomp_lock_take(&left.lock);
    for (struct ghcomp_left *team = left.first; team != NULL && !found; team = next) {
        next = team->next;
        visit->left = team;
        if (!admit(visit))
            continue;
        found = enter(visit);
        if (!found)
            refuse(visit);
    }
    ghcomp_lock_give(&left.lock);
    return found;
}

void ghcomp_left_forget(struct ghcomp_left *record)
{
    if (ghcomp_load_relaxed(&record->ever) != now())
        return;
    ghcomp_lock_take(&left.lock);
    if (ghcomp_load_relaxed(&record->listed) == now())
        take_out(record);
    ghcomp_store_relaxed(&record->ever, 0u);
    ghcomp_lock_give(&left.lock);
}

void ghcomp_left_fork_child(void)
{
    ghcomp_store_relaxed(&left.lock, 0u);
    ghcomp_store_relaxed(&left.count, 0u);
    left.first = left.last = NULL;
}
