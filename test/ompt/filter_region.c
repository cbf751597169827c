/* A tool that wants to know of some regions only (ghcomp_set_region_filter), in the program itself. Whatever is left
 * out:
 *
 *   - Each outermost region is reported or filtered: the numbers add up, credit included, which the runtime counts
 *     without a call of the filter.
 *   - A reported region has its begin, its end, and an implicit task for each member, with the region's word.
 *   - A filtered one has no begin and no end. Its members have no implicit task, unless they come to an event: then the
 *     task begins before that, once, with a word for the region that is 0, and ends.
 *   - Barriers, locks, loops and tasks are reported in both, within an implicit task of their thread.
 *   - A nested region is always reported, without a call of the filter. */
#include <omp-tools.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "start.h"

enum { THREADS = 3, TIMES = 200, TASKS = 8, REGION = 0x4e9, DEEP = 8, KINDS = 10 };

static _Atomic unsigned long asked, left, begun, ended, members, late, over, barriers, locks, chunks, created, complete;
static uint64_t granted, passes;    /* to the runtime, and what of that is left: one thread opens all regions */
static _Atomic bool tells, leaves;  /* all regions */
static ompt_get_state_t get_state;
static ompt_get_task_info_t get_task_info;
static ghcomp_set_region_filter_t set_filter;
static __thread unsigned depth;     /* implicit tasks that the thread is in */
static __thread bool is_late[DEEP];

/* One in four is told, and some are left to the runtime. */
static int filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *pass)
{
    static unsigned draw;
    CHECK(data != NULL && address != NULL && pass->left == NULL && depth == 1);
    asked++;
    draw++;
    bool told = tells || (!leaves && draw % 4 == 0);
    left += !told;
    if (!tells && !leaves && draw % 3 == 0) {
        granted += draw % 5;
        passes += draw % 5;
        pass->left = &passes;
    }
    return told;
}

/* Regions that the runtime has left out without asking. */
static unsigned long passed(void)
{
    return granted - passes;
}

static void on_begin(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *region, unsigned requested, int flags,
                     const void *address)
{
    (void)task, (void)frame, (void)requested, (void)flags;
    CHECK(region->value == 0 && address != NULL && depth > 0);
    region->value = REGION;
    begun++;
}

static void on_end(ompt_data_t *region, ompt_data_t *task, int flags, const void *address)
{
    (void)task, (void)flags, (void)address;
    CHECK(region->value == REGION);
    ended++;
}

static void on_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned size,
                        unsigned index, int flags)
{
    if (endpoint == ompt_scope_end) {
        CHECK(depth > 0);
        over++;
        depth--;
        return;
    }
    CHECK(depth < DEEP && task->value == 0);
    is_late[depth] = (flags & ompt_task_implicit) && region->value == 0;
    CHECK(!(flags & ompt_task_implicit) || region->value == 0 || region->value == REGION);
    CHECK((flags & ompt_task_initial) || index < size);
    members++;
    late += is_late[depth++];
}

/* Whether the thread is in a region, as far as the tool has been told. */
static void inside(const ompt_data_t *region)
{
    CHECK(depth > 0);
    CHECK(region == NULL || region->value == (is_late[depth - 1] ? 0 : REGION));
}

static void on_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                      const void *address)
{
    (void)address;
    CHECK(depth > 0 && task != NULL);
    if (kind == ompt_sync_region_barrier_implicit_parallel)
        CHECK(!is_late[depth - 1]);
    if (kind != ompt_sync_region_barrier_explicit || endpoint != ompt_scope_begin)
        return;
    inside(region);
    barriers++;
}

static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *address)
{
    (void)id, (void)address;
    inside(NULL);
    locks += kind == ompt_mutex_critical;
}

static void on_dispatch(ompt_data_t *region, ompt_data_t *task, ompt_dispatch_t kind, ompt_data_t instance)
{
    (void)task, (void)kind, (void)instance;
    inside(region);
    chunks++;
}

static void on_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *new, int flags, int dependent,
                      const void *address)
{
    (void)task, (void)frame, (void)new, (void)dependent, (void)address;
    inside(NULL);
    created += (flags & ompt_task_explicit) != 0;
}

static void on_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    (void)prior, (void)next;
    inside(NULL);
    complete += status == ompt_task_complete;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    set_filter = (ghcomp_set_region_filter_t)lookup("ghcomp_set_region_filter");
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_begin);
    set(ompt_callback_parallel_end, (ompt_callback_t)on_end);
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit);
    set(ompt_callback_sync_region, (ompt_callback_t)on_region);
    set(ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired);
    set(ompt_callback_dispatch, (ompt_callback_t)on_dispatch);
    set(ompt_callback_task_create, (ompt_callback_t)on_create);
    set(ompt_callback_task_schedule, (ompt_callback_t)on_schedule);
    CHECK(set_filter(filter) == 1);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
    CHECK(members == over);
    CHECK(begun == ended);
    CHECK(created == complete);
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static _Atomic unsigned long done;

