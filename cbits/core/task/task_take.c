/* Where a member finds its next task: in the team's queue, in its own deque, in the deques of others.
 *
 * The task scheduling constraint (OpenMP 5.2, section 12.9): a thread that has suspended a tied task elsewhere than in
 * a barrier starts only tasks that descend from it. (Untied ones are treated alike: they never leave their thread
 * either.) In its own deque everything above the bottom at the task's start (`mark`) descends from the task: this
 * thread has pushed it while it ran the task or its descendants; a task that the end of another one made ready is a
 * sibling of that one, so this holds for those as well. (What an event makes ready goes to the team's queue, and so
 * does a task of a domain of transparent tasks.) For other deques and the queue the thread walks the task's ancestors.
 * A thief can take only the oldest entry: if that is no descendant the thief skips the deque, which costs parallelism
 * at worst.
 *
 * Ripe tasks. The youngest descendants of a deep and narrow tree are taken by their maker within a microsecond, again
 * and again: its deque never holds more than the children of one node. A thief that takes one of them takes the rest
 * of the tree, too; the maker then waits in its taskwait, where it may take descendants, and steals the next level
 * back; and on the way up each level is handed from thread to thread, and from CPU to CPU, or through the scheduler. So
 * a thief reads how often the owner has emptied its deque. As long as that number changes, the owner runs all tasks
 * that it makes by itself, and they are *unripe*: thieves do not take them. They are ripe when the number has not
 * changed for RIPE_TICKS. Where threads share CPUs the owner may only be waiting for one, because others yield to each
 * other first: then the time is RIPE_TICKS for each thread per CPU, and RIPE_TICKS_MOST at most. A task that stays in
 * the deque gets ripe, for its owner can empty the deque only by taking it. A deque that was emptied for the last time
 * long ago has ripe tasks only, so thieves of large tasks, and of many small ones, do not wait.
 *
 * The order. In a wait of a task a thread runs the task's youngest descendants first: what they need is in its cache,
 * and a tree of tasks needs no more memory than it is deep. In a barrier and at a region's end it runs the oldest of
 * its own first, as it takes the oldest ones of others. So the tasks that one thread makes there start in the order of
 * their creation, and each thread runs those that it gets in that order. Programs by gcc rely on it, because libgomp's
 * only queue has that order. If too many wait, the maker runs the next ones at once, in both runtimes. For tiny tasks
 * that are not from a deep tree, too, the limit is libgomp's, 64 for each member (ghcomp_task_limit). A task that
 * another thread has made ready lies in the team's queue; its entry says which tasks of its maker's deque come before
 * it. Those are taken first, ripe or not (taskdep_complete.c).
 *
 * Transparent tasks (taskdep_domain.c). Their children may wait for tasks outside of them that have not begun, and all
 * threads that could take those may be waiting in transparent tasks themselves. So a thread that waits in one and finds
 * no descendant takes another task of the same domain, but only an *earlier* one (ghcomp_depend_before): neither that
 * task nor its descendants can wait for a task that the thread has begun. This is the one exception to the constraint.
 * (A free agent takes only from the queue, here too.) The thread searches its own overflow list, but no other member's:
 * the owner of a list can take the earliest awaited task in it, since the owner either runs, or waits in a later
 * transparent task.
 *
 * Each search takes cache lines away from their owners. A thief that finds unripe tasks only therefore searches less
 * and less often, and records in `unripe` that its last search, or the one that it skipped, does not prove that there
 * is no task: it must not sleep unless another member has the watch (task_team.c).
 *
 * Called by task.c, task_wait.c, task_run.c, barrier.c, task_team.c, reduction_tree.c and haskell/task.c. Covered by
 * test/unit/{task,task_narrow,ripe}.c and test/conformance/task.
 */
#include "core/cpu/wait.h"
#include "core/sync/task_team.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/task_defer.h"
#include "core/task/task_overflow.h"
#include "core/task/taskdep.h"
#include "core/trace/trace.h"

