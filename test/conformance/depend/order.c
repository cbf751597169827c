/* What the kinds of dependence order: out and inout one after the other, in all at once between two writers,
   mutexinoutset one at a time in any order; between siblings only.
   limit: 60
   symbols: GOMP_task GOMP_taskwait_depend */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

static void writers(void)
{
    int order = 0, x = 0, y = 0;
    for (int i = 0; i < 50; i++) {
#pragma omp task depend(inout : x) shared(order, x) firstprivate(i)
        {
            CHECK(order == i);
            order++;
            x = i;
        }
    }
#pragma omp task depend(in : x) depend(out : y) shared(order, x, y)
    {
        CHECK(order == 50 && x == 49);
        y = 1;
    }
#pragma omp task depend(out : x) depend(in : y) shared(x, y)
    {
        CHECK(x == 49 && y == 1);
        x = 100;
    }
#pragma omp taskwait
    CHECK(x == 100);
}

/* Readers wait for each other: they are concurrent, as many as there are threads. */
static void readers(int threads)
{
    int x = 0, here = 0, ended = 0;
#pragma omp task depend(out : x) shared(x)
    x = 1;
    for (int i = 0; i < threads; i++) {
#pragma omp task depend(in : x) shared(x, here, ended)
        {
            CHECK(x == 1);
            meet(&here, threads);
            count_up(&ended);
        }
    }
#pragma omp task depend(inout : x) shared(x, ended)
    {
        CHECK(look(&ended) == threads);
        x = 2;
    }
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(in : x) shared(x)
        CHECK(x == 2);
    }
#pragma omp taskwait
    CHECK(x == 2);
}

static void exclusive(void)
{
    int x = 0, y = 0, inside = 0, inside_y = 0, sum = 0, order = 0;
#pragma omp task depend(out : x) shared(x)
    x = 1;
    for (int i = 0; i < 30; i++) {
#pragma omp task depend(mutexinoutset : x) shared(x, inside, sum, order)
        {
            CHECK(x == 1 && count_up(&inside) == 1);
            sum += 1;
            CHECK(__atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED) == 0);
            order++;
        }
        /* Two at once, in either order. */
        if (i % 3 == 0) {
#pragma omp task depend(mutexinoutset : y, x) shared(inside, inside_y, sum)
            {
                CHECK(count_up(&inside) == 1 && count_up(&inside_y) == 1);
                sum += 10;
                __atomic_sub_fetch(&inside_y, 1, __ATOMIC_RELAXED);
                __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
            }
#pragma omp task depend(mutexinoutset : x, y) shared(inside, inside_y, sum)
            {
                CHECK(count_up(&inside) == 1 && count_up(&inside_y) == 1);
                sum += 10;
                __atomic_sub_fetch(&inside_y, 1, __ATOMIC_RELAXED);
                __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
            }
        }
    }
#pragma omp task depend(in : x) shared(x, y, sum, order)
    {
        CHECK(sum == 30 + 200 && order == 30 && y == 0);
        x = 2;
    }
#pragma omp taskwait
    CHECK(x == 2);
}

/* No order between cousins, nor between a task and its child, which would be a deadlock with these dependences. */
static void relatives(int threads)
{
    int x = 0, here = 0;
    for (int i = 0; i < 2; i++) {
#pragma omp task shared(x, here)
        {
#pragma omp task depend(inout : x) shared(here)
            if (threads > 1)
                meet(&here, 2);
#pragma omp taskwait
        }
    }
#pragma omp taskwait
#pragma omp task depend(inout : x) shared(x)
    {
#pragma omp task depend(inout : x) shared(x)
        x++;
#pragma omp taskwait
#pragma omp task depend(inout : x) shared(x) if (0)
        x++;
    }
#pragma omp task depend(inout : x) shared(x)
    CHECK(x == 2);
#pragma omp taskwait
    /* All children of the parent count, however they were created; after a taskwait nothing is left. */
#pragma omp task depend(out : x) shared(x)
    x = 5;
#pragma omp taskgroup
    {
#pragma omp task depend(in : x) shared(x)
        CHECK(x == 5);
    }
    CHECK(x == 5);
#pragma omp taskwait
}

/* An undeferred task's dependences delay its creator. */
static void undeferred(void)
{
    int x = 0, y = 0;
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(out : x) shared(x)
        x++;
#pragma omp task depend(inout : y) shared(y)
        y++;
#pragma omp task depend(in : x) if (0) shared(x, y)
        {
            CHECK(x == i + 1);
            x += 0;
        }
#pragma omp task depend(inout : x, y) if (0) shared(x, y)
        CHECK(x == i + 1 && y == i + 1);
    }
#pragma omp task depend(inout : x) shared(x)
    x = 30;
#pragma omp task depend(in : x) final(1) shared(x)
    CHECK(x == 30);
#pragma omp taskwait
    CHECK(x == 30 && y == 10);
}

/* The same address twice in one construct, in both directions; array elements and sections; many addresses. */
static void addresses(void)
{
    enum { MANY = 300 };
    int x = 0, list[MANY] = {0};
    for (int i = 0; i < 10; i++) {
#pragma omp task depend(in : x) depend(inout : x) depend(out : x) shared(x)
        x++;
    }
#pragma omp taskwait
    CHECK(x == 10);
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < MANY; i++) {
#pragma omp task depend(inout : list[i]) shared(list)
            CHECK(list[i]++ == round);
        }
        for (int i = 0; i + 1 < MANY; i += 2) {
#pragma omp task depend(in : list[i], list[i + 1]) shared(list)
            CHECK(list[i] == round + 1 && list[i + 1] == round + 1);
        }
    }
#pragma omp task depend(out : list[5 : 10]) shared(list)
    list[5] = 100;
#pragma omp task depend(in : list[5 : 10]) shared(list)
    CHECK(list[5] == 100);
    /* More dependences in one construct than any runtime keeps in a struct. */
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(iterator(j = 0 : MANY), inout : list[j]) shared(list)
        for (int j = 0; j < MANY; j++)
            CHECK((list[j] += 1000) >= 1005);
    }
#pragma omp taskwait
    for (int i = 0; i < MANY; i++)
        CHECK(list[i] == (i == 5 ? 4100 : 4005));
}

static void all_of_them(int threads)
{
    writers();
    if (omp_get_level() < 2)
        readers(threads);
    exclusive();
    relatives(threads);
    undeferred();
    addresses();
}

int main(void)
{
    omp_set_dynamic(0);
    /* Outside regions. */
    writers();
    exclusive();
    relatives(1);
    undeferred();
    addresses();
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 5; pass++) {
#pragma omp parallel num_threads(threads)
            {
#pragma omp single
                all_of_them(threads);
#pragma omp barrier
                writers();
                exclusive();
                undeferred();
                addresses();
#pragma omp task
                {
                    writers();
                    addresses();
                }
            }
        }
    }
    return 0;
}
