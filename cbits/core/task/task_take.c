/* Where a member finds its next task: in the team's queue, in its own deque, in the deques of others.
 *
 * The task scheduling constraint (OpenMP 5.2, section 12.9): a thread that has suspended a tied task elsewhere than in
 * a barrier starts only tasks that descend from it. (Untied ones are treated alike: they never leave their thread
 * either.) In its own deque everything above the bottom at the task's start (`mark`) descends from the task: this
 * thread has pushed it while it ran the task or its descendants; a task that the end of another one made ready is a
 * sibling of that one, so this holds for those as well. In other deques and in the queue the ancestors are looked up. A
 * thief can take only the oldest entry: if that is no descendant the thief leaves the deque alone, which costs
 * parallelism at worst.
 *
 * Called by task.c, barrier.c and task_team.c. Covered by test/unit/task.c and test/conformance/task.
 */
#include "core/cpu/wait.h"
#include "core/sync/task_team.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/task_overflow.h"
#include "core/trace/trace.h"

enum { SMALL_TICKS = 2 * GHCOMP_TICKS_PER_US / 3, REST_TICKS = GHCOMP_TICKS_PER_US };
enum { TINY_TICKS = GHCOMP_TICKS_PER_US / 5, LEAST = 2, PER_MEMBER = 1 };

/* A task that goes through a deque costs three times as much as one that its producer runs at once. That matters for
   tasks of less than a fifth of a microsecond, and a few of them, the oldest, are enough for thieves. Longer tasks
   may fill the deque, since its owner may be busy with one of them when others want some. */
void ghcomp_task_gauge(struct ghcomp_member *self, struct ghcomp_deque *deque)
{
    uint64_t now = ghcomp_cpu_ticks();
    bool tiny = now - deque->gauged < GHCOMP_TASK_GAUGED * TINY_TICKS;
    uint32_t least = LEAST + PER_MEMBER * self->team->size;
    deque->gauged = now;
    deque->limit = tiny && least < GHCOMP_DEQUE_SLOTS ? least : GHCOMP_DEQUE_SLOTS;
}

/* Moving a task to another core takes some hundred nanoseconds, of its producer's time too. A thief whose last task was
   not worth that pauses for a moment: a producer of small tasks then fills its deque and runs the rest itself. */
static void rest(struct ghcomp_member *self)
{
    uint64_t begin = ghcomp_cpu_ticks();
    bool small = begin - self->stole < SMALL_TICKS;
    self->stole = 0;
    if (!small)
        return;
    if (ghcomp_wait_oversubscribed()) {
        ghcomp_os_yield();
        return;
    }
    while (ghcomp_cpu_ticks() - begin < REST_TICKS)
        ghcomp_cpu_pause();
}

static struct ghcomp_task *steal(struct ghcomp_member *self, struct ghcomp_task *ancestor)
{
    struct ghcomp_team *team = self->team;
    uint32_t size = team->size;
    uint32_t victim = self->steal_cursor;
    if (self->stole != 0)
        rest(self);
    for (uint32_t tries = 0; tries < size; tries++, victim++) {
        if (victim >= size)
            victim = 0;
        struct ghcomp_member *member = team->members[victim];
        struct ghcomp_deque *deque;
        if (member == self || (deque = ghcomp_load_acquire(&member->deque)) == NULL || ghcomp_deque_seems_empty(deque))
            continue;
        uint32_t ticket;
        struct ghcomp_task *task;
        /* After a lost race it tries again: the next entry may be there, and this member about to sleep. */
        do {
            task = ghcomp_deque_peek(deque, &ticket);
            if (task != NULL && ancestor != NULL && !ghcomp_task_descends(task, ancestor))
                task = NULL;
        } while (task != NULL && !ghcomp_deque_steal(deque, ticket));
        if (task == NULL)
            continue;
        self->steal_cursor = victim;
        self->stole = ghcomp_cpu_ticks();
        ghcomp_count_in(&self->thread->counts, GHCOMP_COUNT_STEALS, 1);
        ghcomp_trace_moment(GHCOMP_TRACE_STEAL, 1);
        return task;
    }
    return NULL;
}

/* Whether there are more ready tasks in the team than the one that was just taken. */
static bool more(struct ghcomp_team *team)
{
    if (ghcomp_load_relaxed(&team->queue.count) != 0)
        return true;
    for (uint32_t i = 0; i < team->size; i++) {
        struct ghcomp_deque *deque = ghcomp_load_acquire(&team->members[i]->deque);
        if (deque != NULL && !ghcomp_deque_seems_empty(deque))
            return true;
    }
    return false;
}

/* The member has taken a task, not from its own deque: passes the wake-up on if a member sleeps and there are more
   tasks. */
static inline struct ghcomp_task *taken(struct ghcomp_team *team, struct ghcomp_task *task)
{
    if (ghcomp_unlikely(ghcomp_load_relaxed(&team->barrier.eventcount) & 1u) && task != NULL && more(team))
        ghcomp_task_team_wake(team);
    return task;
}

static inline struct ghcomp_task *take(struct ghcomp_member *self, struct ghcomp_task *ancestor)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_task *task;
    if (ghcomp_unlikely(ghcomp_load_relaxed(&team->queue.count) != 0) &&
        (task = ghcomp_task_queue_get(team, ancestor)) != NULL)
        return taken(team, task);
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    if (deque != NULL) {
        /* Everything in the deque of a member that runs its implicit task descends from that task. */
        uint32_t mark = ancestor != NULL && ancestor->home != NULL ? ancestor->mark : ghcomp_load_relaxed(&deque->top);
        if ((task = ghcomp_deque_pop(deque, mark)) != NULL) {
            if (ghcomp_unlikely(++deque->runs % GHCOMP_TASK_GAUGED == 0))
                ghcomp_task_gauge(self, deque);
            /* The pop was a fence: a member that went to sleep without seeing what is left here is seen now. */
            if (!ghcomp_deque_seems_empty(deque))
                ghcomp_task_team_wake(team);
            return task;
        }
    }
    if (ghcomp_unlikely(self->overflow_count != 0)) {
        uint32_t mark = ancestor != NULL && ancestor->home != NULL ? ancestor->overflow_mark : 0;
        if ((task = ghcomp_task_overflow_take(self, mark)) != NULL)
            return task;
    }
    return team->size == 1 ? NULL : taken(team, steal(self, ancestor));
}

struct ghcomp_task *ghcomp_task_take_any(struct ghcomp_member *self)
{
    return take(self, NULL);
}

struct ghcomp_task *ghcomp_task_take_descendant(struct ghcomp_member *self)
{
    return take(self, self->task);
}
