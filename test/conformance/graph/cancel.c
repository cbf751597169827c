/* Cancellation in replays: tasks that have not begun are discarded, and the graph can be replayed again. A recording in
   which tasks were cancelled does not count.
   ghcomp-only: only ours records tasks
   env: OMP_CANCELLATION=true
   ldflags: -ldl
   symbols: GOMP_task GOMP_cancel */
#include "graph.h"

enum { TASKS = 200, ROUNDS = 20 };

static int x, cancels, ran;

static void body(void)
{
    for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(inout : x)
        {
            __atomic_add_fetch(&ran, 1, __ATOMIC_RELAXED);
            if (i == TASKS / 2 && cancels) {
#pragma omp cancel taskgroup
            }
        }
    }
}

int main(void)
{
    ghcomp_graph *graph = graphs.create();
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        cancels = 1;
        graphs.begin(graph, 0);
        body();
        CHECK(graphs.end(graph) == GHCOMP_GRAPH_NOT_RECORDED);
        CHECK(strcmp(graphs.reason(graph), "tasks were cancelled") == 0);
        CHECK(graphs.run(graph) == GHCOMP_GRAPH_NOT_RECORDED);
        cancels = 0;
        graphs.begin(graph, 0);
        body();
        CHECK(graphs.end(graph) == 0);
        CHECK(*graphs.reason(graph) == '\0');
        for (int i = 0; i < ROUNDS; i++) {
            cancels = i % 2;
            ran = 0;
            CHECK(graphs.run(graph) == 0);
            CHECK(ran == (cancels ? TASKS / 2 + 1 : TASKS));
        }
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        cancels = 0;
        ran = 0;
        CHECK(graphs.run(graph) == 0);
        CHECK(ran == TASKS);
    }
    graphs.destroy(graph);
    return 0;
}
