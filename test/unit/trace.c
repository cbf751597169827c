/* The trace, on a host whose log is the test's own: blocks in the eventlog's format, texts, nesting, times; logs that
   begin and end while regions run, from several masters; threads that end; buffers that are full and may not be
   written; fork(); the close. No log ever has an end without its begin, nor a begin without its end except as the last
   event of its thread. */
#include "process.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/sync/barrier.h"
#include "base/check.h"
#include "core/state/settings.h"
#include "core/team/pool.h"
#include "core/task/task.h"
#include "core/team/team.h"
#include "core/trace/trace.h"
#include "core/cpu/wait.h"
#include "fake_ghc.h"

/* --- a host ------------------------------------------------------------------------------------------------------- */

enum { LOG_BYTES = 1 << 24 };
static _Atomic bool running;
static bool at_end_known;
static _Atomic uint32_t writes, ends_written; /* ends_written: writes with ends of regions */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *log_bytes; /* lock log_lock */
static size_t log_used;    /* lock log_lock: what has not been read yet */
static int file = -1;      /* lock log_lock: the log's file, which holds as many bytes */
static char log_name[] = "/tmp/ghcomp-trace-XXXXXX.eventlog";

static uint32_t capabilities(void)
{
    return 1;
}

/* Not 0: stops the thread between its look at the log and what it does next; 1 while it is stopped there. */
static _Thread_local bool stops;
static _Atomic uint32_t stopped;

static bool log_running(void)
{
    bool runs = ghcomp_load_relaxed(&running);
    if (stops) {
        stops = false;
        ghcomp_store_release(&stopped, 1u);
        while (ghcomp_load_acquire(&stopped) == 1)
            ghcomp_os_yield();
    }
    return runs;
}

/* A thread that writes after the log's end finds no file. */
static bool log_write(void *blocks, size_t bytes)
{
    pthread_mutex_lock(&log_lock);
    bool runs = ghcomp_load_relaxed(&running);
    if (runs) {
        CHECK(log_used + bytes <= LOG_BYTES);
        memcpy(log_bytes + log_used, blocks, bytes);
        log_used += bytes;
        CHECK(write(file, blocks, bytes) == (ssize_t)bytes);
        ghcomp_add_relaxed(&writes, 1u);
        if (memmem(blocks, bytes, "region-end", 10) != NULL)
            ghcomp_add_relaxed(&ends_written, 1u);
    }
    pthread_mutex_unlock(&log_lock);
    return runs;
}

static const char *log_file(void)
{
    return NULL;
}

static bool log_at_end(void (*closing)(void))
{
    CHECK(closing == ghcomp_trace_close);
    return at_end_known;
}

FAKE_GHC(.origin = "test", .capabilities = capabilities, .log_running = log_running, .log_write = log_write,
         .log_now = ghcomp_os_now, .log_file = log_file, .log_at_end = log_at_end);

/* --- reading it --------------------------------------------------------------------------------------------------- */

/* The state of the log's threads: a log may be read in parts, and spans may be open in between. */
enum { THREADS = 256, DEEPEST = 2048 };
struct reader {
    char name[16];
    uint64_t last;
    int reads; /* the last read that had an event of it */
    int depth;
    char open[DEEPEST][8];
};
static struct reader readers[THREADS]; /* lock log_lock, like those below */
static int reader_count;
static int reads;
static bool begun_within; /* the log began while regions were running */

/* In one read. */
struct counts {
    int region_begins, region_ends, parts, part_ends, barriers, parks, tasks, task_ends, threads;
};

