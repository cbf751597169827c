/* The trace, on the host of trace_log.h: what is written, logs that begin and end while regions run, from several
   masters; fork(); the close. trace_full.c has buffers that are full and threads that end. */
#include "core/trace/trace.h"

#include "core/cpu/wait.h"
#include "core/task/task.h"
#include "trace_log.h"

static void nest(void *data)
{
    ghcomp_team_parallel(two_barriers, data, 2, 0);
}

static void each_region_is_written(void)
{
    begin_log();
    regions(50, 3);
    struct counts counts = read_log();
    CHECK_EQUAL(50, counts.region_begins);
    CHECK_EQUAL(50, counts.region_ends);
    CHECK_EQUAL(100, counts.parts);
    CHECK_EQUAL(100, counts.part_ends);
    CHECK_EQUAL(300, counts.barriers);
    CHECK_EQUAL(3, counts.threads);
    check_nothing_open();
    settle();
    regions(10, 3);
    CHECK_EQUAL(0, read_log().threads);
}

static void nested_regions(void)
{
    ghcomp_global.initial.max_active_levels = 2;
    begin_log();
    for (int i = 0; i < 20; i++)
        ghcomp_team_parallel(nest, NULL, 2, 0);
    struct counts counts = read_log();
    CHECK_EQUAL(60, counts.region_begins);
    CHECK_EQUAL(60, counts.region_ends);
    CHECK_EQUAL(60, counts.parts);
    check_nothing_open();
    settle();
}

/* Logs come and go while masters run regions and end: no log has an end without its begin. */
static void logs_come_and_go(void)
{
    int times = 200;
    for (int log = 0; log < 10; log++) {
        pthread_t threads[4];
        begin_log();
        uint32_t before = ghcomp_load_relaxed(&writes), ends_before = ghcomp_load_relaxed(&ends_written);
        ghcomp_store_relaxed(&masters_done, 0u);
        for (int i = 0; i < 4; i++)
            CHECK(pthread_create(&threads[i], NULL, master, &times) == 0);
        /* All may be done before this thread gets a CPU. A master that ends writes its buffer, so there will be
           ends. */
        while ((ghcomp_load_relaxed(&writes) - before < 20 && ghcomp_load_relaxed(&masters_done) < 4) ||
               ghcomp_load_relaxed(&ends_written) == ends_before)
            ghcomp_os_yield();
        end_log();
        for (int i = 0; i < 4; i++)
            CHECK(pthread_join(threads[i], NULL) == 0);
        struct counts counts = read_log();
        CHECK(counts.region_ends > 0 && counts.region_ends <= counts.region_begins);
        CHECK(counts.region_begins - counts.region_ends <= 4);
        regions(1, 2);
    }
    settle();
}

/* A task in which one log ends and the next begins, as other masters find out: its end is in neither. */
static void next_log(void *data)
{
    (void)data;
    end_log();
    another_master(1);
    begin_log_within(true);
    another_master(1);
}

static void make_task(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 0)
        ghcomp_task_submit(self, ghcomp_task_new(self, next_log, 0, 0, 0));
    ghcomp_barrier_wait(self);
}

static void task_across_logs(void)
{
    begin_log();
    ghcomp_team_parallel(make_task, NULL, 2, 0);
    regions(1, 2);
    another_master(1);
    regions(1, 2);
    struct counts counts = read_log();
    CHECK(counts.tasks == 0 && counts.task_ends == 0);
    if (!at_end_known) {
        CHECK_EQUAL(4, counts.region_ends);
        check_nothing_open();
    }
    settle();
}

/* A log that ends in a region, and the next one, in the same file, before any thread looks: what began in the first
   does not end in the second. */
static void replace_log(void *data)
{
    (void)data;
    /* No thread is writing: workers have written all they have before they sleep. */
    while (ghcomp_load_relaxed(&ghcomp_cpu_load.awake) != 0)
        ghcomp_os_yield();
    pthread_mutex_lock(&log_lock);
    CHECK(ftruncate(file, 0) == 0 && lseek(file, 0, SEEK_SET) == 0);
    log_used = 0;
    reader_count = 0;
    pthread_mutex_unlock(&log_lock);
}

