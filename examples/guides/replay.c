#include <ghcomp.h>
#include <omp.h>
#include <stdio.h>

enum { CELLS = 1000, STEPS = 100 };

static double now[CELLS], next[CELLS];

/* Each cell becomes the mean of its neighbours. */
static void step(double *from, double *to)
{
    for (int i = 1; i < CELLS - 1; i++) {
#pragma omp task depend(in : from[i - 1], from[i], from[i + 1]) depend(out : to[i])
        to[i] = (from[i - 1] + from[i + 1]) / 2;
    }
}

int main(void)
{
    ghcomp_graph *graph = ghcomp_graph_new();
    now[0] = next[0] = 100;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < STEPS; i++) {
        if (ghcomp_graph_run(graph) == 0)
            continue;
        ghcomp_graph_begin(graph, 0);
        step(now, next);
        step(next, now);
        ghcomp_graph_end(graph);
    }
    printf("%zu tasks, %d times: %.2f\n", ghcomp_graph_tasks(graph), STEPS, now[1]);
    ghcomp_graph_free(graph);
    return 0;
}
