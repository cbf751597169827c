/* Random graphs of a thousand tasks, recorded by a team and replayed by teams of other sizes and outside of regions:
   each task sees the versions of its addresses that the sequential order gives it, in each replay.
   ghcomp-only: only ours records tasks
   ldflags: -ldl
   limit: 120
   symbols: GOMP_task */
#include "graph.h"

enum { TASKS = 1000, CELLS = 60, REPLAYS = 4 };

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

struct cell {
    int version, value;
};
static struct cell cells[CELLS];
static int executed, base[CELLS];

/* In sequential order it reads a and b and writes c, which may be one of them. */
static void step(int a, int b, int c, int version_a, int version_b, int version_c)
{
    CHECK(cells[a].version == base[a] + version_a && cells[b].version == base[b] + version_b);
    CHECK(cells[c].version == base[c] + version_c);
    int value = (int)(((unsigned)cells[a].value * 31u + (unsigned)cells[b].value * 17u + 7u) % 1000003u);
    cells[c].value = value;
    cells[c].version++;
    __atomic_add_fetch(&executed, 1, __ATOMIC_RELAXED);
}

static void make(unsigned seed)
{
    int written[CELLS] = {0};
    for (int i = 0; i < TASKS; i++) {
        int a = (int)(draw(&seed) % CELLS), b = (int)(draw(&seed) % CELLS), c = (int)(draw(&seed) % CELLS);
        int of_a = written[a], of_b = written[b], of_c = written[c]++;
#pragma omp task depend(in : cells[a], cells[b]) depend(inout : cells[c])
        step(a, b, c, of_a, of_b, of_c);
    }
}

static int expected[CELLS];

static void begin_round(int keep)
{
    for (int i = 0; i < CELLS; i++) {
        base[i] = cells[i].version;
        if (!keep)
            cells[i].value = i;
    }
    executed = 0;
}

static void end_round(void)
{
    CHECK(executed == TASKS);
    for (int i = 0; i < CELLS; i++)
        CHECK(cells[i].value == expected[i]);
}

static void replay_in(ghcomp_graph *graph, int threads)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        for (int i = 0; i < REPLAYS; i++) {
            begin_round(0);
            CHECK(graphs.run(graph) == 0);
            end_round();
        }
    }
}

static void record_in(ghcomp_graph *graph, int threads, unsigned seed)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        begin_round(0);
        graphs.begin(graph, 0);
        make(seed);
        CHECK(graphs.end(graph) == 0);
        CHECK(executed == TASKS);
        CHECK(graphs.tasks(graph) == TASKS);
    }
}

int main(void)
{
    ghcomp_graph *graph = graphs.create();
    CHECK(graphs.run(graph) == GHCOMP_GRAPH_NOT_RECORDED);
    for (unsigned seed = 1; seed <= 6; seed++) {
        int threads = (int)(seed % 4) + 1;
        record_in(graph, 1, seed);
        for (int i = 0; i < CELLS; i++)
            expected[i] = cells[i].value;
        record_in(graph, threads, seed); /* once more: the new recording counts */
        for (int i = 0; i < CELLS; i++)
            CHECK(cells[i].value == expected[i]);
        for (int size = 1; size <= 5; size++)
            replay_in(graph, size);
        begin_round(0);
        CHECK(graphs.run(graph) == 0); /* outside of regions */
        end_round();
    }
    graphs.destroy(graph);
    return 0;
}
