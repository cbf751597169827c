/* The trace, on the host of trace_log.h: buffers that are full, and may not be written; spans nested deeper than
   one holds; threads that end. */
#include "core/trace/trace.h"

#include "trace_log.h"

static void many_spans(void *data)
{
    (void)data;
    for (int i = 0; i < 1000; i++) {
        uint32_t log = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_TASK);
        CHECK(log != 0);
        ghcomp_trace_end(GHCOMP_TRACE_TASK, log);
    }
}

static void full_buffers(void)
{
    begin_log();
    uint32_t before = ghcomp_load_relaxed(&writes);
    ghcomp_team_parallel(many_spans, NULL, 2, 0);
    CHECK(ghcomp_load_relaxed(&writes) - before > 2);
    CHECK_EQUAL(2000, read_log().tasks);
    check_nothing_open();
    settle();
}

/* More than a buffer holds, in a thread that may not write, in a span that is open all the while. Only whole spans are
   lost. Then the thread may wait, because a thread that ends gives away what it has. */
enum { OPENED = 1, WRITTEN, FILLED, MAY_END };
static _Atomic uint32_t keeper_at;

static void await_keeper(uint32_t at)
{
    while (ghcomp_load_acquire(&keeper_at) != at)
        ghcomp_os_yield();
}

static void *keeper(void *data)
{
    bool waits = *(bool *)data;
    ghcomp_self();
    uint32_t log = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_TASK);
    uint32_t inner = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_TASK);
    ghcomp_store_release(&keeper_at, (uint32_t)OPENED);
    await_keeper(WRITTEN);
    many_spans(NULL);
    ghcomp_trace_end(GHCOMP_TRACE_TASK, inner);
    inner = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_TASK);
    regions(300, 2);
    many_spans(NULL);
    ghcomp_trace_end(GHCOMP_TRACE_TASK, inner);
    ghcomp_trace_end(GHCOMP_TRACE_TASK, log);
    regions(2, 2);
    ghcomp_store_release(&keeper_at, (uint32_t)FILLED);
    if (waits)
        await_keeper(MAY_END);
    return NULL;
}

static void full_and_not_written(bool waits, bool opened_is_written)
{
    pthread_t thread;
    begin_log();
    regions(1, 2);
    ghcomp_store_relaxed(&keeper_at, 0u);
    CHECK(pthread_create(&thread, NULL, keeper, &waits) == 0);
    await_keeper(OPENED);
    if (opened_is_written) {
        regions(1, 2);
        CHECK_EQUAL(2, read_log().tasks);
    }
    ghcomp_store_release(&keeper_at, (uint32_t)WRITTEN);
    await_keeper(FILLED);
    if (!waits)
        CHECK(pthread_join(thread, NULL) == 0);
    regions(1, 2);
    struct counts counts = read_log();
    CHECK(counts.region_ends > 1 && counts.region_ends < 300);
    CHECK(counts.task_ends >= (opened_is_written ? 2 : 0));
    check_nothing_open();
    if (waits) {
        ghcomp_store_release(&keeper_at, (uint32_t)MAY_END);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    settle();
}

/* More nested spans than a buffer can hold. */
static void deep_spans(int depth)
{
    uint32_t log = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_TASK);
    if (depth > 1)
        deep_spans(depth - 1);
    ghcomp_trace_end(GHCOMP_TRACE_TASK, log);
}

static void *deep_master(void *data)
{
    (void)data;
    ghcomp_self();
    deep_spans(2000);
    regions(1, 1);
    deep_spans(2000);
    regions(1, 1);
    return NULL;
}

static void deep(void)
{
    pthread_t thread;
    begin_log();
    regions(1, 2);
    read_log();
    CHECK(pthread_create(&thread, NULL, deep_master, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    regions(1, 2);
    struct counts counts = read_log();
    if (at_end_known) {
        CHECK_EQUAL(4000, counts.tasks);
    } else {
        CHECK(counts.tasks < 4000);
        CHECK(counts.region_ends >= 2);
        check_nothing_open();
    }
    CHECK_EQUAL(counts.tasks, counts.task_ends);
    settle();
}

/* Threads that end before any thread may write. All events of the first ones are kept. */
static void many_threads_end(void)
{
    begin_log();
    regions(1, 2);
    read_log();
    for (int i = 0; i < 100; i++)
        another_master(1);
    regions(1, 2);
    struct counts counts = read_log();
    CHECK_EQUAL(1 + 64, counts.region_ends);
    check_nothing_open();
    /* They are kept for this log, not for the next. */
    another_master(1);
    settle();
    begin_log();
    regions(1, 2);
    CHECK_EQUAL(1, read_log().region_ends);
    check_nothing_open();
    settle();
}

static void tests(void)
{
    regions(1, 2);
    CHECK(ghcomp_host() == &ghcomp_host_table);
    if (!at_end_known) {
        full_buffers();
        for (int way = 0; way < 4; way++)
            full_and_not_written(way & 1, way & 2);
        many_threads_end();
    }
    deep();
}
