/* The edges of a recorded graph: which tasks of a replay wait for which.
 *
 * The rules are those of taskdep.c. The tasks that name one address form a sequence of sets: a set is one task (out,
 * inout), or consecutive tasks of the same other kind (in, inoutset), which have no order among themselves; each waits
 * for all of the set before, by way of a *join* where both sets have several tasks. A mutexinoutset is an inout here:
 * its tasks exclude each other in the order in which they were made, which is one of those that the program allows. A
 * task that names omp_all_memory is in a set of every address.
 *
 * A taskwait, and the end of a taskgroup, is a join of all *sinks*, the nodes that no node waits for yet. It is a
 * *point*: every later task waits for the last point. An undeferred task is a point, too.
 *
 * All edges are known here, so a node needs no list that grows while others read it: the edges are sorted by their
 * beginnings into one array. Nothing here is shared; the graph belongs to the caller.
 *
 * Called by task_graph_record.c. Covered by test/unit/task_graph.c and test/conformance/graph.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/task/task_graph.h"
#include "core/task/taskdep_clause.h"

enum { LEAST_BITS = 6 };
#define NONE UINT32_MAX /* no node */
#define JOIN UINT32_MAX /* no record */

struct edge {
    uint32_t from, to;
};

/* A list that grows; of any of the types below. */
struct list {
    void *items;
    uint32_t count, room;
};

/* The last set of an address; `before` is the node that its members wait for. */
struct address {
    void *name;
    enum ghcomp_depend_kind kind;      /* NONE: a free slot */
    uint32_t before;
    struct list members;               /* uint32_t */
};

struct build {
    struct ghcomp_graph *graph;
    struct list nodes;                 /* uint32_t: the node's record, or JOIN */
    struct list edges;                 /* struct edge */
    struct list sinks;                 /* uint32_t, by node: how many wait for it */
    struct list last;                  /* uint32_t, by node: the last node that has an edge from it */
    struct address *table;             /* open addressing */
    uint32_t used, bits;
    uint32_t all, point;               /* the last task that named omp_all_memory, the last point; NONE */
    uint32_t window;                   /* the first node since the last taskwait */
};

static void *append(struct list *list, size_t bytes)
{
    if (list->count == list->room) {
        if (list->room > INT32_MAX)
            ghcomp_fatal("graph: more than %d dependences; record the tasks in several graphs", INT32_MAX);
        list->room = list->room == 0 ? 8 : 2 * list->room;
        list->items = realloc(list->items, list->room * bytes);
        if (list->items == NULL)
            ghcomp_fatal("graph: out of memory for its dependences");
    }
    return (char *)list->items + list->count++ * bytes;
}

static void append_number(struct list *list, uint32_t number)
{
    *(uint32_t *)append(list, sizeof number) = number;
}

static uint32_t number_in(const struct list *list, uint32_t i)
{
    return ((const uint32_t *)list->items)[i];
}

static uint32_t new_node(struct build *build, uint32_t record)
{
    append_number(&build->nodes, record);
    append_number(&build->sinks, 0);
    append_number(&build->last, NONE);
    return build->nodes.count - 1;
}

/* `to` waits for `from`. The edges to a node are all made before the next node that has any, but for joins. */
static void edge(struct build *build, uint32_t from, uint32_t to)
{
    uint32_t *last = build->last.items;
    if (from == NONE || from == to || last[from] == to)
        return;
    last[from] = to;
    ((uint32_t *)build->sinks.items)[from]++;
    *(struct edge *)append(&build->edges, sizeof(struct edge)) = (struct edge){from, to};
}

