/* Taskloops of many more tasks than threads, whose tasks do what tasks may do: children with and without taskwait, data
   of their own, settings of their own, taskloops and regions inside, reductions; several loops at once, in tasks.
   limit: 60
   symbols: GOMP_taskloop */
#include <omp.h>

#include "../common.h"

enum { TASKS = 500, ROUNDS = 20, THREADS = 4 };

static int seen[TASKS], children[TASKS];

static void whole(int each)
{
    for (int i = 0; i < TASKS; i++) {
        CHECK(__atomic_load_n(&seen[i], __ATOMIC_RELAXED) == each);
        seen[i] = 0;
    }
}

static void visit(int i)
{
    __atomic_fetch_add(&seen[i], 1, __ATOMIC_RELAXED);
}

static void spin(int rounds)
{
    for (volatile int k = 0; k < rounds; k++)
        ;
}

static void plain(void)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < TASKS; i++)
        visit(i);
    whole(1);
}

/* A few tasks take as long as all others together, at the beginning, in the middle or at the end. */
static void uneven(int where)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < TASKS; i++) {
        spin(i / 8 == where ? 20000 : 10);
        visit(i);
    }
    whole(1);
}

static void with_children(int wait)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < TASKS; i++) {
        int mine = 0;
        for (int k = 0; k < i % 4; k++) {
#pragma omp task shared(mine) if (wait || k > 0)
            {
                visit(i);
                __atomic_fetch_add(&children[i], 1, __ATOMIC_RELAXED);
                if (wait)
                    __atomic_fetch_add(&mine, 1, __ATOMIC_RELAXED);
            }
        }
        if (wait) {
#pragma omp taskwait
            CHECK(mine == i % 4);
        }
    }
    for (int i = 0; i < TASKS; i++) {
        CHECK(seen[i] == i % 4 && children[i] == i % 4);
        seen[i] = children[i] = 0;
    }
}

/* Each task begins with the settings of the encountering task, whatever the one before it on its thread has set. */
static void with_settings(void)
{
    int threads = omp_get_max_threads();
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < TASKS; i++) {
        CHECK(omp_get_max_threads() == threads);
        if (i % 3 == 0)
            omp_set_num_threads(threads + 1 + i);
        visit(i);
    }
    CHECK(omp_get_max_threads() == threads);
    whole(1);
}

static void with_data(void)
{
    struct {
        int number, pad[40];
    } data = {.number = 7};
#pragma omp taskloop grainsize(1) firstprivate(data)
    for (int i = 0; i < TASKS; i++) {
        CHECK(data.number == 7);
        data.number = i;
        visit(i);
    }
    CHECK(data.number == 7);
    whole(1);
}

static void with_loops_inside(void)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < TASKS / 20; i++) {
#pragma omp taskloop grainsize(1)
        for (int j = 0; j < 20; j++)
            visit(20 * i + j);
        for (int j = 0; j < 20; j++)
            CHECK(__atomic_load_n(&seen[20 * i + j], __ATOMIC_RELAXED) == 1);
    }
    whole(1);
}

static void with_regions_inside(void)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < TASKS; i++) {
        if (i % 50 == 0) {
            int team = 0;
#pragma omp parallel num_threads(2) reduction(+ : team)
            team = 1;
            CHECK(team == 2);
        }
        visit(i);
    }
    whole(1);
}

static void reduces(void)
{
    long sum = 0;
#pragma omp taskloop grainsize(1) reduction(+ : sum)
    for (int i = 0; i < TASKS; i++)
        sum += i;
    CHECK(sum == (long)TASKS * (TASKS - 1) / 2);
}

static void last(void)
{
    int at = -1;
#pragma omp taskloop grainsize(1) lastprivate(at)
    for (int i = 0; i < TASKS; i++)
        at = i;
    CHECK(at == TASKS - 1);
}

static void nested_in_tasks(void)
{
#pragma omp taskgroup
    for (int k = 0; k < 3; k++) {
#pragma omp task
        {
#pragma omp taskloop grainsize(1)
            for (int i = 0; i < TASKS; i++)
                visit(i);
        }
    }
    whole(3);
}

int main(void)
{
    omp_set_max_active_levels(2);
    for (int threads = 1; threads <= THREADS; threads++)
        for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(threads)
#pragma omp single
            {
                plain();
                uneven(round % 3 == 0 ? 0 : round % 3 == 1 ? TASKS / 16 : TASKS / 8 - 1);
                with_children(0);
                with_children(1);
                with_settings();
                with_data();
                with_loops_inside();
                reduces();
                last();
                nested_in_tasks();
                if (round == 0)
                    with_regions_inside();
            }
        }
    return 0;
}
