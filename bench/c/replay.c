/* What a task of a graph costs that is recorded once and replayed, beside the same tasks with depend clauses, in
 * nanoseconds a task.
 *
 *     replay ROW THREADS [BATCH_MS [BATCHES]]
 *
 * Rows: `depend` makes the tasks anew each time, on any runtime; `replay` records them before the first batch
 * (ghcomp.h), and `replay-wide` does so with a graph of layers, in which each task depends on two of the layer before.
 * A batch is as many rounds as fill BATCH_MS (15 by default); the result is the best of BATCHES (7). Every batch checks
 * that the tasks of a chain came in order and that none was lost. Prints a JSON object. Driver: bench/replay.py.
 *
 * `cells` are written by tasks, ordered by their dependences; the other variables belong to the thread of `single`.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 4000, CHAINS = 4, WIDTH = 16, MOST_BATCHES = 1000 };

static struct cell {
    long n, disorder;
} __attribute__((aligned(128))) cells[2 * WIDTH];

static void *named(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found == NULL) {
        fprintf(stderr, "replay: this runtime has no %s\n", name);
        exit(1);
    }
    return found;
}

static void chains(void)
{
    for (long i = 0; i < TASKS; i++) {
        long c = i % CHAINS, at = i / CHAINS;
#pragma omp task depend(inout : cells[c]) firstprivate(c, at)
        {
            cells[c].disorder += cells[c].n % (TASKS / CHAINS) != at;
            cells[c].n++;
        }
    }
}

/* Task i of a layer writes its cell, and reads those of i and i + 1 of the layer before. */
static void layers(void)
{
    for (long i = 0; i < TASKS; i++) {
        long layer = i / WIDTH, at = i % WIDTH;
        struct cell *to = &cells[layer % 2 * WIDTH + at], *from = &cells[(layer + 1) % 2 * WIDTH];
        struct cell *left = from + at, *right = from + (at + 1) % WIDTH;
#pragma omp task depend(out : *to) depend(in : *left, *right) firstprivate(to, left, right, layer)
        {
            to->disorder += layer % (TASKS / WIDTH) != 0 && left->n != right->n;
            to->n++;
        }
    }
}

static long total(void)
{
    long sum = 0;
    for (int i = 0; i < 2 * WIDTH; i++) {
        sum += cells[i].n;
        if (cells[i].disorder != 0) {
            fprintf(stderr, "replay: tasks out of order\n");
            exit(1);
        }
    }
    return sum;
}

static void (*begin)(void *, unsigned);
static int (*end)(void *), (*run)(void *);
static void *graph;

/* Rounds of the row's tasks; each ends when all are complete. */
static double batch(long rounds)
{
    double start = omp_get_wtime();
    for (long r = 0; r < rounds; r++) {
        if (graph != NULL) {
            run(graph);
        } else {
#pragma omp taskgroup
            chains();
        }
    }
    return (omp_get_wtime() - start) * 1e9;
}

static void record(const char *row)
{
    *(void **)&begin = named("ghcomp_graph_begin");
    *(void **)&end = named("ghcomp_graph_end");
    *(void **)&run = named("ghcomp_graph_run");
    graph = ((void *(*)(void))named("ghcomp_graph_new"))();
    begin(graph, 0);
    if (strcmp(row, "replay") == 0)
        chains();
    else
        layers();
    if (end(graph) != 0) {
        fprintf(stderr, "replay: the tasks were not recorded\n");
        exit(1);
    }
}

static double measure(double batch_ns, long batches)
{
    long rounds = 1, before;
    double best = -1, took;
    while (before = total(), (took = batch(rounds)) < batch_ns)
        rounds *= 2;
    for (long b = 0; b < batches; b++) {
        before = total();
        took = batch(rounds) / (double)(rounds * TASKS);
        if (total() - before != rounds * TASKS) {
            fprintf(stderr, "replay: %ld tasks of %ld ran\n", total() - before, rounds * TASKS);
            exit(1);
        }
        best = best < 0 || took < best ? took : best;
    }
    return best;
}

static void print(double value)
{
    Dl_info info;
    void *entry = dlsym(RTLD_DEFAULT, "GOMP_parallel"), *host = dlsym(RTLD_DEFAULT, "ghcomp_host_name");
    if (entry == NULL || dladdr(entry, &info) == 0)
        info.dli_fname = "?";
    printf("{\"value\": %.6g, \"object\": \"%s\", \"host\": \"%s\"}\n", value, info.dli_fname,
           host != NULL ? ((const char *(*)(void))host)() : "");
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 5 || (strcmp(argv[1], "depend") != 0 && strncmp(argv[1], "replay", 6) != 0)) {
        fprintf(stderr, "usage: replay depend|replay|replay-wide THREADS [BATCH_MS [BATCHES]]\n");
        return 2;
    }
    double batch_ns = (argc > 3 ? atof(argv[3]) : 15) * 1e6, value = 0;
    long batches = argc > 4 ? atol(argv[4]) : 7;
    if (batches < 1 || batches > MOST_BATCHES)
        return 2;
#pragma omp parallel num_threads(atoi(argv[2])) shared(value)
#pragma omp single
    {
        if (strcmp(argv[1], "depend") != 0)
            record(argv[1]);
        value = measure(batch_ns, batches);
    }
    print(value);
    return 0;
}
