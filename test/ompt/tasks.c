/* Explicit tasks of all kinds, in a team and in a team of one: creation, start, end; dependences, taskgroup, taskwait,
 * taskloop; a tree of many small tasks. */
#include "record.h"

enum { THREADS = 3, TIMES = 10 };

static void at_finalize(void)
{
}

static int fibonacci(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 4)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void expect_explicit(void)
{
    ompt_data_t *task, *parallel;
    ompt_frame_t *frame;
    int flags, thread;
    CHECK(get_task_info(0, &flags, &task, &frame, &parallel, &thread) == 2);
    CHECK(says_frames(frame));
    CHECK((flags & ompt_task_explicit) && of(TASK, task)->state == 1 && frame->exit_frame.ptr != NULL);
    CHECK(thread == omp_get_thread_num() && of(REGION, parallel) == of(TASK, task)->region);
    CHECK(get_state(NULL) == ompt_state_work_parallel); /* also where a thread runs it while it waits */
}

static void run(int threads)
{
    int x = 0, y = 0;
    _Atomic int loops = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        CHECK(fibonacci(10) == 55);
#pragma omp taskgroup
        for (int i = 0; i < 20; i++)
#pragma omp task untied
            expect_explicit();
        for (int i = 0; i < 5; i++) {
#pragma omp task depend(out : x)
            x++;
#pragma omp task depend(in : x) depend(inout : y)
            y += x;
        }
#pragma omp taskwait
#pragma omp task final(1) if (0)
        expect_explicit();
#pragma omp taskloop grainsize(4) shared(loops)
        for (int i = 0; i < 40; i++)
            loops++;
#pragma omp taskyield
    }
    CHECK(x == 5 && y == 15 && loops == 40);
}

int main(void)
{
    for (int i = 0; i < TIMES; i++)
        run(i % 2 == 0 ? THREADS : 1);
    CHECK(COUNT(TASK_CREATE) == COUNT(TASK_START) && COUNT(TASK_START) == COUNT(TASK_COMPLETE));
    CHECK(COUNT(TASK_CREATE) > TIMES * (20 + 10 + 1 + 10));
    CHECK(COUNT(DEPENDENCES) == 10 * TIMES);
    CHECK(COUNT(WORK_BEGIN + ompt_work_taskloop) == TIMES && COUNT(WORK_END + ompt_work_taskloop) == TIMES);
    CHECK(COUNT(DISPATCH + ompt_dispatch_taskloop_chunk) == 10 * TIMES);
    CHECK(COUNT(SYNC_BEGIN + ompt_sync_region_taskgroup) == 2 * TIMES);
    CHECK(COUNT(SYNC_END + ompt_sync_region_taskgroup) == 2 * TIMES);
    CHECK(COUNT(SYNC_BEGIN + ompt_sync_region_taskwait) > 2 * TIMES);
    CHECK(COUNT(SYNC_END + ompt_sync_region_taskwait) == COUNT(SYNC_BEGIN + ompt_sync_region_taskwait));
    return 0;
}
