/* The host of the trace's tests, whose log is the test's own, and the reader that checks each event of it: blocks in
   the eventlog's format, texts, nesting, times. No log ever has an end without its begin, nor a begin without its end
   except as the last event of its thread. Included once by trace.c and trace_full.c. */
#pragma once

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
#include "core/team/team.h"
#include "core/trace/trace.h"
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

static inline uint32_t capabilities(void)
{
    return 1;
}

/* Not 0: stops the thread after its check of the log; 1 while it is stopped there. */
static _Thread_local bool stops;
static _Atomic uint32_t stopped;

static inline bool log_running(void)
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
static inline bool log_write(void *blocks, size_t bytes)
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

static inline const char *log_file(void)
{
    return NULL;
}

static inline bool log_at_end(void (*closing)(void))
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

static inline uint64_t number(const uint8_t *at, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

static inline struct reader *reader_of(const char *name, struct counts *counts)
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

static inline bool same(const char *one, const char *other)
{
    return strcmp(one, other) == 0;
}

/* What may be open around a span. This finds a begin whose end is missing: there would be a barrier in a barrier, say.
   Tasks are this test's own spans. */
static inline void check_place(const struct reader *reader, const char *kind, unsigned level)
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

static inline void read_event(const char *text, uint64_t time, struct counts *counts)
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

static inline struct counts read_log(void)
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
static inline void check_nothing_open(void)
{
    pthread_mutex_lock(&log_lock);
    CHECK_EQUAL(0, log_used);
    for (int i = 0; i < reader_count; i++) {
        const struct reader *reader = &readers[i];
        CHECK(reader->depth == 0 || (reader->name[0] == 'w' && reader->depth == 1 && same(reader->open[0], "park")));
    }
    pthread_mutex_unlock(&log_lock);
}

/* --- logs and regions --------------------------------------------------------------------------------------------- */

/* Another thread may look at the file at this moment, and is meant to; the thread sanitizer is kept from reporting
   it. */
static inline void close_file(void)
{
    syscall(SYS_close, file);
}

static inline void begin_log_within(bool within)
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

static inline void begin_log(void)
{
    begin_log_within(false);
}

static inline void end_log(void)
{
    pthread_mutex_lock(&log_lock);
    ghcomp_store_relaxed(&running, false);
    close_file();
    unlink(log_name);
    strcpy(log_name, "/tmp/ghcomp-trace-XXXXXX.eventlog");
    pthread_mutex_unlock(&log_lock);
}

static inline void two_barriers(void *data)
{
    (void)data;
    ghcomp_barrier_wait(ghcomp_self());
    ghcomp_barrier_wait(ghcomp_self());
}

static inline void regions(int times, uint32_t size)
{
    for (int i = 0; i < times; i++)
        ghcomp_team_parallel(two_barriers, NULL, size, 0);
}

static _Atomic uint32_t masters_done;

static inline void *master(void *data)
{
    regions(*(int *)data, 2);
    ghcomp_add_relaxed(&masters_done, 1u);
    return NULL;
}

/* Ends the log, and lets the trace see it. */
static inline void settle(void)
{
    end_log();
    regions(1, 2);
    pthread_mutex_lock(&log_lock);
    log_used = 0;
    pthread_mutex_unlock(&log_lock);
}

/* Runs regions in a new thread, which then ends. */
static inline void another_master(int times)
{
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, master, &times) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* --- the test ----------------------------------------------------------------------------------------------------- */

/* The test that includes this runs by each of the two ways to know when the log may be written, in a process of its own
   each. */
static void tests(void);

static inline void prepare(void)
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
