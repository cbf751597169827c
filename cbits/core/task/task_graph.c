/* A graph's life, its data, and who may use it. Types and words in task_graph.h.
 *
 * The lock belongs to the task that records or replays, from ghcomp_graph_enter to ghcomp_graph_leave. A task that
 * wants it meanwhile blocks its thread. That is no deadlock: the holder runs all tasks of the graph itself if none
 * helps. (A free agent does so at once: the team's members, who alone run the tasks that it makes without
 * threadset(omp_pool), may all be blocked here.) Only a task that the holder waits for must not block: it is in the
 * holder's taskgroup, which `group` names, and ends the program with a message. `group` is read without the lock. A
 * task that finds a taskgroup of its own in `group` knows that the group's opener has the graph now: an opener stores
 * NULL before it closes its group, and so before the tasks of the struct's next use are made.
 *
 * Called by abi/ghcomp/ghcomp_graph.c and task_graph_*.c. Covered by test/unit/task_graph.c and test/conformance/graph.
 */
#include "core/task/task_graph.h"

#include <stdlib.h>

#include "base/check.h"
#include "core/sync/lock.h"
#include "core/task/task.h"
#include "core/task/taskgroup.h"

struct ghcomp_graph *ghcomp_graph_create(void)
{
    struct ghcomp_graph *graph = ghcomp_alloc_zeroed(sizeof *graph);
    graph->refused = "nothing has been recorded";
    return graph;
}

void ghcomp_graph_clear(struct ghcomp_graph *graph)
{
    for (uint32_t i = 0; i < graph->recorded; i++) {
        free(graph->records[i].data);
        free(graph->records[i].depend);
    }
    free(graph->records);
    free(graph->nodes);
    free(graph->edges);
    graph->records = NULL;
    graph->nodes = NULL;
    graph->edges = NULL;
    graph->recorded = graph->room = graph->count = graph->tasks = graph->groups = 0;
    graph->pool = false;
    graph->refused = "nothing has been recorded";
}

void ghcomp_graph_destroy(struct ghcomp_graph *graph)
{
    if (graph == NULL)
        return;
    if (!ghcomp_lock_try(&graph->lock))
        ghcomp_fatal("graph: it is destroyed while it is recorded or replayed; destroy it after that");
    ghcomp_races_acquire(ghcomp_observers_now(), &graph->lock);
    ghcomp_graph_clear(graph);
    free(graph);
}

static bool belongs_to(const struct ghcomp_task *task, const struct ghcomp_taskgroup *group)
{
    const struct ghcomp_taskgroup *around = group == NULL ? NULL : task->group;
    while (around != NULL && around != group)
        around = around->outer;
    return around != NULL;
}

void ghcomp_graph_enter(struct ghcomp_member *self, struct ghcomp_graph *graph, const char *what)
{
    if (belongs_to(self->task, ghcomp_load_relaxed(&graph->group)))
        ghcomp_fatal("graph: %s of a graph within its own recording or replay; use another graph there", what);
    ghcomp_user_lock_take(&graph->lock);
    ghcomp_store_relaxed(&graph->group, ghcomp_taskgroup_start(self));
}

bool ghcomp_graph_join(struct ghcomp_member *self, struct ghcomp_graph *graph)
{
    struct ghcomp_taskgroup *group = ghcomp_load_relaxed(&graph->group);
    ghcomp_pending_wait(self, &group->due, &group->reported);
    bool cancelled = ghcomp_task_refused(self);
    ghcomp_store_relaxed(&graph->group, NULL); /* before the group is another task's */
    ghcomp_taskgroup_end(self);
    return !cancelled;
}

void ghcomp_graph_leave(struct ghcomp_graph *graph)
{
    ghcomp_user_lock_give(&graph->lock);
}

struct ghcomp_graph_record *ghcomp_graph_nth(struct ghcomp_graph *graph, size_t n)
{
    for (uint32_t i = 0; i < graph->recorded; i++)
        if (graph->records[i].kind == GHCOMP_GRAPH_TASK && n-- == 0)
            return &graph->records[i];
    return NULL;
}