static uint64_t number(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

static struct reader *reader_of(const char *name, struct counts *counts)
{
    int i = 0;
    while (i < reader_count && strcmp(readers[i].name, name) != 0)
        i++;
    struct reader *reader = &readers[i];
    if (i == reader_count) {
        CHECK(reader_count++ < THREADS);
        *reader = (struct reader){.depth = 0};
        strcpy(reader->name, name);
    }
    counts->threads += reader->reads != reads;
    reader->reads = reads;
    return reader;
}

static bool same(const char *one, const char *other)
{
    return strcmp(one, other) == 0;
}

/* What may be open around a span. This finds a begin whose end is missing: there would be a barrier in a barrier, say.
   Tasks are this test's own spans. */
static void check_place(const struct reader *reader, const char *kind, unsigned level)
{
    const char *around = reader->depth > 0 ? reader->open[reader->depth - 1] : "";
    bool in_region = same(around, "region") || same(around, "part"), worker = reader->name[0] == 'w';
    CHECK(!same(around, "park"));
    if (same(kind, "region"))
        CHECK(level > 1 ? in_region : same(around, "task") || (!worker && same(around, "")));
    else if (same(kind, "part"))
        CHECK(worker && same(around, ""));
    else if (same(kind, "barrier"))
        CHECK(in_region || (begun_within && same(around, "")));
    else
        CHECK(same(kind, "task") || same(kind, "park"));
}

static void read_event(const char *text, uint64_t time, struct counts *counts)
{
    char name[16], kind[16];
    CHECK_EQUAL(2, sscanf(text, "ghcomp %15s %15s", name, kind));
    CHECK(name[0] == 'w' || name[0] == 'm');
    struct reader *reader = reader_of(name, counts);
    CHECK(time >= reader->last);
    reader->last = time;
    char *dash = strchr(kind, '-');
    if (dash == NULL) {
        CHECK(same(kind, "yield") || same(kind, "steal") || same(kind, "lend"));
        return;
    }
    *dash = '\0';
    bool begins = same(dash + 1, "begin");
    CHECK(begins || same(dash + 1, "end"));
    unsigned level = 0;
    if (same(kind, "region")) {
        unsigned long region;
        unsigned size, wanted;
        if (begins)
            CHECK_EQUAL(4, sscanf(text, "ghcomp %*s region-begin region=%lu size=%u wanted=%u level=%u", &region, &size,
                                  &wanted, &level));
        *(begins ? &counts->region_begins : &counts->region_ends) += 1;
    } else if (same(kind, "part")) {
        *(begins ? &counts->parts : &counts->part_ends) += 1;
    } else if (same(kind, "task")) {
        *(begins ? &counts->tasks : &counts->task_ends) += 1;
    } else if (same(kind, "barrier")) {
        counts->barriers += begins;
    } else {
        CHECK(same(kind, "park"));
        counts->parks += begins;
    }
    if (begins) {
        check_place(reader, kind, level);
        CHECK(reader->depth < DEEPEST);
        strcpy(reader->open[reader->depth++], kind);
    } else if (reader->depth == 0 || !same(reader->open[reader->depth - 1], kind)) {
        fprintf(stderr, "%s at %llu: not what is open, %s\n", text, (unsigned long long)time,
                reader->depth == 0 ? "nothing" : reader->open[reader->depth - 1]);
        exit(1);
    } else {
        reader->depth--;
    }
}

static struct counts read_log(void)
{
    struct counts counts = {0};
    pthread_mutex_lock(&log_lock);
    reads++;
    for (size_t at = 0; at < log_used;) {
        const uint8_t *block = log_bytes + at;
        CHECK(log_used - at >= 24);
        CHECK_EQUAL(18, number(block, 2));
        uint64_t begin = number(block + 2, 8), end = number(block + 14, 8), size = number(block + 10, 4);
        CHECK_EQUAL(0xffff, number(block + 22, 2));
        CHECK(size > 24 && size <= log_used - at && begin <= end);
        uint64_t time = begin;
        size_t in = 24;
        while (in < size) {
            CHECK_EQUAL(19, number(block + in, 2));
            uint64_t now = number(block + in + 2, 8), length = number(block + in + 10, 2);
            char text[256];
            CHECK(now >= time && now <= end && in + 12 + length <= size && length < sizeof text);
            memcpy(text, block + in + 12, length);
            text[length] = '\0';
            read_event(text, now, &counts);
            time = now;
            in += 12 + length;
        }
        CHECK_EQUAL(size, in);
        at += size;
    }
    log_used = 0;
    pthread_mutex_unlock(&log_lock);
    return counts;
}

/* All has been written, and every working thread has been in a region that is over: at most workers sleep. */
static void check_nothing_open(void)
{
    pthread_mutex_lock(&log_lock);
    CHECK_EQUAL(0, log_used);
    for (int i = 0; i < reader_count; i++) {
        const struct reader *reader = &readers[i];
        CHECK(reader->depth == 0 || (reader->name[0] == 'w' && reader->depth == 1 && same(reader->open[0], "park")));
    }
    pthread_mutex_unlock(&log_lock);
}

/* --- tests -------------------------------------------------------------------------------------------------------- */

/* Another thread may look at the file at this moment, and is meant to; the thread sanitizer is kept from reporting
   it. */
static void close_file(void)
{
    syscall(SYS_close, file);
}

static void begin_log_within(bool within)
{
    pthread_mutex_lock(&log_lock);
    begun_within = within;
    file = mkstemps(log_name, 9);
    CHECK(file >= 0);
    log_used = 0;
    reader_count = 0;
    ghcomp_store_relaxed(&running, true);
    pthread_mutex_unlock(&log_lock);
}

static void begin_log(void)
{
    begin_log_within(false);
}

static void end_log(void)
{
    pthread_mutex_lock(&log_lock);
    ghcomp_store_relaxed(&running, false);
    close_file();
    unlink(log_name);
    strcpy(log_name, "/tmp/ghcomp-trace-XXXXXX.eventlog");
    pthread_mutex_unlock(&log_lock);
}

static void two_barriers(void *data)
{
    (void)data;
    ghcomp_barrier_wait(ghcomp_self());
    ghcomp_barrier_wait(ghcomp_self());
}

static void nest(void *data)
{
    ghcomp_team_parallel(two_barriers, data, 2, 0);
}

static void regions(int times, uint32_t size)
{
    for (int i = 0; i < times; i++)
        ghcomp_team_parallel(two_barriers, NULL, size, 0);
}

static _Atomic uint32_t masters_done;

static void *master(void *data)
{
    regions(*(int *)data, 2);
    ghcomp_add_relaxed(&masters_done, 1u);
    return NULL;
}

/* The log is over, and the trace knows it. */
static void settle(void)
{
    end_log();
    regions(1, 2);
    pthread_mutex_lock(&log_lock);
    log_used = 0;
    pthread_mutex_unlock(&log_lock);
}

/* Runs regions in a new thread, which then ends. */
static void another_master(int times)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, master, &times) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
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
    while (ghcomp_load_relaxed(&ghcomp_wait.awake) != 0)
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