enum { SMALL_TICKS = GHCOMP_TICKS_PER_US / 6, REST_TICKS = GHCOMP_TICKS_PER_US };
enum { RIPE_TICKS = 3 * GHCOMP_TICKS_PER_US, RIPE_TICKS_MOST = 50 * GHCOMP_TICKS_PER_US };
enum { LOOK_LEAST = GHCOMP_TICKS_PER_US, LOOK_MOST = 32 * GHCOMP_TICKS_PER_US };

/* Moving a task to another core takes some hundred nanoseconds, of its producer's time too. A thief whose last task was
   not worth that pauses for a moment: a producer of small tasks then fills its deque and runs the rest itself. The
   task's own data come from the other core as well, after the steal, and take about twice its time: so the task's time
   begins that much later (moved). */
static void rest(struct ghcomp_member *self)
{
    uint64_t begin = ghcomp_cpu_ticks();
    bool small = (int64_t)(begin - self->stole) < SMALL_TICKS;
    self->stole = 0;
    if (!small)
        return;
    if (ghcomp_cpu_load_oversubscribed()) {
        ghcomp_os_yield();
        return;
    }
    while (ghcomp_cpu_ticks() - begin < REST_TICKS)
        ghcomp_cpu_pause();
}

/* When the time of the task that has just been stolen begins, for rest(). `before`: when the search began. */
static uint64_t moved(uint64_t before)
{
    uint64_t now = ghcomp_cpu_ticks();
    return now + 2 * (now - before);
}

/* Whether tasks are ripe that their owner, a member of the team, has not taken for `age` ticks. Where threads share
   CPUs all members count: those that sleep now may be awake when the owner has no CPU. */
static bool is_ripe_at(const struct ghcomp_team *team, int64_t age)
{
    uint32_t threads = ghcomp_cpu_load_threads();
    if (age < RIPE_TICKS || age >= RIPE_TICKS_MOST || threads <= ghcomp_cpu_load.cpus)
        return age >= RIPE_TICKS;
    threads = team->size > threads ? team->size : threads;
    return (uint64_t)age * ghcomp_cpu_load.cpus >= (uint64_t)RIPE_TICKS * threads;
}

/* Whether thieves may take tasks from the deque; *now is the time, or 0. Concurrent thieves may overwrite each other's
   values here: then one of them steals too early, or too late. */
static bool ripe(const struct ghcomp_team *team, struct ghcomp_deque *deque, uint64_t *now)
{
    uint32_t emptied = ghcomp_load_relaxed(&deque->emptied);
    if (*now == 0)
        *now = ghcomp_cpu_ticks();
    if (ghcomp_load_relaxed(&deque->seen_emptied) != emptied) {
        ghcomp_store_relaxed(&deque->seen_since, *now);
        ghcomp_store_relaxed(&deque->seen_emptied, emptied);
        return false;
    }
    return is_ripe_at(team, (int64_t)(*now - ghcomp_load_relaxed(&deque->seen_since)));
}

/* Whether it is too early for the next search, after one that found unripe tasks only. */
static bool too_early(struct ghcomp_member *self, uint64_t *now)
{
    if (self->look_at == 0)
        return false;
    *now = ghcomp_cpu_ticks();
    self->unripe = (int64_t)(*now - self->look_at) < 0;
    return self->unripe;
}

/* Ends a search of all deques. */
static void looked(struct ghcomp_member *self, bool unripe, uint64_t now)
{
    uint32_t pause = 2 * self->look_pause;
    pause = pause < LOOK_LEAST ? LOOK_LEAST : pause > LOOK_MOST ? LOOK_MOST : pause;
    self->unripe = unripe;
    self->look_pause = unripe ? pause : 0;
    self->look_at = unripe ? now + pause : 0;
}

/* The member has taken the task from its own deque. */
static inline struct ghcomp_task *own(struct ghcomp_member *self, struct ghcomp_deque *deque, struct ghcomp_task *task)
{
    if (ghcomp_unlikely(++deque->runs % GHCOMP_TASK_GAUGED == 0))
        ghcomp_task_gauge(deque);
    /* Taking it was a fence: if a member went to sleep without seeing the remaining tasks, its waiters bit is visible
       now. */
    if (!ghcomp_deque_seems_empty(deque))
        ghcomp_task_team_wake(self->team);
    return task;
}

