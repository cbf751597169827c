/* The trace: what the threads do, as user messages in GHC's eventlog.
 *
 *   log      changes to                     when
 *   none     written, with the next number  an outermost region finds that the host writes one, and its file
 *   none     refused                        ... and not its file
 *   either   none                           an outermost region finds that the log has ended
 *   any      closed                         ghcomp_trace_close
 *
 *   buffer   changes to                     when
 *   empty    events of one log              its thread has an event
 *   events   empty, written                 full; before a park; at the end of the thread, or of an outermost region
 *   events   what must remain               full while no thread may write
 *   events   empty, discarded               their log is over
 *
 * Threads hold no Capability while they run C, so they cannot use the RTS's own function to post an event. Readers of
 * the log also accept blocks of events that belong to no Capability (trace_event.c). So each thread fills a block in
 * its own buffer, and complete blocks go to the RTS's file writer.
 *
 * An event is the text `ghcomp THREAD KIND [key=value ...]`. THREAD is wN, the worker with that number, or mN, an
 * initial thread, numbered in order of appearance. Spans are pairs KIND-begin and KIND-end, which nest in each thread:
 *
 *   region-begin region=R size=S wanted=W level=L    the master, from fork to join; R numbers the process's regions
 *   part-begin region=R tid=T                        a worker's part of it
 *   barrier-begin, task-begin, park-begin            in a barrier; a deferred task runs; asleep in the kernel
 *   wait-begin why=admission                         waits in the queue of admission.c
 *   yield, steal, lend count=N                       moments, without a duration: see trace.h
 *
 * When it is written. An event goes to its thread's buffer under the buffer's lock, which no other thread takes except
 * to write out. A buffer is written out when it is full, before its thread parks, when the thread ends, and when an
 * outermost region ends: then the blocks of all threads go out in one write, if the last such write was FLUSH_NS ago.
 * The rest is written when the host reports that the log is about to be closed (log_at_end).
 *
 * Where the host cannot report that, no thread may write while the program may end: the RTS would close its file during
 * the write. The RTS ends in the program's first thread. So there all writes are made between the begin and the end of
 * an outermost region of the first thread (`inside`), and always at that end; the log then has what other threads did
 * up to that point. A buffer that fills up before then drops moments, and spans that began and ended in it. It keeps
 * the ends of spans whose begins have been written, and the begins of open spans, so that the written events nest. A
 * begin is recorded only if there is also space for the ends of all open spans, its own included; otherwise its span is
 * not logged. The buffer of a thread that ends outside of such a region waits in the list for the next one (`ended`);
 * if many do, only with what must remain.
 *
 * Locks: trace.lock, then a buffer's. trace.lock guards the list of buffers and is held during a write, so that nothing
 * is written any more after ghcomp_trace_close, or after the first thread's region.
 *
 * A log may begin and end while the program runs (startEventLogging, endEventLogging): outermost regions check. Each
 * log has a number. A span keeps it from its begin to its end, and the caller hands it back at the end (a task keeps it
 * in its struct), so that no log has an end without its begin. A buffer has events of one log; those of a log that is
 * over are discarded, not written to the next one. Numbers only grow, so a thread that has seen the next log never
 * records for the one before. Only a thread's last begins in a log may lack their ends: the log ended within these
 * spans, or before the ends were written, since the RTS gives no notice when the program itself ends a log.
 *
 * Called by every module that has a hook. Covered by test/unit/{trace,trace_full}.c and the test-suite eventlog
 * (test/hs/eventlog).
 */
#include "core/trace/trace.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/observe/fast_self.h"
#include "core/state/settings.h"
#include "core/trace/trace_event.h"
#include "host/host.h"
#include "host/log_file.h"
#include "host/os.h"

enum {
    BUFFER_BYTES = 16384,
    OUT_BYTES = 4 * BUFFER_BYTES,
    HEADER_BYTES = GHCOMP_TRACE_HEADER_BYTES,
    ENDED_WHOLE = 64                  /* ended threads whose buffers are kept whole for the next write */
};
static const uint64_t FLUSH_NS = 10000000;

