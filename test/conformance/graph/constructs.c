/* Constructs in a recording: taskwait, taskgroup, taskloop, undeferred and final tasks, taskwait with dependences, and
   tasks that generate tasks, wait for them, or open regions.
   ghcomp-only: only ours records tasks
   ldflags: -ldl
   symbols: GOMP_task GOMP_taskwait GOMP_taskgroup_start GOMP_taskloop */
#include "graph.h"

enum { REPLAYS = 10, EACH = 8, LOOP = 1000 };

static int counts[16], loop[LOOP], x, round_number;

static int count(int i)
{
    return __atomic_add_fetch(&counts[i], 1, __ATOMIC_ACQ_REL);
}

static int seen(int i)
{
    return __atomic_load_n(&counts[i], __ATOMIC_ACQUIRE);
}

static void children(int slot, int depth)
{
    for (int i = 0; depth > 0 && i < 2; i++) {
#pragma omp task
        children(slot, depth - 1);
    }
    count(slot);
}

/* Runs EACH tasks in slots 0 and 1 with a taskwait between, and so on; all run in every round. */
static void body(void)
{
    for (int i = 0; i < EACH; i++) {
#pragma omp task
        count(0);
    }
#pragma omp taskwait
    for (int i = 0; i < EACH; i++) {
#pragma omp task
        {
            CHECK(seen(0) == EACH);
            count(1);
        }
    }
#pragma omp taskgroup
    {
#pragma omp task
        children(2, 4);
#pragma omp taskgroup
        {
#pragma omp task
            children(3, 3);
        }
#pragma omp task
        {
            CHECK(seen(3) == 15);
            children(2, 4);
        }
    }
#pragma omp task
    {
        CHECK(seen(2) == 62 && seen(3) == 15);
        count(4);
    }
#ifdef __clang__ /* has no call for it that can be recorded */
#pragma omp task
    count(5);
#pragma omp taskwait
#else
#pragma omp task if (0)
    count(5);
#endif
#pragma omp task
    {
        CHECK(seen(5) == 1);
        int wide = 0;
#pragma omp task shared(wide)
        wide = 1;
#pragma omp taskwait
        CHECK(wide == 1);
        count(6);
    }
#pragma omp taskloop num_tasks(10)
    for (int i = 0; i < LOOP; i++)
        loop[i]++;
#pragma omp task
    for (int i = 0; i < LOOP; i++)
        CHECK(loop[i] == round_number);
#pragma omp task depend(out : x) final(1)
    {
        CHECK(omp_in_final());
        count(7);
    }
#pragma omp taskwait depend(in : x)
#pragma omp task
    {
        CHECK(seen(7) == 1);
        int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
        sum += 1;
        CHECK(sum >= 1);
        count(8);
    }
}

static void check(void)
{
    CHECK(counts[0] == EACH && counts[1] == EACH && counts[4] == 1 && counts[6] == 1 && counts[7] == 1);
    CHECK(counts[2] == 62 && counts[3] == 15 && counts[5] == 1 && counts[8] == 1);
}

static void rounds(int threads)
{
    ghcomp_graph *graph = graphs.create();
    memset(loop, 0, sizeof loop);
    round_number = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        for (int i = 0; i < REPLAYS; i++) {
            memset(counts, 0, sizeof counts);
            round_number++;
            if (graphs.run(graph) != 0) {
                CHECK(i == 0);
                graphs.begin(graph, 0);
                body();
                CHECK(graphs.end(graph) == 0);
            }
            check();
        }
    }
    graphs.destroy(graph);
}

int main(void)
{
    for (int threads = 1; threads <= 4; threads++)
        rounds(threads);
    return 0;
}
