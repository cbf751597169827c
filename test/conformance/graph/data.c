/* The data of recorded tasks: each replay has the firstprivate variables of the recording anew, of any size; shared
   ones are the program's; ghcomp_graph_update changes what is recorded.
   ghcomp-only: only ours records tasks
   ldflags: -ldl
   symbols: GOMP_task */
#include "graph.h"

enum { REPLAYS = 5 };

struct large {
    int value[1000];
} __attribute__((aligned(256)));

static int results[4], by;

static int record(ghcomp_graph *graph, unsigned flags)
{
    int small = 40;
    long words[5] = {1, 2, 3, 4, 5};
    struct large large;
    for (int i = 0; i < 1000; i++)
        large.value[i] = i;
    graphs.begin(graph, flags);
#pragma omp task firstprivate(small)
    {
        small += by;
        results[0] = small;
    }
#pragma omp task firstprivate(words)
    {
        for (int i = 0; i < 5; i++)
            words[i] *= 2;
        results[1] = (int)(words[0] + words[1] + words[2] + words[3] + words[4]);
    }
#pragma omp task firstprivate(large)
    {
        CHECK((uintptr_t)&large % 16 == 0);
        int sum = 0;
        for (int i = 0; i < 1000; i++)
            sum += large.value[i]++;
        results[2] = sum;
    }
#pragma omp task
    results[3]++;
    int end = graphs.end(graph);
    small = 0;
    memset(words, 0, sizeof words);
    memset(&large, 0, sizeof large);
    return end;
}

int main(void)
{
    ghcomp_graph *graph = graphs.create();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        by = 2;
#ifndef __clang__
        CHECK(record(graph, 0) == GHCOMP_GRAPH_NOT_RECORDED); /* gcc's arrays may be anything */
        CHECK(*graphs.reason(graph) != '\0');
#endif
        results[3] = 0;
        CHECK(record(graph, GHCOMP_GRAPH_PLAIN_DATA) == 0);
        CHECK(results[0] == 42 && results[1] == 30 && results[2] == 499500 && results[3] == 1);
        for (int i = 1; i <= REPLAYS; i++) {
            by = i;
            CHECK(graphs.run(graph) == 0);
            CHECK(results[0] == 40 + i && results[1] == 30 && results[2] == 499500 && results[3] == 1 + i);
        }
        CHECK(graphs.tasks(graph) == 4);
#ifndef __clang__ /* the layout of gcc's */
        CHECK(graphs.size(graph, 0) == sizeof(int) && graphs.size(graph, 3) == 0);
        int other = 100;
        graphs.update(graph, 0, 0, &other, sizeof other);
        CHECK(graphs.run(graph) == 0);
        CHECK(results[0] == 100 + by && results[1] == 30);
#endif
    }
    graphs.destroy(graph);
    return 0;
}
