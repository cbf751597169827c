/* Each kind of dependence in a replay: what waits for what, and what may run at the same time.
   Compiled by clang it has the kinds that gcc 12 does not know.
   ghcomp-only: only ours records tasks
   ldflags: -ldl
   symbols: GOMP_task */
#include "../gate.h"
#include "graph.h"

#ifdef __clang__
#define SET inoutset
#define ALL omp_all_memory
#else
#define SET in
#define ALL x, y, unrelated
#endif

enum { REPLAYS = 20, EACH = 6 };

static int x, y, unrelated;
static int clock_now, begun[64], ended[64];

static void mark(int n)
{
    begun[n] = __atomic_add_fetch(&clock_now, 1, __ATOMIC_SEQ_CST);
    for (volatile int i = 0; i < 200; i++)
        ;
    ended[n] = __atomic_add_fetch(&clock_now, 1, __ATOMIC_SEQ_CST);
}

static void before(int a, int b)
{
    CHECK(ended[a] != 0 && begun[b] != 0 && ended[a] < begun[b]);
}

static void sets(void)
{
#pragma omp task depend(out : x)
    mark(0);
    for (int i = 1; i <= EACH; i++) {
#pragma omp task depend(in : x)
        mark(i);
    }
    for (int i = EACH + 1; i <= 2 * EACH; i++) {
#pragma omp task depend(SET : x)
        mark(i);
    }
#pragma omp task depend(in : x)
    mark(20);
    for (int i = 21; i < 21 + EACH; i++) {
#pragma omp task depend(mutexinoutset : x)
        mark(i);
    }
#pragma omp task depend(inout : x)
    mark(30);
#pragma omp task depend(in : x) depend(inout : y)
    mark(31);
#pragma omp task depend(in : x, y)
    mark(32);
#pragma omp task depend(out : unrelated)
    mark(33);
#pragma omp task depend(inout : ALL)
    mark(34);
#pragma omp task depend(in : y)
    mark(35);
#pragma omp task depend(in : unrelated)
    mark(36);
}

static void check_sets(void)
{
    for (int i = 1; i <= EACH; i++) {
        before(0, i);
#ifdef __clang__
        for (int j = EACH + 1; j <= 2 * EACH; j++)
            before(i, j);
        before(EACH + i, 20);
#endif
        before(20, 20 + i);
        before(20 + i, 30);
        for (int j = 1; j < i; j++) /* exclusive */
            CHECK(ended[20 + i] < begun[20 + j] || ended[20 + j] < begun[20 + i]);
    }
    before(30, 31), before(31, 32), before(32, 34), before(33, 34), before(34, 35), before(34, 36);
}

static int together, came;

/* Tasks of one set run at the same time: each waits for the other one. */
static void concurrent(void)
{
    for (int i = 0; i < 2; i++) {
#pragma omp task depend(SET : y)
        if (__atomic_load_n(&together, __ATOMIC_RELAXED))
            meet(&came, 2);
    }
    for (int i = 0; i < 2; i++) {
#pragma omp task depend(in : y)
        if (__atomic_load_n(&together, __ATOMIC_RELAXED))
            meet(&came, 4);
    }
}

static void reset(void)
{
    memset(begun, 0, sizeof begun);
    memset(ended, 0, sizeof ended);
    clock_now = 0;
}

int main(void)
{
    ghcomp_graph *graph = graphs.create(), *pairs = graphs.create();
#pragma omp parallel num_threads(3)
#pragma omp single
    {
        graphs.begin(graph, 0);
        sets();
        CHECK(graphs.end(graph) == 0);
        check_sets();
        for (int i = 0; i < REPLAYS; i++) {
            reset();
            CHECK(graphs.run(graph) == 0);
            check_sets();
        }
        graphs.begin(pairs, 0);
        concurrent();
        CHECK(graphs.end(pairs) == 0);
        together = 1;
        for (int i = 0; i < REPLAYS; i++) {
            came = 0;
            CHECK(graphs.run(pairs) == 0);
            CHECK(came == 4);
        }
    }
    graphs.destroy(graph);
    graphs.destroy(pairs);
    return 0;
}
