/* Recording a graph of tasks: what the recording task does, in its order. Types and words in task_graph.h.
 *
 * The hooks lie on the observed paths of the constructs (core/observe/fast_self.h): GHCOMP_OBSERVE_GRAPH is set while
 * any task of the process records, and the recording thread's ghcomp_self_fast is NULL. So a program that records
 * nothing pays nothing. A task that is recorded has GHCOMP_TASK_LOGGED, by which its submission takes the observed
 * path, too. The hooks of one task follow each other on one thread: new, moves, depends, submitted. The data is copied
 * in the last one: by then the compiled code has filled it in, and the task has not started.
 *
 * A task that a replay cannot repeat is a reason to refuse the graph, which then has no nodes. The recording itself is
 * not disturbed, and a program that finds that nothing can be replayed runs its code again.
 *
 * Called by task.c, task_wait.c, taskgroup.c, taskloop.c, thread.c, abi/{gomp,kmp}, abi/ghcomp/ghcomp_graph.c. Covered
 * by test/unit/task_graph.c and test/conformance/graph.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/observe/fast_self.h"
#include "core/task/task.h"
#include "core/task/task_graph.h"
#include "core/task/taskdep.h"
#include "core/task/taskgroup.h"
#include "core/sync/lock.h"

enum { MOST_RECORDS = 1 << 28 };

/* How many tasks of the process record; the bit of the observers is there while there is one. */
static struct {
    _Atomic uint32_t lock;
    uint32_t count; /* lock */
} recorders;

static void count_recorders(uint32_t change)
{
    ghcomp_lock_take(&recorders.lock);
    recorders.count += change;
    if (recorders.count == 0)
        ghcomp_observers_remove(GHCOMP_OBSERVE_GRAPH);
    else if (recorders.count == 1)
        ghcomp_observers_add(GHCOMP_OBSERVE_GRAPH);
    ghcomp_lock_give(&recorders.lock);
}

/* Other threads' recordings are lost, and one of them may have had the lock. */
void ghcomp_graph_fork_child(const struct ghcomp_thread *thread)
{
    const struct ghcomp_graph *graph = thread != NULL ? thread->recording : NULL;
    recorders.count = 0;
    for (; graph != NULL; graph = graph->outer)
        recorders.count++;
    ghcomp_store_relaxed(&recorders.lock, 0u);
    if (recorders.count == 0)
        ghcomp_observers_remove(GHCOMP_OBSERVE_GRAPH);
    else
        ghcomp_observers_add(GHCOMP_OBSERVE_GRAPH);
}

void ghcomp_graph_record_begin(struct ghcomp_member *self, struct ghcomp_graph *graph, bool plain)
{
    ghcomp_graph_enter(self, graph, "a recording");
    ghcomp_graph_clear(graph);
    graph->refused = NULL;
    graph->pending = (struct ghcomp_graph_pending){0};
    graph->recorder = self->task;
    graph->plain = plain;
    graph->outer = self->thread->recording;
    self->thread->recording = graph;
    count_recorders(1);
    ghcomp_self_becomes(self);
    if (ghcomp_task_refused(self))
        graph->refused = "the region is cancelled";
}

static void stop(struct ghcomp_member *self, struct ghcomp_graph *graph)
{
    free(graph->pending.depend);
    graph->pending = (struct ghcomp_graph_pending){0};
    graph->recorder = NULL;
    self->thread->recording = graph->outer;
    count_recorders(UINT32_MAX);
    ghcomp_self_becomes(self);
}

bool ghcomp_graph_record_end(struct ghcomp_member *self, struct ghcomp_graph *graph)
{
    if (self->thread->recording != graph || graph->recorder != self->task)
        ghcomp_fatal("graph: the end of a recording by a task that has not begun it; end it in the task that began it, "
                     "the innermost recording first");
    if (self->task->group != ghcomp_load_relaxed(&graph->group))
        ghcomp_fatal("graph: the end of a recording inside of a taskgroup that began in it; end the taskgroup first");
    stop(self, graph);
    if (!ghcomp_graph_join(self, graph) && graph->refused == NULL)
        graph->refused = "tasks were cancelled";
    if (graph->refused == NULL)
        ghcomp_graph_build(graph);
    bool recorded = graph->refused == NULL;
    ghcomp_graph_leave(graph);
    return recorded;
}

void ghcomp_graph_refuse(struct ghcomp_member *self, const char *what)
{
    if (ghcomp_graph_records(self) && self->thread->recording->refused == NULL)
        self->thread->recording->refused = what;
}

static struct ghcomp_graph_record *add(struct ghcomp_graph *graph, enum ghcomp_graph_kind kind)
{
    if (graph->recorded == graph->room) {
        uint32_t room = graph->room == 0 ? 64 : 2 * graph->room;
        if (room > MOST_RECORDS)
            ghcomp_fatal("graph: more than %d tasks; record them in several graphs", MOST_RECORDS / 2);
        struct ghcomp_graph_record *records = ghcomp_alloc(room * sizeof *records);
        if (graph->recorded != 0)
            memcpy(records, graph->records, graph->recorded * sizeof *records);
        free(graph->records);
        graph->records = records;
        graph->room = room;
    }
    struct ghcomp_graph_record *record = &graph->records[graph->recorded++];
    *record = (struct ghcomp_graph_record){.kind = kind};
    return record;
}

