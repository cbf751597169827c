/* A tool whose callbacks call routines of omp.h. OpenMP forbids that, and users do it: each routine must work, in a
 * thread that begins, idles or ends, too, and where a region begins and ends. */
#include <omp-tools.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "start.h"

static _Atomic unsigned begins, ends, thread_begins, thread_ends, regions, syncs;

/* Where the thread is in no region of a team. */
static void ask_outside(void)
{
    CHECK(omp_get_thread_num() == 0 && omp_get_level() == 0 && omp_get_active_level() == 0 && !omp_in_parallel());
    CHECK(omp_get_num_threads() == 1 && omp_get_team_size(0) == 1 && omp_get_ancestor_thread_num(1) == -1);
    CHECK(omp_get_max_threads() > 0 && omp_get_thread_limit() > 0 && omp_get_num_teams() == 1);
    CHECK(!omp_in_final() && omp_get_place_num() >= -1 && omp_get_num_procs() > 0);
}

static void ask(void)
{
    int level = omp_get_level();
    CHECK(level >= 0 && level <= 2 && omp_get_thread_num() < omp_get_num_threads());
    CHECK(omp_get_ancestor_thread_num(level) == omp_get_thread_num() && omp_get_team_size(0) == 1);
    CHECK(omp_get_team_size(level) == omp_get_num_threads() && omp_get_max_threads() > 0);
}

static void on_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned size,
                        unsigned index, int flags)
{
    (void)parallel, (void)task;
    ask();
    if (!(flags & ompt_task_implicit))
        return;
    CHECK(omp_get_thread_num() == (int)index && omp_get_num_threads() == (int)size);
    atomic_fetch_add(endpoint == ompt_scope_begin ? &begins : &ends, 1);
}

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *data)
{
    (void)kind, (void)data;
    ask_outside();
    thread_begins++;
}

static void on_thread_end(ompt_data_t *data)
{
    (void)data;
    ask_outside();
    thread_ends++;
}

static void on_parallel_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel, unsigned requested,
                              int flags, const void *address)
{
    (void)task, (void)frame, (void)parallel, (void)requested, (void)flags, (void)address;
    ask();
    regions++;
}

static void on_parallel_end(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *address)
{
    (void)parallel, (void)task, (void)flags, (void)address;
    ask();
}

static void on_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
                    const void *address)
{
    (void)kind, (void)endpoint, (void)parallel, (void)task, (void)address;
    ask();
    syncs++;
}

static int initialize(ompt_function_lookup_t look, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)look("ompt_set_callback");
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit);
    set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    set(ompt_callback_thread_end, (ompt_callback_t)on_thread_end);
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_parallel_begin);
    set(ompt_callback_parallel_end, (ompt_callback_t)on_parallel_end);
    set(ompt_callback_sync_region, (ompt_callback_t)on_sync);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    CHECK(begins == ends && begins == 5 * (3 + 3 * 2) && regions == 5 * 4 && syncs > 0);
    CHECK(thread_begins == thread_ends && thread_begins >= 3);
    puts("finalized");
    fflush(stdout);
}

int main(void)
{
    int sum = 0;
    omp_set_max_active_levels(2);
    for (int i = 0; i < 5; i++) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
        {
            sum++;
#pragma omp parallel num_threads(2) reduction(+ : sum)
            sum++;
        }
        if (i % 2 == 1)
            CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
    }
    CHECK(sum == 45);
    return 0;
}
