/* The tasks of a taskloop are separate tasks also where one thread runs them one after the other: what a task sets or
   makes does not belong to the next one. */
#include <omp.h>

#include "../common.h"

enum { COUNT = 300 };
static int hits[COUNT], below[COUNT];

static void loop(int condition)
{
    int threads = omp_get_max_threads();
    memset(hits, 0, sizeof hits);
    memset(below, 0, sizeof below);
#pragma omp taskloop grainsize(1) if (condition) shared(hits, below)
    for (int i = 0; i < COUNT; i++) {
        CHECK(omp_get_max_threads() == threads);
        switch (i % 10) {
        case 1:
            omp_set_num_threads(threads + 3);
            CHECK(omp_get_max_threads() == threads + 3);
            break;
        case 5:
            for (int k = 0; k < 5; k++)
#pragma omp task shared(below)
#pragma omp atomic
                below[i]++;
#pragma omp taskwait
            CHECK(below[i] == 5);
            break;
        case 7:
#pragma omp task shared(below)
#pragma omp atomic
            below[i]++;
            break;
        default:
            break;
        }
        hits[i]++;
    }
    for (int i = 0; i < COUNT; i++) {
        CHECK(hits[i] == 1);
        CHECK(below[i] == (i % 10 == 5 ? 5 : i % 10 == 7));
    }
    CHECK(omp_get_max_threads() == threads);
}

/* Children of different tasks are no siblings: a dependence does not order them. The first one waits for the other. */
static void cousins(void)
{
    int x = 0, go = 0;
#pragma omp taskloop grainsize(1) if (0) shared(x, go)
    for (int i = 0; i < 2; i++)
        if (i == 0) {
#pragma omp task depend(out : x) shared(x, go)
            for (int seen = 0; !seen;) {
#pragma omp atomic read
                seen = go;
            }
        } else {
#pragma omp task depend(inout : x) shared(x, go)
#pragma omp atomic write
            go = 1;
        }
}

static void loops(void)
{
    loop(1);
    loop(0);
    /* In a task with ICVs of its own. */
#pragma omp task
    {
        omp_set_num_threads(11);
        loop(1);
        loop(0);
        CHECK(omp_get_max_threads() == 11);
    }
#pragma omp taskwait
#pragma omp task final(1)
    loop(1);
#pragma omp taskwait
}

int main(void)
{
    omp_set_dynamic(0);
    loops();
    for (int threads = 1; threads <= 5; threads += 2)
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            loops();
            if (threads > 1)
                cousins();
        }
    return 0;
}