/* --- the hooks ---------------------------------------------------------------------------------------------------- */

bool ghcomp_graph_task_new(struct ghcomp_member *self, struct ghcomp_task *task, size_t bytes, size_t align,
                           unsigned flags)
{
    if (!ghcomp_graph_records(self))
        return false;
    struct ghcomp_graph *graph = self->thread->recording;
    free(graph->pending.depend); /* of a task that was dropped */
    graph->pending = (struct ghcomp_graph_pending){.task = task, .bytes = bytes, .align = align, .flags = flags};
    return true;
}

static struct ghcomp_graph_pending *pending(struct ghcomp_member *self, const struct ghcomp_task *task)
{
    if (!ghcomp_graph_records(self) || self->thread->recording->pending.task != task)
        return NULL;
    return &self->thread->recording->pending;
}

void ghcomp_graph_task_moves(struct ghcomp_member *self, struct ghcomp_task *task, ghcomp_graph_move move)
{
    struct ghcomp_graph_pending *made = pending(self, task);
    if (made != NULL)
        made->move = move;
}

void ghcomp_graph_task_depends(struct ghcomp_member *self, struct ghcomp_task *task, void **depend)
{
    struct ghcomp_graph_pending *made = pending(self, task);
    if (made == NULL)
        return;
    free(made->depend);
    made->depend = ghcomp_depend_copy(depend);
}

/* The taskgroups that the recording task has opened since the last record. */
static void add_groups(struct ghcomp_graph *graph, const struct ghcomp_task *recorder)
{
    uint32_t open = 0;
    const struct ghcomp_taskgroup *around = ghcomp_load_relaxed(&graph->group);
    for (const struct ghcomp_taskgroup *group = recorder->group; group != around; group = group->outer) {
        open++;
        if ((group->reductions != NULL || group->combine != NULL) && graph->refused == NULL)
            graph->refused = "a taskgroup has task reductions";
    }
    while (graph->groups < open) {
        add(graph, GHCOMP_GRAPH_GROUP);
        graph->groups++;
    }
}

static const char *reason_against(const struct ghcomp_graph *graph, const struct ghcomp_task *task)
{
    if (task->traits & GHCOMP_TASK_DETACHABLE)
        return "a task has a detach clause";
    if ((task->traits & GHCOMP_TASK_CONSTRUCTED) && !graph->plain)
        return "a task has variables that the program's functions construct or destroy";
    return NULL;
}

/* A copy of the data, in whole units. */
static void *copy_of(const void *data, size_t bytes, size_t align)
{
    if (bytes == 0)
        return NULL;
    size_t unit = align > GHCOMP_GRAPH_UNIT ? align : GHCOMP_GRAPH_UNIT;
    size_t room = (bytes + unit - 1) / unit * unit;
    char *copy = room >= bytes ? aligned_alloc(unit, room) : NULL;
    if (copy == NULL)
        ghcomp_fatal("graph: out of memory for %zu bytes of a task's data", bytes);
    memset(copy + room - unit, 0, unit);
    memcpy(copy, data, bytes);
    return copy;
}

void ghcomp_graph_task_submitted(struct ghcomp_member *self, struct ghcomp_task *task)
{
    struct ghcomp_graph_pending *made = pending(self, task);
    if (made == NULL)
        return;
    struct ghcomp_graph *graph = self->thread->recording;
    const char *reason = reason_against(graph, task);
    if (reason != NULL && graph->refused == NULL)
        graph->refused = reason;
    add_groups(graph, self->task);
    struct ghcomp_graph_record *record = add(graph, GHCOMP_GRAPH_TASK);
    record->undeferred = (task->traits & GHCOMP_TASK_UNDEFERRED) || self->task->final;
    record->in_order = task->traits & GHCOMP_TASK_IN_ORDER;
    record->pool = !record->undeferred && (task->traits & GHCOMP_TASK_THREADSET) && task->mark == GHCOMP_THREADSET_POOL;
    graph->pool |= record->pool;
    record->flags = made->flags & (GHCOMP_TASK_FLAG_FINAL | GHCOMP_TASK_FLAG_FRAMED);
    record->priority = task->priority;
    record->fn = task->fn;
    record->data = copy_of(task->data, made->bytes, made->align);
    record->bytes = made->bytes;
    record->align = made->align;
    record->move = made->move;
    if (made->move != NULL)
        made->move(record->data, task->data, task);
    record->depend = made->depend;
    if (ghcomp_graph_runs_at_once(self, record) && !(task->traits & GHCOMP_TASK_DETACHABLE)) /* no wait for its event */
        ghcomp_task_undefer(task);
    *made = (struct ghcomp_graph_pending){0};
}

void ghcomp_graph_waited(struct ghcomp_member *self)
{
    if (!ghcomp_graph_records(self))
        return;
    add_groups(self->thread->recording, self->task);
    add(self->thread->recording, GHCOMP_GRAPH_WAIT);
}

void ghcomp_graph_group_ends(struct ghcomp_member *self)
{
    if (!ghcomp_graph_records(self))
        return;
    struct ghcomp_graph *graph = self->thread->recording;
    add_groups(graph, self->task);
    if (graph->groups > 0) { /* 0: what ends here is a group around the recording */
        add(graph, GHCOMP_GRAPH_GROUP_END);
        graph->groups--;
    }
}