static void work(void)
{
    CHECK(get_state(NULL) == ompt_state_work_parallel);
    CHECK(get_task_info(0, NULL, NULL, NULL, NULL, NULL) > 0);
    done++;
}

static void plain(int threads)
{
#pragma omp parallel num_threads(threads)
    work();
}

/* Of clang's code a region whose clause is false is no call with the body. */
static void with_a_clause(bool condition)
{
#pragma omp parallel if (condition) num_threads(THREADS)
    {
        work();
#pragma omp critical
        done++;
        work();
    }
}

/* ... or one call either way, as flang makes it. */
#ifdef __clang__
void __kmpc_fork_call_if(void *, int, void (*)(int *, int *, void *), int, void *);
static void body(int *number, int *member, void *data)
{
    (void)data;
    CHECK(*number >= 0 && *member == omp_get_thread_num());
    work();
}
#endif
static void with_a_late_clause(bool condition)
{
#ifdef __clang__
    static char location[64];
    __kmpc_fork_call_if(location, 1, body, condition, NULL);
#else
#pragma omp parallel if (condition)
    work();
#endif
}

static void with_barrier(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        work();
#pragma omp barrier
        work();
    }
}

static void with_lock(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        work();
#pragma omp critical
        done++;
        work();
    }
}

static void with_loop(void)
{
#pragma omp parallel num_threads(THREADS)
    {
        work();
#pragma omp for schedule(dynamic, 1) nowait
        for (int i = 0; i < TASKS; i++)
            done++;
        work();
    }
}

/* The tasks run where the others wait for the region's end, in members that have come to no event before. */
static void with_tasks(void)
{
    int x = 0;
#pragma omp parallel num_threads(THREADS)
    {
        work();
        if (omp_get_thread_num() == 1)
            for (int i = 0; i < TASKS; i++)
#pragma omp task depend(inout : x) if (i % 4 != 3)
            {
                work();
                x++;
            }
    }
    CHECK(x == TASKS);
}

static void with_region(void)
{
#pragma omp parallel num_threads(2)
    {
        work();
#pragma omp parallel num_threads(2)
        work();
        work();
    }
}

static void alone_with_all(void)
{
#pragma omp parallel num_threads(1)
    {
#pragma omp barrier
#pragma omp task
        work();
#pragma omp taskwait
#pragma omp critical
        work();
    }
}

/* One region of each kind. */
static void all(void)
{
    plain(THREADS);
    with_a_clause(false);
    with_a_late_clause(true);
    with_a_late_clause(false);
    with_barrier();
    with_lock();
    with_loop();
    with_tasks();
    with_region();
    alone_with_all();
    CHECK(get_state(NULL) == ompt_state_work_serial);
}

/* Members that come to an event in one round of all regions: those of the barrier, the lock and the loop, the one that
   makes the tasks, two with a region inside, and two alone. Those that run tasks come on top, one for each at
   most: a worker comes back for tasks more than once. */
enum { EVENTS = 3 * THREADS + 1 + 2 + 2, EACH_BARRIERS = THREADS + 1, EACH_LOCKS = THREADS + 2 };

/* The tool knows of a league's teams, so a region in one is inside of another one. */
static void in_a_league(void)
{
    unsigned long regions = asked + passed(), before = begun;
    leaves = true;
#pragma omp teams num_teams(2) thread_limit(2)
#pragma omp parallel num_threads(2)
    done++;
    leaves = false;
    CHECK(asked + passed() == regions);
    CHECK(begun - before == 1 + 2 * 2); /* the league; each team's initial region, and the region in it */
}

int main(void)
{
    omp_set_max_active_levels(2);
    /* Told or not, the same events inside; the first region makes the records, so both orders. */
    for (int round = 0; round < 4; round++) {
        tells = round % 2 == 0;
        leaves = !tells;
        unsigned long begun_before = begun, late_before = late, regions = asked + passed(), members_before = members;
        plain(1);
        plain(THREADS);
        CHECK(begun - begun_before == (tells ? 2 : 2 * (asked == 0)));
        CHECK(late == late_before);
        CHECK(members - members_before == (tells || asked == 0 ? 1 + THREADS : 0));
        CHECK(asked == 0 || asked + passed() == regions + 2);
    }
    tells = leaves = false;
    unsigned long before[] = {barriers, locks, chunks, created}, told = begun;
    for (int i = 0; i < TIMES; i++)
        all();
    CHECK(barriers - before[0] == TIMES * EACH_BARRIERS);
    CHECK(locks - before[1] == TIMES * EACH_LOCKS);
    CHECK(chunks - before[2] == TIMES * TASKS);
    CHECK(created - before[3] == TIMES * (TASKS + 1));
    CHECK(set_filter(NULL) == 0); /* too late */
    /* All regions: told, left out on being asked, or passed. Of nested ones all are told, two each time. */
    CHECK(asked + passed() == 8 + TIMES * KINDS && passed() > 0 && left > asked / 2);
    CHECK(begun == asked - left + TIMES * 2);
    CHECK(told < begun && late > TIMES * EVENTS / 2 && late < TIMES * (EVENTS + TASKS));
    in_a_league();
    return 0;
}
