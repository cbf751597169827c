/* The replay of a recorded graph of tasks.
 *
 * A thread that *walks* has a list of ready nodes, which no other thread touches. It runs the youngest, and then
 * arrives at the node's successors, which are ready when all of their predecessors have arrived:
 *
 *   waits   Predecessors that have not arrived yet. Each subtracts one after its code has run (sub_acqrel, 1); the one
 *           that makes it zero has the node, and has seen the ends of all predecessors. One that reads 1 is the last
 *           (load_acquire, pairs with 1) and need not subtract. The thread that has the node stores the number of
 *           predecessors again before it runs it (store_relaxed): no other thread reads it before the node
 *           has arrived at its successors, and in the next replay all is ordered by the end of this one.
 *
 * Sharing. The task that replays walks from the roots. While a thread runs a node, the rest of its list lies in its
 * deque, as one task that walks from those nodes (as taskloop.c does with the rest of a loop), so every ready node is
 * there for a thread that has nothing to do. Afterwards the thread takes the rest back, if no thief was faster. A walk
 * puts the second half of the nodes that it begins with into the deque first, where it stays until it is stolen or its
 * turn comes: so the work is spread in a number of steals that grows with the logarithm of the team's size. All walks
 * are in the taskgroup of the replay, whose end is the join.
 *
 * A node runs on the thread that has it as an undeferred task of the walk, with a copy of the recorded data on the
 * stack: code may change its firstprivate variables. If the replay is cancelled, walks pass over the nodes' code, so
 * all counters are as before.
 *
 * With an observer (a tool, ThreadSanitizer, a log) the replay *makes the recorded tasks again*, with their
 * dependences: then it has the events and the order of the recording. So it does where free agents may run some of
 * them: a walk is for the team's members. A free agent that replays walks alone.
 *
 * Called by abi/ghcomp/ghcomp_graph.c. Covered by test/unit/task_graph.c, test/conformance/graph and
 * test/clang/graph_tasks.c. Explored (test/explore/task_graph.c): each node runs once in each replay, after its
 * predecessors, in all schedules under TSO.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/cpu/yield_to_haskell.h"
#include "core/sync/task_team.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/task_graph.h"
#include "core/task/task_graph_waits.h"
#include "core/task/task_now.h"
#include "core/task/taskgroup.h"

enum { ON_STACK = 512 };

/* --- one node ----------------------------------------------------------------------------------------------------- */

static inline void copy_units(char *to, const char *from, uint32_t units)
{
    for (uint32_t i = 0; i < units; i++, to += GHCOMP_GRAPH_UNIT, from += GHCOMP_GRAPH_UNIT)
        memcpy(to, from, GHCOMP_GRAPH_UNIT);
}

/* The task's data, of any size and alignment, or with pointers into itself. */
static __attribute__((noinline)) void run_special(const struct ghcomp_graph_record *record)
{
    struct ghcomp_task *task = ghcomp_self_member->task;
    size_t align = record->align > GHCOMP_GRAPH_UNIT ? record->align : GHCOMP_GRAPH_UNIT;
    char stack[ON_STACK] __attribute__((aligned(GHCOMP_CACHE_LINE)));
    size_t lead = record->flags & GHCOMP_TASK_FLAG_FRAMED ? GHCOMP_TASK_LEAD : 0;
    char *memory = stack;
    if (lead + record->bytes > sizeof stack || align > GHCOMP_CACHE_LINE) {
        memory = aligned_alloc(align, (lead + record->bytes + align - 1) / align * align);
        if (memory == NULL)
            ghcomp_fatal("graph: out of memory for %zu bytes of a task's data", record->bytes);
    }
    char *data = memory + lead;
    memcpy(data, record->data, record->bytes);
    if (record->move != NULL)
        record->move(data, record->data, task);
    record->fn(data);
    if (memory != stack)
        free(memory);
}

/* What a node's task runs. */
struct body {
    const struct ghcomp_graph *graph;
    const struct ghcomp_graph_node *node;
};

