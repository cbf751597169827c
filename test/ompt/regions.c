/* Regions: threads, parallel regions of all kinds, their implicit tasks and the barrier at their end; ids, frames and
 * states as the inquiry functions give them; omp_control_tool; the end of the process. */
#include "record.h"

static void at_finalize(void)
{
    CHECK(COUNT(THREAD_END) == COUNT(THREAD_INITIAL) + COUNT(THREAD_WORKER));
    CHECK(COUNT(INITIAL_END) == COUNT(INITIAL_BEGIN));
    puts("finalized");
}

static void expect_tasks(int levels)
{
    ompt_data_t *task, *parallel, *before = NULL;
    ompt_frame_t *frame;
    int flags, thread, size;
    for (int level = 0; level < levels; level++) {
        CHECK(get_task_info(level, &flags, &task, &frame, &parallel, &thread) == 2);
        CHECK(of(TASK, task)->region == of(REGION, parallel) && task != before);
        CHECK(flags & (level == levels - 1 ? ompt_task_initial : ompt_task_implicit));
        CHECK(says_frames(frame));
        CHECK((frame->exit_frame.ptr != NULL) == (level < levels - 1));
        CHECK((frame->enter_frame.ptr != NULL) == (level > 0));
        CHECK(get_parallel_info(level, &parallel, &size) == 2 && of(REGION, parallel)->threads == (unsigned)size);
        before = task;
    }
    CHECK(get_task_info(levels, NULL, NULL, NULL, NULL, NULL) == 0);
    CHECK(get_parallel_info(levels, NULL, NULL) == 0);
}

static void ask(void)
{
    int state = ompt_state_undefined, states = 0, impl = ompt_mutex_impl_none, impls = 0;
    const char *name;
    while (enumerate_states(state, &state, &name)) {
        CHECK(strncmp(name, "ompt_state_", 11) == 0);
        states++;
    }
    while (enumerate_mutex_impls(impl, &impl, &name))
        impls++;
    CHECK(states > 10 && states < 100 && impls >= 1 && impls < 10);
    CHECK(get_unique_id() != get_unique_id());
    CHECK(get_num_procs() == omp_get_num_procs());
    ompt_callback_t callback;
    CHECK(get_callback(ompt_callback_thread_begin, &callback) == 1 && callback == (ompt_callback_t)thread_begin);
    CHECK(get_callback(ompt_callback_target, &callback) == 0);
    CHECK(get_state(NULL) == ompt_state_work_serial);
}

int omp_control_tool(int command, int modifier, void *arg);

int main(void)
{
    enum { TIMES = 20 };
    CHECK(omp_get_num_threads() == 1);
    CHECK(COUNT(THREAD_INITIAL) == 1 && COUNT(INITIAL_BEGIN) == 1);
    ask();
    expect_tasks(1);
    for (int i = 0; i < TIMES; i++)
#pragma omp parallel num_threads(3)
    {
        CHECK(get_state(NULL) == ompt_state_work_parallel);
        expect_tasks(2);
    }
    CHECK(COUNT(PARALLEL_BEGIN) == TIMES && COUNT(PARALLEL_END) == TIMES);
    CHECK(COUNT(IMPLICIT_BEGIN) == 3 * TIMES && COUNT(IMPLICIT_END) == 3 * TIMES);
    CHECK(COUNT(SYNC_BEGIN + ompt_sync_region_barrier_implicit_parallel) == 3 * TIMES);
    CHECK(COUNT(WAIT_END + ompt_sync_region_barrier_implicit_parallel) == 3 * TIMES);

    omp_set_max_active_levels(2);
    counts[PARALLEL_BEGIN] = counts[IMPLICIT_BEGIN] = 0;
    for (int i = 0; i < TIMES; i++)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
        expect_tasks(3);
#pragma omp parallel num_threads(2) /* a team of one */
        CHECK(omp_get_num_threads() == 1);
    }
    CHECK(COUNT(PARALLEL_BEGIN) == (1 + 2 + 4) * TIMES && COUNT(IMPLICIT_BEGIN) == (2 + 4 + 4) * TIMES);

    volatile int never = 0;
    counts[PARALLEL_BEGIN] = 0;
#pragma omp parallel if (never)
    expect_tasks(2);
    CHECK(COUNT(PARALLEL_BEGIN) == 1);

    CHECK(omp_control_tool(2, 5, NULL) == 7 && COUNT(CONTROL) == 1);
    CHECK(set_callback(ompt_callback_control_tool, NULL) == ompt_set_always);
    CHECK(omp_control_tool(2, 5, NULL) == -1);
    CHECK(COUNT(THREAD_END) == 0);
    return 0;
}
