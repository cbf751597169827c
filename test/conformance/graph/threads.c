/* Several threads with one graph at a time: replays take turns, and so do recordings. Graphs of two threads, and graphs
   within each other's tasks, do not disturb each other. Tasks of other threads are not recorded.
   ghcomp-only: only ours records tasks
   ldflags: -ldl
   symbols: GOMP_task */
#include "graph.h"

enum { THREADS = 4, ROUNDS = 50, CHAIN = 20 };

static int inside, x, total, other;

static void step(int i)
{
    CHECK(__atomic_fetch_add(&inside, 1, __ATOMIC_ACQ_REL) == i);
    __atomic_add_fetch(&total, 1, __ATOMIC_RELAXED);
    if (i == CHAIN - 1)
        __atomic_store_n(&inside, 0, __ATOMIC_RELEASE);
}

static void body(void)
{
    for (int i = 0; i < CHAIN; i++) {
#pragma omp task depend(inout : x)
        step(i);
    }
}

int main(void)
{
    ghcomp_graph *graph = graphs.create(), *own[THREADS], *outer = graphs.create(), *inner = graphs.create();
    int counts[THREADS] = {0};
#pragma omp parallel num_threads(THREADS) shared(counts)
    {
        int me = omp_get_thread_num();
        for (int i = 0; i < ROUNDS; i++)
            if (graphs.run(graph) != 0) {
                graphs.begin(graph, 0);
                body();
                CHECK(graphs.end(graph) == 0);
                CHECK(graphs.tasks(graph) == CHAIN);
            }
        /* Each records its own, all at the same time. */
        own[me] = graphs.create();
        graphs.begin(own[me], 0);
        for (int i = 0; i <= me; i++) {
#pragma omp task
            __atomic_add_fetch(&counts[me], 1, __ATOMIC_RELAXED);
        }
        CHECK(graphs.end(own[me]) == 0);
        CHECK(graphs.tasks(own[me]) == (size_t)me + 1);
        for (int i = 0; i < ROUNDS; i++)
            CHECK(graphs.run(own[me]) == 0);
        CHECK(counts[me] == (me + 1) * (ROUNDS + 1));
        graphs.destroy(own[me]);
    }
    CHECK(total == THREADS * ROUNDS * CHAIN);
    /* A task of one graph records and replays another one. */
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        graphs.begin(outer, 0);
#pragma omp task
        if (graphs.run(inner) != 0) {
            graphs.begin(inner, 0);
            for (int i = 0; i < 3; i++) {
#pragma omp task
                __atomic_add_fetch(&other, 1, __ATOMIC_RELAXED);
            }
            CHECK(graphs.end(inner) == 0);
        }
        CHECK(graphs.end(outer) == 0);
        CHECK(graphs.tasks(outer) == 1 && graphs.tasks(inner) == 3);
        for (int i = 0; i < ROUNDS; i++)
            CHECK(graphs.run(outer) == 0);
        CHECK(other == 3 * (ROUNDS + 1));
        /* A replay in a recording is not part of it. */
        graphs.begin(graph, 0);
        CHECK(graphs.run(inner) == 0);
        CHECK(graphs.end(graph) == GHCOMP_GRAPH_NOT_RECORDED);
        CHECK(strcmp(graphs.reason(graph), "a graph is replayed") == 0);
    }
    graphs.destroy(graph);
    graphs.destroy(outer);
    graphs.destroy(inner);
    return 0;
}
