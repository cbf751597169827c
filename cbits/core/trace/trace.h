/* The trace: what the threads do, as user messages in GHC's eventlog. Protocol and format: trace.c.
 *
 * The hooks below are on the runtime's normal paths. Their callers pass what they have read of ghcomp_observers. A
 * thread that has read an old value misses an event, or makes one too many, which is discarded.
 */
#pragma once

#include "core/observe/observers.h"
#include "core/state/types.h"

/* Spans of a thread's time; they nest. */
enum ghcomp_trace_span {
    GHCOMP_TRACE_REGION,  /* master: from fork to join */
    GHCOMP_TRACE_PART,    /* worker: its part of a region */
    GHCOMP_TRACE_BARRIER,
    GHCOMP_TRACE_TASK,    /* a deferred task runs */
    GHCOMP_TRACE_PARK,    /* asleep in the kernel */
    GHCOMP_TRACE_WAIT     /* in the queue of admission.c */
};
/* Events without a duration. */
enum ghcomp_trace_moment {
    GHCOMP_TRACE_YIELD,   /* yielded to Haskell */
    GHCOMP_TRACE_STEAL,   /* stole a task from another thread */
    GHCOMP_TRACE_LEND     /* took workers from another master's idle team */
};

uint32_t ghcomp_trace_begin_slow(enum ghcomp_trace_span span) __attribute__((cold));
void ghcomp_trace_end_slow(enum ghcomp_trace_span span, uint32_t log) __attribute__((cold));
void ghcomp_trace_moment_slow(enum ghcomp_trace_moment moment, uint32_t count) __attribute__((cold));
void ghcomp_trace_region_begin_slow(struct ghcomp_team *team, uint32_t wanted) __attribute__((cold));
void ghcomp_trace_region_end_slow(struct ghcomp_team *team) __attribute__((cold));
uint32_t ghcomp_trace_part_begin_slow(struct ghcomp_member *self) __attribute__((cold));

static inline bool ghcomp_trace_on(uint32_t observers)
{
    return ghcomp_unlikely(observers & GHCOMP_OBSERVE_LOG);
}

/* Begins a span of the calling thread. The result, 0 if the span is not traced, must be passed to ghcomp_trace_end. */
static inline uint32_t ghcomp_trace_begin(uint32_t observers, enum ghcomp_trace_span span)
{
    return ghcomp_trace_on(observers) ? ghcomp_trace_begin_slow(span) : 0;
}
static inline void ghcomp_trace_end(enum ghcomp_trace_span span, uint32_t log)
{
    if (ghcomp_unlikely(log != 0))
        ghcomp_trace_end_slow(span, log);
}

/* Records `count` moments at once; only the event of GHCOMP_TRACE_LEND contains `count`. */
static inline void ghcomp_trace_moment(uint32_t observers, enum ghcomp_trace_moment moment, uint32_t count)
{
    if (ghcomp_trace_on(observers))
        ghcomp_trace_moment_slow(moment, count);
}

/* Called by the master: the first once it is a member of the team, the second when all workers have finished. */
static inline void ghcomp_trace_region_begin(uint32_t observers, struct ghcomp_team *team, uint32_t wanted)
{
    if (ghcomp_unlikely(observers & (GHCOMP_OBSERVE_TRACE | GHCOMP_OBSERVE_LOG)))
        ghcomp_trace_region_begin_slow(team, wanted);
}
static inline void ghcomp_trace_region_end(struct ghcomp_team *team)
{
    if (ghcomp_unlikely(team->trace_region != 0))
        ghcomp_trace_region_end_slow(team);
}

/* Begins the span of a worker's part of a traced region. The span must end before the worker leaves the team, so that
   the master finds the end when it writes out the events of all threads. */
static inline uint32_t ghcomp_trace_part_begin(struct ghcomp_member *self)
{
    return ghcomp_unlikely(self->team->trace_region != 0) ? ghcomp_trace_part_begin_slow(self) : 0;
}

/* Called when the host has been chosen. Idempotent, any thread. */
void ghcomp_trace_start(void);
/* Gives up the buffer of the calling thread (`thread`), which ends. */
void ghcomp_trace_forget(struct ghcomp_thread *thread);
/* The log is about to be closed for good: writes out all events, and none after that. Any thread. */
void ghcomp_trace_close(void);

void ghcomp_trace_fork_prepare(void);
void ghcomp_trace_fork_parent(void);
void ghcomp_trace_fork_child(struct ghcomp_thread *self);