static void log_replaced(void)
{
    begin_log();
    regions(2, 1);
    ghcomp_team_parallel(replace_log, NULL, 1, 0);
    regions(3, 2);
    CHECK_EQUAL(3, read_log().region_ends);
    check_nothing_open();
    settle();
}

/* Other threads begin and end logs between a thread's look and what it does next. */
static void *slow_master(void *data)
{
    (void)data;
    ghcomp_self();
    stops = true;
    regions(1, 2);
    return NULL;
}

static pthread_t start_slow_master(void)
{
    pthread_t thread;
    ghcomp_store_relaxed(&stopped, 0u);
    CHECK(pthread_create(&thread, NULL, slow_master, NULL) == 0);
    while (ghcomp_load_acquire(&stopped) == 0)
        ghcomp_os_yield();
    return thread;
}

static void let_go(void *data)
{
    ghcomp_store_release(&stopped, 2u);
    CHECK(pthread_join(*(pthread_t *)data, NULL) == 0);
}

static void late_look(void)
{
    /* It saw a log. */
    begin_log();
    pthread_t thread = start_slow_master();
    end_log();
    regions(1, 2);
    let_go(&thread);
    begin_log();
    regions(1, 2);
    CHECK_EQUAL(1, read_log().region_ends);
    /* It saw none. */
    end_log();
    thread = start_slow_master();
    regions(1, 2);
    begin_log();
    ghcomp_team_parallel(let_go, &thread, 1, 0);
    CHECK_EQUAL(2, read_log().region_ends);
    check_nothing_open();
    settle();
}

/* The child has no log, and its regions run. */
static void child_is_not_traced(void)
{
    if (unit_without("fork"))
        return;
    begin_log();
    regions(1, 2);
    read_log();
    pid_t child = fork();
    if (child == 0) {
        regions(5, 1); /* the thread sanitizer allows no new threads */
        _exit(log_used == 0 && ghcomp_observers_now() == 0 ? 0 : 3);
    }
    CHECK_EQUAL(0, status_of(child));
    regions(1, 2);
    CHECK_EQUAL(1, read_log().region_ends);
    settle();
}

/* A log that goes elsewhere than to a file. */
static void unknown_writer(void)
{
    ghcomp_store_relaxed(&running, true);
    regions(10, 2);
    CHECK_EQUAL(0, read_log().threads);
    ghcomp_store_relaxed(&running, false);
    regions(1, 2);
    begin_log();
    regions(1, 2);
    CHECK_EQUAL(1, read_log().region_ends);
    /* The file is closed, and the host does not report it yet. */
    close_file();
    regions(10, 2);
    CHECK_EQUAL(0, read_log().region_ends);
    ghcomp_store_relaxed(&running, false);
    unlink(log_name);
    strcpy(log_name, "/tmp/ghcomp-trace-XXXXXX.eventlog");
    regions(1, 2);
}

/* When the host reports nothing, what other threads do is written in the first thread's regions only. */
static void first_thread_writes(void)
{
    begin_log();
    regions(1, 2);
    CHECK_EQUAL(1, read_log().region_ends);
    another_master(5);
    CHECK_EQUAL(0, read_log().region_ends);
    regions(1, 2);
    CHECK_EQUAL(6, read_log().region_ends);
    check_nothing_open();
    settle();
}

static void closed_for_good(void)
{
    begin_log();
    regions(5, 2);
    read_log();
    uint32_t log = ghcomp_trace_begin(ghcomp_observers_now(), GHCOMP_TRACE_TASK);
    ghcomp_trace_end(GHCOMP_TRACE_TASK, log);
    ghcomp_trace_close();
    CHECK_EQUAL(at_end_known, read_log().tasks);
    check_nothing_open();
    regions(5, 2);
    ghcomp_trace_start();
    regions(5, 2);
    CHECK_EQUAL(0, read_log().threads);
    end_log();
}

static void tests(void)
{
    regions(1, 2);
    CHECK(ghcomp_host() == &ghcomp_host_table);
    if (!at_end_known) {
        each_region_is_written();
        nested_regions();
        child_is_not_traced();
        unknown_writer();
        log_replaced();
        late_look();
        first_thread_writes();
    } else {
        logs_come_and_go();
    }
    task_across_logs();
    closed_for_good();
}