static void run_body(void *data)
{
    const struct body *body = data;
    const struct ghcomp_graph_node *node = body->node;
    if (ghcomp_unlikely(node->deep))
        ghcomp_taskgroup_start(ghcomp_self_member);
    if (ghcomp_likely(node->plain && node->units <= ON_STACK / GHCOMP_GRAPH_UNIT)) {
        char copy[ON_STACK] __attribute__((aligned(GHCOMP_GRAPH_UNIT)));
        copy_units(copy, node->data, node->units);
        node->fn(node->units != 0 ? copy : NULL);
    } else {
        run_special(&body->graph->records[node->record]);
    }
    if (ghcomp_unlikely(node->deep))
        ghcomp_taskgroup_end(ghcomp_self_member);
}

/* --- walks -------------------------------------------------------------------------------------------------------- */

/* The nodes that a walk has; a task's data. */
struct walk {
    const struct ghcomp_graph *graph;
    struct ghcomp_graph_node *first;   /* the youngest */
    uint32_t count;
};

/* The task that holds the rest of a walk's list while its thread runs a node. */
struct rest {
    struct ghcomp_task *task;          /* NULL: none, or another thread's now */
    uint32_t at;                       /* where it lies in the deque, if it does */
    bool lies;
};

static void run_walk(void *data);

static inline struct ghcomp_deque *deque_of(struct ghcomp_member *self)
{
    return ghcomp_load_relaxed(&self->deque);
}

/* A new task in the thread's deque, which walks from those nodes; NULL: the deque has no room, and there are tasks for
   thieves. It runs also if the replay is cancelled: see above. */
static struct ghcomp_task *put(struct ghcomp_member *self, struct walk walk)
{
    struct ghcomp_deque *deque = deque_of(self);
    /* Acquire, as in ghcomp_deque_push. */
    if (deque != NULL &&
        ghcomp_load_relaxed(&deque->bottom) - ghcomp_load_acquire(&deque->top) >= ghcomp_task_limit(self, deque))
        return NULL;
    struct ghcomp_task *task = ghcomp_task_new(self, run_walk, sizeof walk, sizeof(void *), 0);
    *(struct walk *)task->data = walk;
    ghcomp_task_constructed(task);
    bool room = ghcomp_task_defer(self, task);
    ghcomp_invariant(room); /* others only take */
    return task;
}

/* Puts the whole list where thieves find it, if there is room. */
static inline void put_rest(struct ghcomp_member *self, struct walk *walk, struct rest *rest)
{
    if (ghcomp_likely(rest->task != NULL)) {
        *(struct walk *)rest->task->data = *walk;
        if (!ghcomp_deque_push(deque_of(self), rest->task, deque_of(self)->mask + 1))
            return;
        ghcomp_task_team_wake(self->team);
    } else if ((rest->task = put(self, *walk)) == NULL) {
        return;
    }
    rest->lies = true;
    rest->at = ghcomp_load_relaxed(&deque_of(self)->bottom) - 1;
    walk->first = NULL;
    walk->count = 0;
}

/* Takes the rest back. If a thief has it, or others lie above it, it is another walk's from now on. */
static inline void take_back(struct ghcomp_member *self, struct walk *walk, struct rest *rest)
{
    rest->lies = false;
    if (ghcomp_load_relaxed(&deque_of(self)->bottom) == rest->at + 1 &&
        ghcomp_deque_take_back(deque_of(self), rest->at) != NULL)
        *walk = *(struct walk *)rest->task->data;
    else
        rest->task = NULL;
}

/* Puts the second half of the list where it may stay. */
static void put_half(struct ghcomp_member *self, struct walk *walk)
{
    enum { KEEPS_MOST = 64 };
    uint32_t keeps = (walk->count + 1) / 2;
    keeps = keeps < KEEPS_MOST ? keeps : KEEPS_MOST;
    struct ghcomp_graph_node *last = walk->first;
    for (uint32_t i = 1; i < keeps; i++)
        last = last->next;
    if (put(self, (struct walk){walk->graph, last->next, walk->count - keeps}) == NULL)
        return;
    last->next = NULL;
    walk->count = keeps;
}

static inline void run_node(struct ghcomp_member *self, const struct ghcomp_graph *graph,
                            const struct ghcomp_graph_node *node)
{
    struct body body = {graph, node};
    if (ghcomp_likely(node->fn != NULL) && !ghcomp_task_refused(self)) {
        ghcomp_yield_to_haskell(self);
        ghcomp_task_run_now_inline(run_body, &body, self, node->flags);
    }
}

