/* cancel taskgroup: tasks of the group that have not started are discarded, those that run go on to their next
   cancellation point; descendants belong to the group too; other groups are not affected, and the cancellation ends
   with the group.
   limit: 60
   env: OMP_CANCELLATION=true
   symbols: GOMP_cancel GOMP_cancellation_point GOMP_taskgroup_start GOMP_taskgroup_end GOMP_task */
#include <omp.h>

#include "../common.h"
#include "../gate.h"

/* One thread, tasks one after the other: those after the cancelling one are discarded, unless undeferred before it. */
static void discarded(void)
{
    int before = 0, after = 0, point = 0, in_group = 0;
#pragma omp taskgroup
    {
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(before) if (0)
            before++;
        }
#pragma omp task if (0) shared(in_group)
        {
#pragma omp cancel taskgroup
            in_group++;
        }
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(after)
            count_up(&after);
        }
        /* The group is cancelled, not its creator's own task: here, in the implicit one, it meets no point. */
#pragma omp task if (0) shared(point)
        {
#pragma omp cancellation point taskgroup
            point++;
        }
    }
    CHECK(before == 10 && after == 0 && point == 0 && in_group == 0);
    /* The next group is not cancelled. */
#pragma omp taskgroup
    {
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(after)
            count_up(&after);
        }
    }
    CHECK(after == 10);
}

/* All threads run a task of the group, without end until it is cancelled. */
static void running(int threads)
{
    int started = 0, stopped = 0, ended = 0;
#pragma omp taskgroup
    {
        for (int i = 0; i < threads - 1; i++) {
#pragma omp task shared(started, stopped, ended)
            {
                count_up(&started);
                for (;;) {
                    count_up(&stopped); /* read only */
#pragma omp cancellation point taskgroup
                    sched_yield();
                }
                count_up(&ended);
            }
        }
        wait_until(&started, threads - 1);
#pragma omp task if (0)
        {
#pragma omp cancel taskgroup
        }
    }
    CHECK(started == threads - 1 && ended == 0);
}

static void inner_group(void)
{
    int outer = 0, inner = 0, deep = 0;
#pragma omp taskgroup
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task shared(outer)
            count_up(&outer);
        }
#pragma omp task shared(outer, inner, deep)
        {
#pragma omp taskgroup
            {
#pragma omp task if (0) shared(inner, deep)
                {
#pragma omp task shared(deep)
                    count_up(&deep); /* may have run before, as a child of a cancelling task */
#pragma omp cancel taskgroup
                    count_up(&inner);
                }
#pragma omp task shared(inner)
                count_up(&inner);
            }
            CHECK(look(&inner) == 0);
#pragma omp cancellation point taskgroup
            count_up(&outer); /* the outer group is not cancelled */
        }
    }
    CHECK(outer == 21 && inner == 0 && deep <= 1);
}

/* A search: many tasks, of which one finds and cancels. */
static void search(int depth, int value, int wanted, int *found, int *visits)
{
    count_up(visits);
    if (depth == 0)
        return;
    for (int i = 0; i < 2; i++) {
#pragma omp task firstprivate(found, visits)
        {
            if (2 * value + i == wanted) {
                count_up(found);
#pragma omp cancel taskgroup
            }
#pragma omp cancellation point taskgroup
            search(depth - 1, 2 * value + i, wanted, found, visits);
        }
    }
}

int main(void)
{
    omp_set_dynamic(0);
    CHECK(omp_get_cancellation());
    for (int threads = 1; threads <= 8; threads *= 2) {
        for (int pass = 0; pass < 20; pass++) {
            int found = 0, visits = 0;
#pragma omp parallel num_threads(threads)
            {
                discarded();
                inner_group();
#pragma omp barrier
#pragma omp master
                running(threads);
#pragma omp barrier
#pragma omp single
                {
#pragma omp taskgroup
                    {
#pragma omp task shared(found, visits)
                        search(12, 1, 1500, &found, &visits);
                    }
                }
                /* Cancelled groups leave the team's barriers alone. */
                CHECK(found == 1);
            }
            /* Nobody visits what is below the one that is found, two levels above the last. */
            CHECK(visits > 0 && visits <= (1 << 13) - 1 - 7);
        }
    }
    return 0;
}