static struct ghcomp_task *count_steal(struct ghcomp_member *self, struct ghcomp_task *task)
{
    ghcomp_count_in(&self->thread->counts, GHCOMP_COUNT_STEALS, 1);
    ghcomp_trace_moment(ghcomp_observers_now(), GHCOMP_TRACE_STEAL, 1);
    return task;
}

/* The first task of the queue, or one of those in a deque that come before it, ripe or not. */
static struct ghcomp_task *take_first(struct ghcomp_member *self)
{
    struct ghcomp_task *task;
    struct ghcomp_deque *deque;
    uint32_t end;
    while ((task = ghcomp_task_queue_get_first(self->team, &deque, &end)) == NULL && deque != NULL) {
        bool mine = deque == ghcomp_load_relaxed(&self->deque);
        task = ghcomp_deque_take_below(deque, end, mine);
        if (task != NULL)
            return mine ? own(self, deque, task) : count_steal(self, task);
    }
    return task;
}

static struct ghcomp_task *steal(struct ghcomp_member *self, struct ghcomp_task *ancestor)
{
    struct ghcomp_team *team = self->team;
    uint32_t size = team->size;
    uint32_t victim = self->steal_cursor;
    uint64_t now = 0;
    bool unripe = false, forbidden = false;
    if (ghcomp_unlikely(ghcomp_agent(self))) {
        ghcomp_task_team_search_end(self); /* it was woken for a task of other threads */
        return NULL;
    }
    if (self->stole != 0)
        rest(self);
    if (too_early(self, &now))
        return NULL;
    for (uint32_t tries = 0; tries < size; tries++, victim++) {
        if (victim >= size)
            victim = 0;
        struct ghcomp_member *member = team->members[victim];
        struct ghcomp_deque *deque;
        if (member == self || (deque = ghcomp_load_acquire(&member->deque)) == NULL || ghcomp_deque_seems_empty(deque))
            continue;
        if (!ripe(team, deque, &now)) {
            unripe = true;
            continue;
        }
        uint32_t ticket;
        struct ghcomp_task *task, *first;
        /* After a lost race it tries again: the next entry may be there, and this member about to sleep. */
        do {
            task = ghcomp_deque_peek(deque, &ticket);
            if (task != NULL && ancestor == NULL && ghcomp_task_queue_used(team) && (first = take_first(self)) != NULL)
                return first; /* it may have been ready before (taskdep_complete.c) */
            if (task != NULL && ancestor != NULL && !ghcomp_task_descends(task, ancestor)) {
                forbidden = true;
                task = NULL;
            }
        } while (task != NULL && !ghcomp_deque_steal(deque, ticket));
        if (task == NULL)
            continue;
        looked(self, false, now);
        self->steal_cursor = victim;
        self->stole = moved(now);
        return count_steal(self, task);
    }
    looked(self, unripe, now);
    if (forbidden)
        ghcomp_task_team_search_end(self); /* the task that it was woken for may be one for other members */
    return NULL;
}

/* Ends a search outside the member's own deque: a member that has found a task wakes the next sleeper, if there are
   more tasks. */
static inline struct ghcomp_task *taken(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_team *team = self->team;
    if (task == NULL)
        return NULL;
    if (ghcomp_unlikely(self->searching))
        ghcomp_task_team_search_end(self);
    else if (ghcomp_unlikely(ghcomp_load_relaxed(&team->barrier.eventcount) & 1u) && ghcomp_task_team_more(team))
        ghcomp_task_team_wake(team);
    return task;
}

/* A search that found nothing is not repeated before the queue has a new entry: otherwise a thread that waits beside a
   long queue of unrelated tasks would hold its lock most of the time. (`searched_for` may be the address of a new task
   by now. That is safe: its descendants are new entries.) */
