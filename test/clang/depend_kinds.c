/* Dependences of all kinds in clang's code: chains, mutexinoutset, inoutset, depend objects, iterators, omp_all_memory,
   many items, tasks with if(0), taskwait with depend and with nowait.
   cflags: -fopenmp-version=51
   symbols: __kmpc_omp_task_with_deps __kmpc_omp_taskwait_deps_51
   limit: 60 */
#include <omp.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

static void chain(void)
{
    int x = 0;
    for (int i = 0; i < 100; i++)
#pragma omp task depend(inout : x) shared(x) firstprivate(i) if (i % 7 != 0)
    {
        CHECK(x == i);
        x++;
    }
#pragma omp taskwait depend(in : x)
    CHECK(x == 100);
}

static void sets(void)
{
    int x = 0, inside = 0, readers = 0, set = 0;
#pragma omp task depend(out : x) shared(x)
    x = 1;
    for (int i = 0; i < 8; i++)
#pragma omp task depend(in : x) shared(x, readers)
    {
        CHECK(x == 1);
        count_up(&readers);
    }
    for (int i = 0; i < 8; i++)
#pragma omp task depend(mutexinoutset : x) shared(x, inside, readers)
    {
        CHECK(look(&readers) == 8);
        CHECK(count_up(&inside) == 1);
        x++;
        __atomic_sub_fetch(&inside, 1, __ATOMIC_ACQ_REL);
    }
    for (int i = 0; i < 8; i++)
#pragma omp task depend(inoutset : x) shared(x, set)
    {
        CHECK(x == 9);
        count_up(&set);
    }
#pragma omp task depend(in : x) shared(x, set)
    CHECK(look(&set) == 8 && x == 9);
#pragma omp taskwait
    CHECK(set == 8);
}

/* The code of an undeferred task runs alone, too. */
static void undeferred_mutex(void)
{
    int x = 0, inside = 0;
    for (int i = 0; i < 40; i++)
#pragma omp task depend(mutexinoutset : x) shared(x, inside) if (i % 4 != 3)
    {
        CHECK(count_up(&inside) == 1);
        x++;
        __atomic_sub_fetch(&inside, 1, __ATOMIC_ACQ_REL);
    }
#pragma omp taskwait
    CHECK(x == 40);
}

static void objects(void)
{
    int x = 0, y = 0;
    omp_depend_t first, second;
#pragma omp depobj(first) depend(inout : x)
#pragma omp depobj(second) depend(in : y)
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(depobj : first, second) shared(x, y) firstprivate(i)
        {
            CHECK(x == i && y == i);
            x++;
        }
#pragma omp task depend(depobj : first) depend(out : y) shared(y)
        y++;
    }
#pragma omp depobj(second) update(inout)
#pragma omp task depend(depobj : second) shared(x, y)
    CHECK(x == 20 && y == 20);
#pragma omp taskwait
#pragma omp depobj(first) destroy
#pragma omp depobj(second) destroy
}

static void iterators(int n)
{
    int cell[200] = {0}, sum = 0;
    for (int i = 0; i < n; i++)
#pragma omp task depend(out : cell[i]) shared(cell) firstprivate(i)
        cell[i] = i + 1;
#pragma omp task depend(iterator(int k = 0 : n), in : cell[k]) shared(cell, sum) firstprivate(n)
    for (int i = 0; i < n; i++)
        sum += cell[i];
#pragma omp taskwait depend(iterator(int k = 0 : n), inout : cell[k])
    CHECK(sum == n * (n + 1) / 2);
}

static void all_memory(void)
{
    int x = 0, y = 0, seen = 0;
    for (int round = 0; round < 10; round++) {
#pragma omp task depend(out : x) shared(x)
        x++;
#pragma omp task depend(out : y) shared(y)
        y++;
#pragma omp task depend(inout : omp_all_memory) shared(x, y, seen)
        {
            CHECK(x == y);
            seen++;
        }
#pragma omp task depend(in : x) shared(x, seen) firstprivate(round)
        CHECK(seen == round + 1 && x == round + 1);
    }
#pragma omp taskwait depend(out : omp_all_memory)
    CHECK(seen == 10 && x == 10 && y == 10);
}

static void waits(void)
{
    int x = 0, y = 0, after = 0;
#pragma omp task depend(out : x) shared(x)
    x = 1;
#pragma omp task depend(out : y) shared(y)
    y = 1;
#pragma omp taskwait depend(in : x) depend(inout : y) nowait
#pragma omp task depend(in : y) shared(x, y, after)
    {
        CHECK(x == 1 && y == 1);
        after = 1;
    }
#pragma omp taskwait
    CHECK(after == 1);
}

static void all(void)
{
    chain();
    sets();
    undeferred_mutex();
    objects();
    iterators(0);
    iterators(5);
    iterators(200);
    all_memory();
    waits();
}

int main(void)
{
    for (int threads = 1; threads <= 4; threads += 3) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        all();
    }
    return 0;
}
