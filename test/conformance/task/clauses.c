/* if(0) and final make a task undeferred: its creator executes it at once; what omp_in_final returns in each kind of
   task. Deferred tasks are all executed once, whatever their clauses.
   symbols: GOMP_task GOMP_taskwait omp_in_final */
#include <omp.h>

#include "../common.h"

static void undeferred(void)
{
    int me = omp_get_thread_num(), value = 0, before = omp_get_level();
#pragma omp task if (0) shared(value)
    {
        CHECK(omp_get_thread_num() == me && omp_get_level() == before);
        CHECK(!omp_in_final());
        value = 1;
    }
    CHECK(value == 1);
#pragma omp task if (0) shared(value) untied
    value = 2;
    CHECK(value == 2);
#pragma omp task if (0) firstprivate(value)
    value = 3;
    CHECK(value == 2);
    /* A task in an undeferred one is an ordinary child of that one. */
#pragma omp task if (0) shared(value)
    {
#pragma omp task shared(value)
        value = 4;
#pragma omp taskwait
        CHECK(value == 4);
    }
    CHECK(value == 4);
}

static void final_ones(int *count)
{
    int is_final = 1;
#pragma omp task final(is_final) shared(count)
    {
        int me = omp_get_thread_num(), order = 0;
        CHECK(omp_in_final());
        /* All that a final task creates is included: executed at once, by the same thread, and final too. */
        for (int i = 0; i < 5; i++) {
#pragma omp task shared(order)
            {
                CHECK(omp_in_final() && omp_get_thread_num() == me);
                CHECK(order == i * 2);
                order++;
#pragma omp task shared(order) if (i % 2)
                {
                    CHECK(omp_in_final() && omp_get_thread_num() == me);
                    order++;
                }
            }
        }
        CHECK(order == 10);
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    }
    is_final = 0;
#pragma omp task final(is_final) shared(count)
    {
        CHECK(!omp_in_final());
        __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    }
}

/* The implicit tasks of a region inside a final task are not final, nor is what they create. A task that was undeferred
   would wait for its event before it is fulfilled. */
static void regions_in_final_ones(int levels)
{
    omp_set_max_active_levels(levels);
#pragma omp task final(1)
    {
        CHECK(omp_in_final());
#pragma omp parallel num_threads(2)
        {
            CHECK(!omp_in_final());
            int value = 0;
            omp_event_handle_t event;
#pragma omp task shared(value) detach(event)
            {
                CHECK(!omp_in_final());
                value = 1;
            }
            omp_fulfill_event(event);
#pragma omp taskwait
            CHECK(value == 1);
        }
        CHECK(omp_in_final());
    }
}

int main(void)
{
    omp_set_dynamic(0);
    undeferred();
    for (int levels = 0; levels <= 2; levels++) {
        regions_in_final_ones(levels);
#pragma omp parallel num_threads(2)
        regions_in_final_ones(levels);
    }
    omp_set_max_active_levels(1);
    for (int threads = 1; threads <= 8; threads *= 2) {
        int executed[6] = {0}, finals = 0, own = 0;
#pragma omp parallel num_threads(threads)
        {
            CHECK(!omp_in_final());
            undeferred();
            final_ones(&finals);
#pragma omp single
            for (int i = 0; i < 300; i++) {
#pragma omp task shared(executed)
                __atomic_fetch_add(&executed[0], i, __ATOMIC_RELAXED);
#pragma omp task shared(executed) untied
                __atomic_fetch_add(&executed[1], i, __ATOMIC_RELAXED);
                /* A mergeable task may be an included one; with shared data only, the program cannot tell. */
#pragma omp task shared(executed) mergeable
                __atomic_fetch_add(&executed[2], i, __ATOMIC_RELAXED);
#pragma omp task shared(executed) mergeable final(i % 3 == 0)
                __atomic_fetch_add(&executed[3], i, __ATOMIC_RELAXED);
#pragma omp task shared(executed) if (i % 2)
                __atomic_fetch_add(&executed[4], i, __ATOMIC_RELAXED);
#pragma omp task shared(executed, own) firstprivate(i) default(none)
                {
                    int copy = i;
                    i = -1;
                    __atomic_fetch_add(&executed[5], copy, __ATOMIC_RELAXED);
#pragma omp atomic
                    own += i;
                }
            }
        }
        for (int i = 0; i < 6; i++)
            CHECK(executed[i] == 299 * 300 / 2);
        CHECK(finals == 2 * threads && own == -300);
    }
    return 0;
}
