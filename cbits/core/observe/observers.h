/* One word for all observers of the runtime: the eventlog (trace.c), ThreadSanitizer (races.c), tools,
 * and recordings of graphs of tasks.
 *
 * The hooks of all observers lie on the runtime's normal paths. A path reads the word once and passes its value to each
 * of its hooks, so a process without observers pays one load and one predicted branch for each entry, however many
 * kinds of observers there are. A hook of one observer tests that observer's bit. Protocol: observers.c.
 */
#pragma once

#include "base/atomic.h"

/* No bit is a flag of a task construct (core/task/task.h), so that GOMP_task tests both at once. */
enum ghcomp_observe {
    GHCOMP_OBSERVE_TRACE = 1 << 15, /* the host may begin or end a log, so outermost regions check: no hook by itself */
    GHCOMP_OBSERVE_LOG = 1 << 5,    /* a log is being written */
    GHCOMP_OBSERVE_RACES = 1 << 6,  /* the program has a ThreadSanitizer, to which the runtime reports what orders the
                                       threads */
    GHCOMP_OBSERVE_TOOL = 1 << 7,   /* a tool is registered */
    GHCOMP_CANCELLABLE = 1 << 16,   /* no observer: cancel-var is true; one load covers both */
    GHCOMP_TOOL_FILTERS = 1 << 17,  /* no hook: a tool has a filter (core/tool/tool_filter.h) ... */
    GHCOMP_TOOL_ALONE = 1 << 18,    /* ... and there is no ThreadSanitizer: one bit for an empty taskwait to test */
    GHCOMP_OBSERVE_GRAPH = 1 << 24, /* a task of the process records a graph (core/task/task_graph.h) */
    GHCOMP_SELF_LATE = 1 << 19      /* no observer: the thread's words are not in static storage (core/state/self.h) */
};

/* The bits with which some hook is active. */
enum {
    GHCOMP_OBSERVE_HOOKS = GHCOMP_OBSERVE_LOG | GHCOMP_OBSERVE_RACES | GHCOMP_OBSERVE_TOOL | GHCOMP_OBSERVE_GRAPH
};

/* enum ghcomp_observe, a set. On a cache line that is hardly ever written. or_acqrel and and_acqrel; read by
   load_relaxed here: a thread that reads an old value misses a hook, or runs one for an observer that has just been
   removed. A hook that uses data that its observer set up before it added the bit reads the data with an acquire of its
   own. */
extern _Atomic uint32_t ghcomp_observers GHCOMP_OWN;

/* The observers now. Read once for each entry or path. A build with -DGHCOMP_UNWATCHED has no observers and no
   cancellation: only bench/watched.py uses it, to compare with. */
static inline uint32_t ghcomp_observers_now(void)
{
#ifdef GHCOMP_UNWATCHED
    return 0;
#else
    return ghcomp_load_relaxed(&ghcomp_observers);
#endif
}

/* Whether a hook is active: a path with several hooks tests this first. */
static inline bool ghcomp_observed(uint32_t observers)
{
    return ghcomp_unlikely((observers & GHCOMP_OBSERVE_HOOKS) != 0);
}

/* The same for an entry whose fast path is a separate function. Once for each call. */
static inline bool ghcomp_observed_now(void)
{
    return ghcomp_observed(ghcomp_observers_now());
}

/* Adds or removes bits of an observer. Any thread; a bit belongs to one module, which orders its own calls. */
void ghcomp_observers_add(uint32_t observers);
void ghcomp_observers_remove(uint32_t observers);