static void edges_from(struct build *build, const struct list *members, uint32_t to)
{
    for (uint32_t i = 0; i < members->count; i++)
        edge(build, number_in(members, i), to);
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static struct address *find(const struct build *build, void *name)
{
    uint32_t mask = (UINT32_C(1) << build->bits) - 1;
    uint32_t at = (uint32_t)((uintptr_t)name * UINT64_C(0x9e3779b97f4a7c15) >> (64 - build->bits));
    while (build->table[at].kind != GHCOMP_DEPEND_NONE && build->table[at].name != name)
        at = (at + 1) & mask;
    return &build->table[at];
}

static void grow(struct build *build)
{
    struct address *old = build->table;
    uint32_t slots = old == NULL ? 0 : UINT32_C(1) << build->bits;
    build->bits = old == NULL ? LEAST_BITS : build->bits + 1;
    build->table = ghcomp_alloc_zeroed(sizeof *old << build->bits);
    for (uint32_t i = 0; i < slots; i++)
        if (old[i].kind != GHCOMP_DEPEND_NONE)
            *find(build, old[i].name) = old[i];
    free(old);
}

/* All addresses are free again: what named them is complete where they are named next, or waited for by another way. */
static void forget_addresses(struct build *build)
{
    uint32_t slots = build->used == 0 ? 0 : UINT32_C(1) << build->bits;
    for (uint32_t i = 0; i < slots; i++) {
        free(build->table[i].members.items);
        build->table[i] = (struct address){0};
    }
    build->used = 0;
}

/* One node that is complete when the set is. */
static uint32_t condense(struct build *build, const struct list *members)
{
    if (members->count == 1)
        return number_in(members, 0);
    uint32_t join = new_node(build, JOIN);
    edges_from(build, members, join);
    return join;
}

static void name(struct build *build, uint32_t node, void *address, enum ghcomp_depend_kind kind)
{
    if (kind == GHCOMP_DEPEND_MUTEXINOUTSET)
        kind = GHCOMP_DEPEND_OUT;
    if (build->table == NULL || build->used == (UINT32_C(3) << build->bits) / 4)
        grow(build);
    struct address *entry = find(build, address);
    struct list *members = &entry->members;
    if (entry->kind == GHCOMP_DEPEND_NONE) {
        build->used++;
        *entry = (struct address){.name = address, .before = NONE};
    } else if (number_in(members, members->count - 1) == node) {
        if (entry->kind == kind || entry->kind == GHCOMP_DEPEND_OUT)
            return;
        edges_from(build, members, node); /* it names the address in two ways: as by inout */
        members->count = 0;
        kind = GHCOMP_DEPEND_OUT;
    } else if (kind == GHCOMP_DEPEND_OUT) {
        edges_from(build, members, node);
        members->count = 0;
    } else if (entry->kind == kind) {
        edge(build, entry->before, node);
    } else {
        entry->before = condense(build, members);
        edge(build, entry->before, node);
        members->count = 0;
    }
    entry->kind = kind;
    append_number(members, node);
}

static void name_all(struct build *build, uint32_t node)
{
    uint32_t slots = build->used == 0 ? 0 : UINT32_C(1) << build->bits;
    for (uint32_t i = 0; i < slots; i++)
        if (build->table[i].kind != GHCOMP_DEPEND_NONE)
            edges_from(build, &build->table[i].members, node);
    forget_addresses(build);
    build->all = node;
}

static void depend(struct build *build, uint32_t node, const struct ghcomp_graph_record *record)
{
    if (record->depend == NULL)
        return;
    struct ghcomp_depend_clause clause = ghcomp_depend_clause_of(record->depend);
    edge(build, build->all, node);
    if (ghcomp_depend_names_all(&clause)) {
        name_all(build, node);
        return;
    }
    for (size_t i = 0; i < clause.count; i++) {
        void *address;
        enum ghcomp_depend_kind kind = ghcomp_depend_kind_of(&clause, i, &address);
        name(build, node, address, kind);
    }
}

/* --- the records in their order ----------------------------------------------------------------------------------- */

static void wait_here(struct build *build)
{
    uint32_t end = build->nodes.count;
    if (build->window == end)
        return;
    uint32_t join = new_node(build, JOIN);
    edge(build, build->point, join);
    for (uint32_t i = build->window; i < end; i++)
        if (number_in(&build->sinks, i) == 0)
            edge(build, i, join);
    forget_addresses(build);
    build->all = NONE;
    build->point = join;
    build->window = build->nodes.count;
}

static void add_task(struct build *build, uint32_t number)
{
    const struct ghcomp_graph_record *record = &build->graph->records[number];
    uint32_t node = new_node(build, number);
    edge(build, build->point, node);
    depend(build, node, record);
    if (record->undeferred)
        build->point = node;
    build->graph->tasks++;
}

static void add_records(struct build *build)
{
    const struct ghcomp_graph *graph = build->graph;
    for (uint32_t i = 0; i < graph->recorded; i++)
        switch (graph->records[i].kind) {
        case GHCOMP_GRAPH_TASK:
            add_task(build, i);
            break;
        case GHCOMP_GRAPH_GROUP:
        case GHCOMP_GRAPH_WAIT:
        case GHCOMP_GRAPH_GROUP_END:
            if (graph->records[i].kind != GHCOMP_GRAPH_GROUP)
                wait_here(build);
            break;
        }
}

/* --- the nodes ---------------------------------------------------------------------------------------------------- */

static void fill_in(struct ghcomp_graph_node *node, const struct ghcomp_graph_record *record, uint32_t number)
{
    size_t units = (record->bytes + GHCOMP_GRAPH_UNIT - 1) / GHCOMP_GRAPH_UNIT;
    node->fn = record->fn;
    node->data = record->data;
    node->plain = record->move == NULL && record->align <= GHCOMP_GRAPH_UNIT && units <= UINT32_MAX;
    node->units = (uint32_t)units;
    node->flags = record->flags;
    node->record = number;
}

/* Which tasks a taskgroup waits for with their descendants. */
static void mark_deep(struct ghcomp_graph *graph, const struct build *build)
{
    uint32_t open = 0, record = 0;
    for (uint32_t i = 0; i < build->nodes.count; i++) {
        uint32_t number = number_in(&build->nodes, i);
        if (number == JOIN)
            continue;
        for (; record < number; record++)
            open += graph->records[record].kind == GHCOMP_GRAPH_GROUP ? 1u
                    : graph->records[record].kind == GHCOMP_GRAPH_GROUP_END ? UINT32_MAX : 0u;
        graph->nodes[i].deep = open > 0;
    }
}

static void make_nodes(struct ghcomp_graph *graph, const struct build *build)
{
    graph->count = build->nodes.count;
    graph->nodes = ghcomp_alloc_lines((graph->count + 1) * sizeof *graph->nodes);
    graph->edges = ghcomp_alloc((build->edges.count + 1) * sizeof *graph->edges);
    struct ghcomp_graph_node **next = graph->edges;
    for (uint32_t i = 0; i < graph->count; i++) {
        struct ghcomp_graph_node *node = &graph->nodes[i];
        uint32_t number = number_in(&build->nodes, i);
        if (number != JOIN)
            fill_in(node, &graph->records[number], number);
        node->successors = next;
        next += number_in(&build->sinks, i);
    }
    const struct edge *edges = build->edges.items;
    for (uint32_t i = 0; i < build->edges.count; i++) {
        struct ghcomp_graph_node *from = &graph->nodes[edges[i].from], *to = &graph->nodes[edges[i].to];
        from->successors[from->count++] = to;
        to->predecessors++;
    }
    for (uint32_t i = 0; i < graph->count; i++)
        ghcomp_store_relaxed(&graph->nodes[i].waits, graph->nodes[i].predecessors);
    mark_deep(graph, build);
}

void ghcomp_graph_build(struct ghcomp_graph *graph)
{
    struct build build = {.graph = graph, .all = NONE, .point = NONE};
    add_records(&build);
    make_nodes(graph, &build);
    forget_addresses(&build);
    free(build.table);
    free(build.nodes.items);
    free(build.edges.items);
    free(build.sinks.items);
    free(build.last.items);
}
