/* Dependence objects, their update and destruction, iterators in depend clauses.
   symbols: GOMP_task GOMP_taskwait_depend */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

static void objects(void)
{
    omp_depend_t first, second, third;
    int x = 0, y = 0, list[10] = {0};
#pragma omp depobj(first) depend(in : x)
#pragma omp depobj(second) depend(inout : y)
#pragma omp depobj(third) depend(mutexinoutset : x)
#pragma omp task depend(out : x) shared(x)
    x = 1;
#pragma omp task depend(depobj : first) depend(depobj : second) shared(x, y)
    {
        CHECK(x == 1);
        y = 1;
    }
#pragma omp task depend(in : y) shared(y)
    CHECK(y == 1);
#pragma omp depobj(first) update(inout)
#pragma omp task depend(depobj : first) shared(x, y)
    x = 2;
#pragma omp task depend(in : x) depend(depobj : second) shared(x, y)
    {
        CHECK(x == 2 && y == 1);
        y = 2;
    }
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(depobj : third) shared(x)
        x++;
    }
#pragma omp depobj(third) update(out)
#pragma omp task depend(depobj : third) depend(depobj : second) shared(x, y)
    {
        CHECK(x == 12 && y == 2);
        x = 50;
    }
#pragma omp taskwait depend(in : x)
    CHECK(x == 50);
#pragma omp depobj(third) update(mutexinoutset)
#pragma omp task depend(in : list[0]) depend(depobj : first) depend(mutexinoutset : y) depend(out : list[1]) \
    shared(x, y, list)
    {
        CHECK(x == 50 && y == 2);
        list[1] = 1;
    }
#pragma omp taskwait depend(depobj : first)
    CHECK(list[1] == 1);
#pragma omp depobj(first) destroy
#pragma omp depobj(second) destroy
#pragma omp depobj(third) destroy
#pragma omp taskwait
}

static void iterators(int n)
{
    int list[n], seen = 0, other = 0;
    memset(list, 0, sizeof list);
    for (int i = 0; i < n; i++) {
#pragma omp task depend(out : list[i]) shared(list)
        list[i] = i + 1;
    }
#pragma omp task depend(iterator(i = 0 : n : 2, j = 0 : 2), in : list[(i + j) % n]) shared(list, seen)
    {
        for (int i = 0; i < n; i++)
            CHECK(list[i] == i + 1);
        seen++;
    }
#pragma omp task depend(iterator(long i = n - 1 : -1 : -1), inout : list[i]) shared(list, seen)
    {
        CHECK(seen == 1);
        for (int i = 0; i < n; i++)
            list[i] = -1;
    }
    for (int i = 0; i < n; i++) {
#pragma omp task depend(in : list[i]) shared(list)
        CHECK(list[i] == -1);
    }
    /* No element at all. */
#pragma omp task depend(iterator(i = 0 : 0), inout : list[i]) shared(other)
    other = 1;
#pragma omp taskwait
    CHECK(seen == 1 && other == 1);
}

int main(void)
{
    omp_set_dynamic(0);
    objects();
    iterators(12);
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 20; pass++) {
#pragma omp parallel num_threads(threads)
            {
#pragma omp single nowait
                iterators(100);
                objects();
#pragma omp task
                iterators(31);
            }
        }
    }
    return 0;
}