/* Each of the two ways to know when the log may be written is a process of its own. */
static void tests(void)
{
    regions(1, 2);
    CHECK(ghcomp_host() == &ghcomp_host_table);
    if (!at_end_known) {
        each_region_is_written();
        full_buffers();
        nested_regions();
        child_is_not_traced();
        unknown_writer();
        log_replaced();
        late_look();
        first_thread_writes();
        for (int way = 0; way < 4; way++)
            full_and_not_written(way & 1, way & 2);
        many_threads_end();
    } else {
        logs_come_and_go();
    }
    task_across_logs();
    deep();
    closed_for_good();
}

static void prepare(void)
{
    ghcomp_env_init();
    static char wanted[] = "auto";
    ghcomp_settings.host = wanted;
    ghcomp_settings.share = GHCOMP_SHARE_STICKY;
    log_bytes = ghcomp_alloc(LOG_BYTES);
}

static void the_first_thread_writes(void)
{
    tests();
    free(log_bytes);
}

static void the_host_tells_of_the_end(void)
{
    at_end_known = true;
    tests();
    free(log_bytes);
}

static const struct unit_case cases[] = {
    UNIT_CASE(the_first_thread_writes),
    UNIT_CASE(the_host_tells_of_the_end),
};

int main(int argc, char **argv)
{
    return RUN_CASES(argc, argv, prepare, cases);
}
