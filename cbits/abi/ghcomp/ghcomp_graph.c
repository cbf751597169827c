/* ghcomp_graph_*: recording and replay of graphs of tasks (documented in include/ghcomp.h).
 * Tests: test/conformance/graph. */
#include "ghcomp.h"

#include <string.h>

#include "abi/abi.h"
#include "base/check.h"
#include "core/task/task_graph.h"

static ghcomp_graph *given(ghcomp_graph *graph, const char *function)
{
    if (graph == NULL)
        ghcomp_fatal("%s: the graph is NULL; make it with ghcomp_graph_new", function);
    return graph;
}

static struct ghcomp_graph_record *task_of(ghcomp_graph *graph, size_t task, const char *function)
{
    struct ghcomp_graph_record *record = ghcomp_graph_nth(given(graph, function), task);
    if (record == NULL)
        ghcomp_fatal("%s: the graph has no task %zu; ghcomp_graph_tasks says how many it has", function, task);
    return record;
}

ghcomp_graph *ghcomp_graph_new(void)
{
    return ghcomp_graph_create();
}

void ghcomp_graph_free(ghcomp_graph *graph)
{
    ghcomp_graph_destroy(graph);
}

void ghcomp_graph_begin(ghcomp_graph *graph, unsigned flags)
{
    if (flags & ~(unsigned)GHCOMP_GRAPH_PLAIN_DATA)
        ghcomp_fatal("ghcomp_graph_begin: unknown flags %#x; pass 0 or GHCOMP_GRAPH_PLAIN_DATA", flags);
    ghcomp_graph_record_begin(ghcomp_self(), given(graph, __func__), flags & GHCOMP_GRAPH_PLAIN_DATA);
}

int ghcomp_graph_end(ghcomp_graph *graph)
{
    return ghcomp_graph_record_end(ghcomp_self(), given(graph, __func__)) ? 0 : GHCOMP_GRAPH_NOT_RECORDED;
}

int ghcomp_graph_run(ghcomp_graph *graph)
{
    return ghcomp_graph_replay(ghcomp_self(), given(graph, __func__)) ? 0 : GHCOMP_GRAPH_NOT_RECORDED;
}

const char *ghcomp_graph_reason(const ghcomp_graph *graph)
{
    return graph == NULL || graph->refused == NULL ? "" : graph->refused;
}

size_t ghcomp_graph_tasks(const ghcomp_graph *graph)
{
    return graph == NULL ? 0 : graph->tasks;
}

size_t ghcomp_graph_data_size(ghcomp_graph *graph, size_t task)
{
    return task_of(graph, task, __func__)->bytes;
}

void ghcomp_graph_update(ghcomp_graph *graph, size_t task, size_t offset, const void *data, size_t bytes)
{
    struct ghcomp_graph_record *record = task_of(graph, task, __func__);
    if (ghcomp_load_relaxed(&graph->group) != NULL)
        ghcomp_fatal("ghcomp_graph_update: the graph is recorded or replayed now; update its data before or after");
    if (offset > record->bytes || bytes > record->bytes - offset)
        ghcomp_fatal("ghcomp_graph_update: task %zu has %zu bytes of data, and %zu from byte %zu on are not in them",
                     task, record->bytes, bytes, offset);
    if (bytes != 0)
        memcpy((char *)record->data + offset, data, bytes);
}

GHCOMP_ABI_OBJECT(ghcomp_graph);
