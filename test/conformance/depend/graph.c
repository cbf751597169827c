/* A random graph of ten thousand tasks over some addresses, by one producer: each task sees the versions of its
   addresses that the sequential order gives it.
   limit: 60
   symbols: GOMP_task GOMP_taskwait */
#include <omp.h>

#include "../common.h"

enum { TASKS = 10000, CELLS = 200 };

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

struct cell {
    int version; /* how many writers have been here */
    int value;
};
static struct cell cells[CELLS];
static int executed;

static int mix(int a, int b)
{
    return (int)(((unsigned)a * 31u + (unsigned)b * 17u + 7u) % 1000003u);
}

/* In sequential order it reads a and b and writes c, which may be one of them. */
static void step(int a, int b, int c, int version_a, int version_b, int version_c)
{
    CHECK(cells[a].version == version_a && cells[b].version == version_b && cells[c].version == version_c);
    cells[c].value = mix(cells[a].value, cells[b].value + cells[c].value);
    cells[c].version++;
    __atomic_fetch_add(&executed, 1, __ATOMIC_RELAXED);
}

static void graph(unsigned seed, int spread)
{
    struct cell model[CELLS];
    unsigned state = seed;
    for (int i = 0; i < CELLS; i++)
        model[i].value = cells[i].value = i, model[i].version = cells[i].version = 0;
    executed = 0;
    for (int i = 0; i < TASKS; i++) {
        int a = (int)(draw(&state) % (unsigned)spread), b = (int)(draw(&state) % (unsigned)spread);
        int c = (int)(draw(&state) % (unsigned)spread);
        int va = model[a].version, vb = model[b].version, vc = model[c].version;
        switch (draw(&state) % 8) {
        case 0:
#pragma omp task depend(in : cells[a]) depend(in : cells[b]) depend(out : cells[c]) if (0)
            step(a, b, c, va, vb, vc);
            break;
        case 1:
#pragma omp task depend(out : cells[c]) depend(in : cells[a], cells[b]) untied
            step(a, b, c, va, vb, vc);
            break;
        default:
#pragma omp task depend(in : cells[a], cells[b]) depend(inout : cells[c])
            step(a, b, c, va, vb, vc);
        }
        model[c].value = mix(model[a].value, model[b].value + model[c].value);
        model[c].version++;
    }
#pragma omp taskwait
    CHECK(executed == TASKS);
    for (int i = 0; i < CELLS; i++)
        CHECK(cells[i].version == model[i].version && cells[i].value == model[i].value);
}

int main(void)
{
    omp_set_dynamic(0);
    graph(1, CELLS);
    for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            graph(7u * (unsigned)threads, CELLS);
            graph(11u * (unsigned)threads, 5);
        }
    }
    return 0;
}