static struct ghcomp_task *take_queued_descendant(struct ghcomp_member *self, struct ghcomp_task *ancestor)
{
    struct ghcomp_team *team = self->team;
    uint32_t next = ghcomp_load_relaxed(&team->queue.sequence);
    if (!ghcomp_task_queue_has_descendants(team, ancestor) ||
        (self->searched_for == ancestor && self->searched_at == next))
        return NULL;
    struct ghcomp_task *task = ghcomp_task_queue_get(team, ancestor);
    if (task == NULL) {
        self->searched_for = ancestor;
        self->searched_at = next;
    }
    return task;
}

/* A free agent takes only tasks that agents may run (agents.c). */
static __attribute__((noinline)) struct ghcomp_task *
take_queued(struct ghcomp_member *self, struct ghcomp_deque *deque, struct ghcomp_task *ancestor)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_task *task;
    if (ghcomp_unlikely(ghcomp_agent(self)))
        task = ghcomp_task_queue_get_pool(team, ancestor);
    else if (ancestor != NULL)
        task = take_queued_descendant(self, ancestor);
    else if (ghcomp_task_queue_length(team) != 0 || (deque != NULL && !ghcomp_deque_seems_empty(deque)))
        return take_first(self);
    else
        return NULL;
    if (task == NULL)
        ghcomp_task_team_search_end(self); /* it was woken for one that other threads run */
    return task;
}

static inline struct ghcomp_task *take(struct ghcomp_member *self, struct ghcomp_task *ancestor)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_task *task;
    struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
    if (ghcomp_unlikely(ghcomp_task_queue_used(team)) && (task = take_queued(self, deque, ancestor)) != NULL)
        return taken(self, task);
    if (deque != NULL) {
        /* Everything in the deque of a member that runs its implicit task descends from that task. */
        uint32_t mark = ancestor != NULL && ancestor->home != NULL ? ancestor->mark : ghcomp_load_relaxed(&deque->top);
        task = ancestor != NULL ? ghcomp_deque_pop(deque, mark) : ghcomp_deque_take_oldest(deque);
        if (task != NULL)
            return own(self, deque, task);
    }
    if (ghcomp_unlikely(self->overflow != NULL)) {
        const struct ghcomp_task *since = ancestor != NULL && ancestor->home != NULL ? ancestor : NULL;
        if ((task = ghcomp_task_overflow_take(self, since)) != NULL)
            return task;
    }
    return team->size == 1 ? NULL : taken(self, steal(self, ancestor));
}

struct ghcomp_task *ghcomp_task_take_any(struct ghcomp_member *self)
{
    return take(self, NULL);
}

struct ghcomp_task *ghcomp_task_take_descendant(struct ghcomp_member *self)
{
    return take(self, self->task);
}

/* The oldest entry of the deque that comes before the current task. Those that are older go to the team's queue, which
   can be searched. */
static struct ghcomp_task *take_earlier(struct ghcomp_member *self, struct ghcomp_deque *deque)
{
    uint32_t ticket;
    struct ghcomp_task *task;
    while ((task = ghcomp_deque_peek(deque, &ticket)) != NULL) {
        if (!ghcomp_deque_steal(deque, ticket))
            continue;
        if (ghcomp_depend_before(task, self->task))
            return task;
        ghcomp_task_queue_put(self->team, task);
        ghcomp_task_team_wake(self->team);
    }
    return NULL;
}

struct ghcomp_task *ghcomp_task_take_before(struct ghcomp_member *self)
{
    struct ghcomp_team *team = self->team;
    struct ghcomp_task *task;
    bool agent = ghcomp_agent(self);
    if (ghcomp_task_queue_used(team) &&
        (task = ghcomp_task_queue_get_before(team, self->task, agent)) != NULL)
        return taken(self, task);
    if (agent)
        return NULL; /* deques have tasks of the team's threads */
    for (uint32_t i = 0; i < team->size; i++) {
        struct ghcomp_deque *deque = ghcomp_load_acquire(&team->members[(self->tid + i) % team->size]->deque);
        if (deque != NULL && (task = take_earlier(self, deque)) != NULL)
            return taken(self, task);
    }
    return ghcomp_task_overflow_before(self);
}