/* Runs the nodes of the list, and those that become ready by it. */
static void walk_on(struct ghcomp_member *self, struct walk walk)
{
    struct rest rest = {0};
    bool shares = self->team->size > 1 && !self->task->final && !ghcomp_agent(self); /* which has no deque */
    if (shares && walk.count > 1)
        put_half(self, &walk);
    while (walk.first != NULL) {
        struct ghcomp_graph_node *node = walk.first;
        walk.first = node->next;
        walk.count--;
        if (shares && walk.first != NULL)
            put_rest(self, &walk, &rest);
        ghcomp_graph_rewind(node);
        run_node(self, walk.graph, node);
        if (rest.lies)
            take_back(self, &walk, &rest);
        walk.count += ghcomp_graph_release(node, &walk.first);
    }
    if (rest.task != NULL) {
        ((struct walk *)rest.task->data)->first = NULL;
        ghcomp_task_run(self, rest.task);
    }
}

static void run_walk(void *data)
{
    walk_on(ghcomp_self_member, *(const struct walk *)data);
}

static struct walk roots_of(const struct ghcomp_graph *graph)
{
    struct walk walk = {.graph = graph};
    for (uint32_t i = graph->count; i-- > 0;) {
        struct ghcomp_graph_node *node = &graph->nodes[i];
        if (node->predecessors != 0)
            continue;
        node->next = walk.first;
        walk.first = node;
        walk.count++;
    }
    return walk;
}

/* --- the tasks again ---------------------------------------------------------------------------------------------- */

static void make_again(struct ghcomp_member *self, const struct ghcomp_graph_record *record)
{
    if (ghcomp_task_refused(self))
        return;
    struct ghcomp_task *task = ghcomp_task_new(self, record->fn, record->bytes, record->align, record->flags);
    if (record->bytes != 0)
        memcpy(task->data, record->data, record->bytes);
    if (record->move != NULL)
        record->move(task->data, record->data, task);
    if (record->pool)
        ghcomp_task_threadset(task, GHCOMP_THREADSET_POOL);
    if (ghcomp_graph_runs_at_once(self, record))
        ghcomp_task_undefer(task);
    task->priority = record->priority;
    if (record->depend != NULL) {
        if (record->in_order)
            task->traits |= GHCOMP_TASK_IN_ORDER;
        ghcomp_task_depend(self, task, record->depend);
    }
    ghcomp_task_submit(self, task);
}

static __attribute__((noinline, cold)) void make_all_again(struct ghcomp_member *self, const struct ghcomp_graph *graph)
{
    for (uint32_t i = 0; i < graph->recorded; i++)
        switch (graph->records[i].kind) {
        case GHCOMP_GRAPH_TASK:
            make_again(self, &graph->records[i]);
            break;
        case GHCOMP_GRAPH_WAIT:
            ghcomp_task_wait(self);
            break;
        case GHCOMP_GRAPH_GROUP:
            ghcomp_taskgroup_start(self);
            break;
        case GHCOMP_GRAPH_GROUP_END:
            ghcomp_taskgroup_end(self);
            break;
        }
}

/* --- the replay --------------------------------------------------------------------------------------------------- */

/* In the child of a fork() during the replay: the walks of other threads are lost. */
static void rewind_all(struct ghcomp_graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++)
        ghcomp_graph_rewind(&graph->nodes[i]);
}

static bool walks(struct ghcomp_member *self, const struct ghcomp_graph *graph)
{
    enum { WATCHED = GHCOMP_OBSERVE_LOG | GHCOMP_OBSERVE_RACES | GHCOMP_OBSERVE_TOOL };
    return ghcomp_likely(!(ghcomp_observers_now() & WATCHED)) && !(graph->pool && ghcomp_agents_may_come(self));
}

bool ghcomp_graph_replay(struct ghcomp_member *self, struct ghcomp_graph *graph)
{
    ghcomp_graph_refuse(self, "a graph is replayed");
    ghcomp_graph_enter(self, graph, "a replay");
    bool recorded = graph->refused == NULL;
    uint32_t generation = ghcomp_process_generation;
    if (recorded && walks(self, graph))
        walk_on(self, roots_of(graph));
    else if (recorded)
        make_all_again(self, graph);
    ghcomp_graph_join(self, graph);
    if (ghcomp_unlikely(generation != ghcomp_process_generation))
        rewind_all(graph);
    ghcomp_graph_leave(graph);
    return recorded;
}