struct ghcomp_trace_buffer {
    pthread_mutex_t lock;
    struct ghcomp_trace_buffer *next, *prev; /* lock trace.lock: the list of all */
    char name[16];                           /* immutable: wN or mN */
    bool ended;                              /* lock trace.lock: the buffer's thread has ended */
    uint32_t log;                            /* lock: the log that the events belong to */
    size_t used;                             /* lock: bytes, the header's included; HEADER_BYTES: no events.
                                                Unless trace.at_end, there is space for `open` ends behind them */
    uint32_t open, skipped;                   /* lock: number of open spans that are logged; number of open spans inside
                                                 them that are not */
    uint64_t first, last;                    /* lock: times of the first and the last event */
    uint8_t bytes[BUFFER_BYTES];             /* lock */
};

static struct {
    pthread_mutex_t lock;
    struct ghcomp_trace_buffer *first;        /* lock trace.lock */
    const struct ghcomp_host *_Atomic host;   /* store_release under the lock, load_acquire; written once */
    bool at_end;                              /* written before host: ghcomp_trace_close will be called in time */
    bool inside;                              /* lock trace.lock: unless at_end: the first thread is in a region */
    bool closed;                              /* lock trace.lock */
    _Atomic bool refused;                     /* written under the lock: the present log's file is unknown;
                                                 atomic(relaxed) */
    uint32_t logs;                            /* lock trace.lock: number of logs so far */
    _Atomic uint32_t log;                     /* the number of the log that is being written, or 0; written under the
                                                 lock, atomic(relaxed) */
    struct ghcomp_log_file file;              /* lock trace.lock: the present log's */
    uint32_t initial_threads;                 /* lock trace.lock: how many have a buffer; numbers them */
    uint32_t ended;                           /* lock trace.lock: listed buffers whose threads have ended */
    _Atomic uint64_t flushed;                 /* when all buffers were written last; atomic(relaxed) */
    _Atomic uint64_t regions;                 /* regions traced so far; numbers them; atomic(relaxed) */
    size_t ready;                             /* lock trace.lock: bytes in `out` */
    uint8_t out[OUT_BYTES];                   /* lock trace.lock */
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

static inline uint32_t present_log(void)
{
    return ghcomp_load_relaxed(&trace.log);
}

/* lock trace.lock. Sets the number of the log that is being written; 0: none. */
static void set_log(uint32_t log)
{
    ghcomp_store_relaxed(&trace.log, log);
    if (log != 0)
        ghcomp_observers_add(GHCOMP_OBSERVE_LOG);
    else
        ghcomp_observers_remove(GHCOMP_OBSERVE_LOG);
}

/* --- writing out -------------------------------------------------------------------------------------------------- */

/* lock trace.lock */
static bool may_write(void)
{
    return trace.at_end || trace.inside;
}

/* lock trace.lock, may_write. Writes `out` to the log. If that fails the events are lost, and the log counts as
   ended. */
static void write_out(void)
{
    const struct ghcomp_host *host = ghcomp_load_relaxed(&trace.host);
    if (trace.ready == 0)
        return;
    if (!host->log_running() || !ghcomp_log_file_open(&trace.file) || !host->log_write(trace.out, trace.ready))
        set_log(0);
    trace.ready = 0;
}

/* lock trace.lock, may_write. Completes the block and moves it to `out`. */
static void take_block(struct ghcomp_trace_buffer *buffer)
{
    pthread_mutex_lock(&buffer->lock);
    size_t used = buffer->used;
    if (used > HEADER_BYTES && buffer->log == present_log()) {
        if (trace.ready + used > OUT_BYTES)
            write_out();
        ghcomp_trace_header_put(buffer->bytes, used, buffer->first, buffer->last);
        memcpy(trace.out + trace.ready, buffer->bytes, used);
        trace.ready += used;
    }
    buffer->used = HEADER_BYTES;
    pthread_mutex_unlock(&buffer->lock);
}

/* Writes a buffer out. False: no thread may write now. */
static bool flush_one(struct ghcomp_trace_buffer *buffer)
{
    pthread_mutex_lock(&trace.lock);
    bool may = may_write();
    if (may) {
        take_block(buffer);
        write_out();
    }
    pthread_mutex_unlock(&trace.lock);
    return may;
}

/* lock trace.lock */
static void drop(struct ghcomp_trace_buffer *buffer)
{
    if (buffer->prev != NULL)
        buffer->prev->next = buffer->next;
    else
        trace.first = buffer->next;
    if (buffer->next != NULL)
        buffer->next->prev = buffer->prev;
    trace.ended -= buffer->ended;
    pthread_mutex_destroy(&buffer->lock);
    free(buffer);
}

/* lock trace.lock */
static void drop_ended(void)
{
    struct ghcomp_trace_buffer *next;
    for (struct ghcomp_trace_buffer *buffer = trace.first; trace.ended > 0 && buffer != NULL; buffer = next) {
        next = buffer->next;
        if (buffer->ended)
            drop(buffer);
    }
}

/* lock trace.lock */
static void flush_all(void)
{
    if (!may_write())
        return;
    for (struct ghcomp_trace_buffer *buffer = trace.first; buffer != NULL; buffer = buffer->next)
        take_block(buffer);
    write_out();
    drop_ended();
}

/* lock buffer->lock, or the thread has ended. Called for a buffer that cannot be written now: drops the events of
   finished spans, and moments. */
static void drop_what_is_over(struct ghcomp_trace_buffer *buffer)
{
    buffer->used = ghcomp_trace_drop_over(buffer->bytes, buffer->used);
}

/* --- buffers ------------------------------------------------------------------------------------------------------ */

static struct ghcomp_trace_buffer *new_buffer(struct ghcomp_thread *thread)
{
    struct ghcomp_trace_buffer *buffer = ghcomp_alloc_lines(sizeof *buffer);
    pthread_mutex_init(&buffer->lock, NULL);
    buffer->used = HEADER_BYTES;
    struct ghcomp_trace_line name = {0};
    pthread_mutex_lock(&trace.lock);
    if (thread->number != 0)
        ghcomp_trace_line_number(&name, "w", thread->number);
    else
        ghcomp_trace_line_number(&name, "m", ++trace.initial_threads);
    memcpy(buffer->name, name.text, name.length);
    buffer->next = trace.first;
    if (trace.first != NULL)
        trace.first->prev = buffer;
    trace.first = buffer;
    pthread_mutex_unlock(&trace.lock);
    thread->trace = buffer;
    return buffer;
}

void ghcomp_trace_forget(struct ghcomp_thread *thread)
{
    struct ghcomp_trace_buffer *buffer = thread->trace;
    if (buffer == NULL)
        return;
    thread->trace = NULL;
    pthread_mutex_lock(&trace.lock);
    if (may_write()) {
        take_block(buffer);
        write_out();
    } else if (buffer->log == present_log()) {
        if (trace.ended >= ENDED_WHOLE)
            drop_what_is_over(buffer);
        buffer->ended = buffer->used > HEADER_BYTES;
        trace.ended += buffer->ended;
    }
    if (!buffer->ended)
        drop(buffer);
    pthread_mutex_unlock(&trace.lock);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static struct ghcomp_trace_line start_line(struct ghcomp_thread *thread, const char *kind)
{
    struct ghcomp_trace_line line;
    struct ghcomp_trace_buffer *buffer = thread->trace != NULL ? thread->trace : new_buffer(thread);
    line.length = 0;
    ghcomp_trace_line_add(&line, "ghcomp ");
    ghcomp_trace_line_add(&line, buffer->name);
    ghcomp_trace_line_add(&line, " ");
    ghcomp_trace_line_add(&line, kind);
    return line;
}

/* lock buffer->lock, which is released in between. Empties the buffer as far as possible. False: there is still not
   enough space. */
static bool make_room(struct ghcomp_trace_buffer *buffer, size_t size)
{
    pthread_mutex_unlock(&buffer->lock);
    bool written = flush_one(buffer);
    pthread_mutex_lock(&buffer->lock);
    if (!written)
        drop_what_is_over(buffer);
    return buffer->used + size <= BUFFER_BYTES;
}

/* Records an event. `change` is 1 for a begin, -1 for an end whose begin was recorded for the same log, 0 for a
   moment. */
static void record(struct ghcomp_thread *thread, uint32_t log, const struct ghcomp_trace_line *line, int change)
{
    struct ghcomp_trace_buffer *buffer = thread->trace;
    const struct ghcomp_host *host = ghcomp_load_acquire(&trace.host);
    size_t size = GHCOMP_TRACE_EVENT_BYTES + line->length;
    pthread_mutex_lock(&buffer->lock);
    if (buffer->log != log) {
        buffer->log = log;
        buffer->used = HEADER_BYTES;
        buffer->open = buffer->skipped = 0;
    }
    if (buffer->skipped > 0) {
        buffer->skipped += (uint32_t)change;
        pthread_mutex_unlock(&buffer->lock);
        return;
    }
    ghcomp_invariant(change >= 0 || (buffer->open > 0 && size <= GHCOMP_TRACE_END_BYTES));
    uint32_t open = buffer->open + (uint32_t)change;
    size_t needed = size + (trace.at_end ? 0 : open * (size_t)GHCOMP_TRACE_END_BYTES);
    if (buffer->used + needed > BUFFER_BYTES && !make_room(buffer, needed)) {
        buffer->skipped = change > 0;
        pthread_mutex_unlock(&buffer->lock);
        return;
    }
    buffer->open = open;
    uint64_t now = host->log_now();
    if (buffer->used == HEADER_BYTES)
        buffer->first = now;
    buffer->last = now;
    buffer->used += ghcomp_trace_event_put(buffer->bytes + buffer->used, now, line);
    pthread_mutex_unlock(&buffer->lock);
}

static struct ghcomp_thread *own_thread(void)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL ? self->thread : NULL;
}

uint32_t ghcomp_trace_begin_slow(enum ghcomp_trace_span span)
{
    static const char *const kinds[] = {[GHCOMP_TRACE_BARRIER] = "barrier-begin",
                                        [GHCOMP_TRACE_TASK] = "task-begin",
                                        [GHCOMP_TRACE_PARK] = "park-begin",
                                        [GHCOMP_TRACE_WAIT] = "wait-begin why=admission"};
    struct ghcomp_thread *thread = own_thread();
    uint32_t log = present_log();
    if (thread == NULL || log == 0)
        return 0;
    struct ghcomp_trace_line line = start_line(thread, kinds[span]);
    record(thread, log, &line, 1);
    if (span == GHCOMP_TRACE_PARK)
        flush_one(thread->trace);
    return log;
}

void ghcomp_trace_end_slow(enum ghcomp_trace_span span, uint32_t log)
{
    static const char *const kinds[] = {[GHCOMP_TRACE_REGION] = "region-end", [GHCOMP_TRACE_PART] = "part-end",
                                        [GHCOMP_TRACE_BARRIER] = "barrier-end", [GHCOMP_TRACE_TASK] = "task-end",
                                        [GHCOMP_TRACE_PARK] = "park-end", [GHCOMP_TRACE_WAIT] = "wait-end"};
    struct ghcomp_thread *thread = own_thread();
    if (thread == NULL || log != present_log())
        return;
    struct ghcomp_trace_line line = start_line(thread, kinds[span]);
    record(thread, log, &line, -1);
}

void ghcomp_trace_moment_slow(enum ghcomp_trace_moment moment, uint32_t count)
{
    static const char *const kinds[] = {
        [GHCOMP_TRACE_YIELD] = "yield", [GHCOMP_TRACE_STEAL] = "steal", [GHCOMP_TRACE_LEND] = "lend"};
    struct ghcomp_thread *thread = own_thread();
    uint32_t log = present_log();
    if (thread == NULL || log == 0)
        return;
    struct ghcomp_trace_line line = start_line(thread, kinds[moment]);
    if (moment == GHCOMP_TRACE_LEND)
        ghcomp_trace_line_number(&line, " count=", count);
    record(thread, log, &line, 0);
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

/* Checks whether the host has begun or ended a log. */
static void look(void)
{
    const struct ghcomp_host *host = ghcomp_load_acquire(&trace.host);
    bool runs = host->log_running();
    if (ghcomp_likely(runs == (present_log() != 0 || ghcomp_load_relaxed(&trace.refused))))
        return;
    pthread_mutex_lock(&trace.lock);
    /* Read again: another thread may have handled the change, and the log may have ended by now. */
    runs = host->log_running();
    bool known = present_log() != 0 || ghcomp_load_relaxed(&trace.refused);
    if (!trace.closed && known && !runs) {
        set_log(0);
        ghcomp_store_relaxed(&trace.refused, false);
        drop_ended();
    } else if (!trace.closed && !known && runs) {
        bool found = ghcomp_log_file_find(&trace.file, host->log_file());
        /* It may have ended during the search for its file. */
        ghcomp_store_relaxed(&trace.refused, !found && host->log_running());
        if (found)
            set_log(++trace.logs);
    }
    pthread_mutex_unlock(&trace.lock);
}

static bool outermost(const struct ghcomp_team *team)
{
    const struct ghcomp_team *around = team->parent->team;
    return around->level == 0 && !around->inside_region;
}

void ghcomp_trace_region_begin_slow(struct ghcomp_team *team, uint32_t wanted)
{
    if (outermost(team))
        look();
    uint32_t log = present_log();
    if (log == 0)
        return;
    struct ghcomp_thread *thread = team->master.thread;
    if (outermost(team) && !trace.at_end && ghcomp_os_first_thread()) {
        pthread_mutex_lock(&trace.lock);
        trace.inside = true;
        pthread_mutex_unlock(&trace.lock);
    }
    ghcomp_self_becomes(&team->master); /* sets ghcomp_self_fast again, as the log may have begun just now */
    team->trace_log = log;
    team->trace_region = ghcomp_add_relaxed(&trace.regions, 1u) + 1;
    struct ghcomp_trace_line line = start_line(thread, "region-begin");
    ghcomp_trace_line_number(&line, " region=", team->trace_region);
    ghcomp_trace_line_number(&line, " size=", team->size);
    ghcomp_trace_line_number(&line, " wanted=", wanted);
    ghcomp_trace_line_number(&line, " level=", team->level);
    record(thread, log, &line, 1);
}

void ghcomp_trace_region_end_slow(struct ghcomp_team *team)
{
    ghcomp_trace_end_slow(GHCOMP_TRACE_REGION, team->trace_log);
    team->trace_region = 0;
    if (!outermost(team))
        return;
    bool leaves = !trace.at_end && ghcomp_os_first_thread();
    uint64_t now = ghcomp_os_now();
    if (!leaves && now - ghcomp_load_relaxed(&trace.flushed) < FLUSH_NS)
        return;
    ghcomp_store_relaxed(&trace.flushed, now);
    pthread_mutex_lock(&trace.lock);
    if (present_log() != 0)
        flush_all();
    if (leaves)
        trace.inside = false;
    pthread_mutex_unlock(&trace.lock);
}

uint32_t ghcomp_trace_part_begin_slow(struct ghcomp_member *self)
{
    uint32_t log = present_log();
    if (log == 0 || log != self->team->trace_log)
        return 0;
    struct ghcomp_trace_line line = start_line(self->thread, "part-begin");
    ghcomp_trace_line_number(&line, " region=", self->team->trace_region);
    ghcomp_trace_line_number(&line, " tid=", self->tid);
    record(self->thread, log, &line, 1);
    return log;
}

/* --- beginning, end and fork() ------------------------------------------------------------------------------------ */

void ghcomp_trace_start(void)
{
    const struct ghcomp_host *host = ghcomp_host();
    if (host->log_write == NULL || ghcomp_load_acquire(&trace.host) != NULL ||
        ghcomp_settings.trace == GHCOMP_TRACE_OFF)
        return;
    pthread_mutex_lock(&trace.lock);
    if (!trace.closed && ghcomp_load_relaxed(&trace.host) == NULL) {
        trace.at_end = host->log_at_end(ghcomp_trace_close);
        ghcomp_store_release(&trace.host, host);
        ghcomp_observers_add(GHCOMP_OBSERVE_TRACE);
    }
    pthread_mutex_unlock(&trace.lock);
}

void ghcomp_trace_close(void)
{
    pthread_mutex_lock(&trace.lock);
    if (!trace.closed && present_log() != 0)
        flush_all();
    drop_ended();
    trace.inside = false;
    trace.closed = true;
    set_log(0);
    ghcomp_observers_remove(GHCOMP_OBSERVE_TRACE);
    pthread_mutex_unlock(&trace.lock);
}

void ghcomp_trace_fork_prepare(void)
{
    pthread_mutex_lock(&trace.lock);
}

void ghcomp_trace_fork_parent(void)
{
    pthread_mutex_unlock(&trace.lock);
}

/* The RTS and its log are the parent's. The parent also writes the calling thread's remaining events; the buffers of
   other threads are leaked. */
void ghcomp_trace_fork_child(struct ghcomp_thread *self)
{
    pthread_mutex_init(&trace.lock, NULL);
    set_log(0);
    ghcomp_observers_remove(GHCOMP_OBSERVE_TRACE);
    ghcomp_store_relaxed(&trace.host, NULL);
    ghcomp_store_relaxed(&trace.refused, false);
    drop_ended();
    trace.first = NULL;
    trace.inside = false;
    trace.ready = 0;
    trace.initial_threads = 0;
    if (self == NULL)
        return;
    free(self->trace);
    self->trace = NULL;
}
