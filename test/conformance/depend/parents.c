/* Many parents at a time, each with its own order among its children: parents on all threads, parents that end before
   their children, children that are parents. The same address names no dependence between children of different
   parents.
   limit: 60 */
#include <omp.h>
#include <stdlib.h>

#include "../common.h"

enum { PARENTS = 60, CHILDREN = 150, CELLS = 4 };

struct family {
    int chain[CELLS];       /* plain: the dependences order every access */
    int readers;
    int excluded;           /* plain: mutexinoutset */
    int members;            /* tasks of the set that run */
    int grown;
    int done;
};

static int address[CELLS];  /* named by all parents' children */

static void child(struct family *family, int i, int cell)
{
#pragma omp task depend(inout : address[cell]) firstprivate(family, i, cell)
    {
        CHECK(family->chain[cell] == i / CELLS);
        family->chain[cell]++;
        if (i % 25 == 0) {
            int sum = 0;
#pragma omp task depend(out : address[cell]) shared(sum)
            sum = 1;
#pragma omp task depend(inout : address[cell]) shared(sum)
            sum = sum * 10 + 2;
#pragma omp task depend(in : address[cell]) shared(sum) firstprivate(family)
            {
                CHECK(sum == 12);
#pragma omp atomic
                family->grown++;
            }
#pragma omp taskwait
        }
    }
}

static void raise_family(struct family *family)
{
    for (int i = 0; i < CHILDREN; i++)
        child(family, i, i % CELLS);
    for (int i = 0; i < 10; i++)
#pragma omp task depend(in : address[0], address[1]) firstprivate(family)
    {
        CHECK(family->chain[0] == (CHILDREN + 3) / CELLS && family->chain[1] == (CHILDREN + 2) / CELLS);
#pragma omp atomic
        family->readers++;
    }
    for (int i = 0; i < 20; i++)
#pragma omp task depend(mutexinoutset : address[0]) depend(in : address[2]) firstprivate(family)
    {
        CHECK(family->readers == 10);
        CHECK(++family->members == 1);
        family->excluded++;
#pragma omp taskyield
        CHECK(--family->members == 0);
    }
#pragma omp task depend(in : address[0], address[1], address[2], address[3]) firstprivate(family)
    {
        CHECK(family->excluded == 20 && family->readers == 10);
        for (int cell = 0; cell < CELLS; cell++)
            CHECK(family->chain[cell] == (CHILDREN + CELLS - 1 - cell) / CELLS);
        family->done++;
    }
}

int main(void)
{
    omp_set_dynamic(0);
    for (int threads = 1; threads <= 8; threads *= 2) {
        struct family *families = calloc(PARENTS, sizeof *families), *own = calloc((size_t)threads, sizeof *own);
#pragma omp parallel num_threads(threads)
        {
            raise_family(&own[omp_get_thread_num()]);
#pragma omp for nowait
            for (int i = 0; i < PARENTS; i++)
#pragma omp task firstprivate(i)
            {
                raise_family(&families[i]);
                if (i % 2 == 0) {
#pragma omp taskwait
                    CHECK(families[i].done == 1);
                }
            }
        }
        for (int i = 0; i < PARENTS; i++)
            CHECK(families[i].done == 1 && families[i].grown == CHILDREN / 25);
        for (int i = 0; i < threads; i++)
            CHECK(own[i].done == 1 && own[i].grown == CHILDREN / 25);
        free(families);
        free(own);
    }
    return 0;
}
