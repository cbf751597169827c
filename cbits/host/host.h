/* The host seam: what the runtime asks of the process it lives in.
 *
 * A host is a table of functions, chosen at the first region that needs a worker (host_select.c), from GHCOMP_HOST and
 * from what the process has: GHC's RTS (linked, loaded or booted) or nothing but POSIX threads. The operating system
 * itself is in os.h and the same for every host. core/ calls the functions below only.
 *
 * The table is also the ABI between the Haskell library, the companion object and the drop-in: a Haskell program that
 * links our package exports one as `ghcomp_host_table`, and the companion returns one when it boots. New fields go to
 * the end; `abi` counts incompatible changes.
 */
#pragma once

#include "base/atomic.h"

#define GHCOMP_HOST_ABI 2u

struct ghcomp_host {
    uint32_t abi;        /* GHCOMP_HOST_ABI */
    const char *name;    /* "posix" or "ghc" */
    const char *origin;  /* how it was found: "posix", "linked", "loaded", "companion" */
    const char *version; /* of GHC ("9.0.2"), or "" when there is none or it cannot be told */
    /* Number of Capabilities that Haskell may use now (0: no RTS, or none that can be entered). Any thread. */
    uint32_t (*capabilities)(void);
    /* A new worker with this process-wide number (from 1) introduces itself / leaves for good. Own thread only; holds
       no Capability before or after. */
    void (*worker_start)(uint32_t number);
    void (*worker_stop)(void);
    /* Home Capability of a worker with that number, or -1. Any thread. */
    int (*home)(uint32_t number);
    /* Why it cannot be used now: enum ghcomp_rts_state. Any thread. */
    int (*state)(void);

    /* Looking at Capabilities (capabilities.c). Bytes from the beginning of a Capability to its number; the Task that
       holds it is 8 bytes further on. 0: they cannot be looked at. */
    uint32_t number_offset;
    /* Bytes to the word that is not 0 from when somebody wants the Capability's Haskell thread to stop, for a collection
       mostly, until Haskell runs there again (int); 0: not known. */
    uint32_t interrupt_offset;
    /* Takes the Capability of that number, waiting until it is free, and gives its address. A thread that holds none,
       and that gives it back by `release` next. */
    void *(*hold)(uint32_t number);
    void (*release)(void *capability);
    /* The number of threads that the next collection runs on, read by the RTS once for each; NULL: it is out of reach,
       or better left alone. */
    uint32_t *(*collector_threads)(void);

    /* GHC's eventlog (core/trace/trace.c): whether it is being written, with user messages in it; adds complete blocks, false
       when that failed; the time of an event, ns, valid once log_running was true. Any thread. */
    bool (*log_running)(void);
    bool (*log_write)(void *blocks, size_t bytes);
    uint64_t (*log_now)(void);
    /* The name of its file, NULL when it is not known. */
    const char *(*log_file)(void);
    /* Wants `closing` to be called before the RTS closes the log at the program's end; false: it will not be. Once. */
    bool (*log_at_end)(void (*closing)(void));
};

/* What there is of an RTS in the process. */
enum ghcomp_rts_state {
    GHCOMP_RTS_NONE,     /* nothing that could be seen */
    GHCOMP_RTS_IDLE,     /* loaded, hs_init has not run yet */
    GHCOMP_RTS_SINGLE,   /* the non-threaded RTS: other threads may not enter it */
    GHCOMP_RTS_FOREIGN,  /* it is there, but not its functions (or another GHCOMP_HOST_ABI) */
    GHCOMP_RTS_READY
};

/* --- host_select.c ------------------------------------------------------------------------------------------------ */

/* The host in force; the POSIX host before ghcomp_host_select has run. Never NULL. */
const struct ghcomp_host *ghcomp_host(void);
/* Chooses the host: `wanted` is the text of GHCOMP_HOST or NULL; a booted RTS gets that many Capabilities. Idempotent,
   any thread; concurrent callers wait. A choice of POSIX for want of an RTS is looked at again when objects were loaded
   since. */
void ghcomp_host_select(const char *wanted, uint32_t capabilities);
/* A worker introduces itself to the host in force / leaves the host that it knows, if that is still in force.
   Own thread only. */
void ghcomp_host_worker_start(uint32_t number);
void ghcomp_host_worker_stop(void);
/* Home Capability of the calling worker, or -1 (also when it is older than the host in force). */
int ghcomp_host_worker_home(uint32_t number);
/* Around a call of that host's functions that its RTS must not end under: false, and no call, when it is not in force any
   more. Short calls only: the RTS's end waits for them. */
bool ghcomp_host_enter(const struct ghcomp_host *host);
void ghcomp_host_leave(void);
/* fork(): before it, and in the child. An RTS that ran in the parent is not the child's; where the parent had other
   threads, one may have been in the loader, whose lock it then holds in the child for ever. POSIX from here on for both. */
void ghcomp_host_fork_prepare(void);
void ghcomp_host_fork_child(void);
/* Before the RTS ends: POSIX from here on. Waits for those that have entered, for a tenth of a second at most: false when
   somebody is still there. */
bool ghcomp_host_retire(void);

extern const struct ghcomp_host ghcomp_host_posix;
/* What differs between the objects that the runtime is linked into; default_host.c.in or host_ghc.c. */
extern const char ghcomp_host_default[];                /* GHCOMP_HOST when it is unset */
extern const struct ghcomp_host *const ghcomp_host_linked; /* the table of the RTS linked with us, or NULL */

/* --- host_find.c: an RTS in the process, without Rts.h ------------------------------------------------------------ */

/* The process's own RTS, however it came; *table is set when READY. Call under host_select's lock. */
enum ghcomp_rts_state ghcomp_find_rts(const struct ghcomp_host **table);
/* Whether a thread of this process is one that only GHC's RTS makes (a static Haskell program without our package). */
bool ghcomp_find_rts_thread(void);
/* Counts the objects loaded so far: no change means that a new look would find nothing new. */
uint64_t ghcomp_find_loads(void);
/* Whether an object whose file name starts with `prefix` is loaded. */
bool ghcomp_find_object(const char *prefix);

/* --- host_boot.c: the companion object ---------------------------------------------------------------------------- */

/* Loads libghcomp_rts.so from beside us and starts its RTS. NULL when that can't be done, with the reason in `why`.
   Call once in a process, under host_select's lock. */
const struct ghcomp_host *ghcomp_boot(uint32_t capabilities, char *why, size_t size);
/* Ends the RTS that this process has booted, and with it its threads, when nothing can be running Haskell in it. The
   process's end does not need this; a process whose last thread ends does. */
void ghcomp_boot_down(void);
