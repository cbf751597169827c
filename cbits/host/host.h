/* The host interface: what the runtime needs from its process.
 *
 * A host is a table of functions. It is chosen at the first region that needs a worker (host_select.c), from
 * GHCOMP_HOST and from what the process has: GHC's RTS (linked, loaded or booted), or nothing but POSIX threads. The
 * operating system is the same for every host and has its own interface, os.h. core/ calls only the functions below.
 *
 * The table is also the ABI between the Haskell library, the companion object and the drop-in: a Haskell program that
 * links the package exports one as `ghcomp_host_table`, and the companion returns one when it boots. New fields go to
 * the end; `abi` counts incompatible changes.
 *
 * Covered by test/host and test/unit/{capabilities,yield_to_haskell}.c.
 */
#pragma once

#include "base/atomic.h"

#define GHCOMP_HOST_ABI 3u

struct ghcomp_host {
    uint32_t abi;        /* GHCOMP_HOST_ABI */
    const char *name;    /* "posix" or "ghc" */
    const char *origin;  /* how it was found: "posix", "linked", "loaded", "companion" */
    const char *version; /* of GHC ("9.0.2"), or "" when there is none or it is not known */
    /* Number of Capabilities that Haskell may use now; 0: no RTS, or none that can be entered. Any thread. */
    uint32_t (*capabilities)(void);
    /* Registers the calling worker, which has this process-wide number (from 1); removes it for good. Own thread only,
       which holds no Capability before or after. */
    void (*worker_start)(uint32_t number);
    void (*worker_stop)(void);
    /* Home Capability of a worker with that number, or -1. Any thread. */
    int (*home)(uint32_t number);
    /* Whether the RTS can be used now, or why not: enum ghcomp_rts_state. Any thread. */
    int (*state)(void);

    /* For reading Capabilities (capabilities.c). Bytes from the beginning of a Capability to its number; the Task that
       holds it is 8 bytes further on. 0: they cannot be read. */
    uint32_t number_offset;
    /* Bytes to an int that is not 0 from the request to the Capability's Haskell thread to stop on, mostly for a
       collection, until Haskell runs there again; 0: not known. */
    uint32_t interrupt_offset;
    /* Takes the Capability of that number, after waiting until it is free, and returns its address. The caller holds no
       Capability, and must give this one back by `release` next. */
    void *(*hold)(uint32_t number);
    void (*release)(void *capability);
    /* The RTS's variable for the number of threads of a collection, which it reads once for each collection; NULL: it
       is out of reach, or must be left alone. */
    uint32_t *(*collector_threads)(void);

    /* GHC's eventlog (core/trace/trace.c), any thread. Whether it is being written, with user messages in it; writes
       complete blocks, false: that failed; an event's time, ns, valid once log_running was true. */
    bool (*log_running)(void);
    bool (*log_write)(void *blocks, size_t bytes);
    uint64_t (*log_now)(void);
    /* The name of its file; NULL: not known. */
    const char *(*log_file)(void);
    /* Asks that `closing` be called before the RTS closes the log at the program's end; false: it will not be. Once. */
    bool (*log_at_end)(void (*closing)(void));
    /* Asks the RTS to call `ends` during its end, while threads may still enter and leave it; false: it will not. Once,
       by a thread that holds no Capability and may wait for one. NULL: this runtime ends that RTS. */
    bool (*watch_end)(void (*ends)(void));
};

/* Whether the process has an RTS, and in which state. */
enum ghcomp_rts_state {
    GHCOMP_RTS_NONE,     /* none found */
    GHCOMP_RTS_IDLE,     /* loaded, hs_init has not run yet */
    GHCOMP_RTS_SINGLE,   /* the non-threaded RTS: other threads may not enter it */
    GHCOMP_RTS_FOREIGN,  /* there is one, but its functions are out of reach, or its GHCOMP_HOST_ABI differs */
    GHCOMP_RTS_READY
};

/* --- host_select.c ------------------------------------------------------------------------------------------------ */

/* The host in force; the POSIX host before ghcomp_host_select has run. Never NULL. */
const struct ghcomp_host *ghcomp_host(void);
/* Whether it is the program's own RTS: Haskell code of the program runs in its threads. */
bool ghcomp_host_of_program(void);
/* Whether the program's main is Haskell's and has ended: no Haskell thread runs any more, or will soon not. Known where
   the runtime is linked into the program. */
bool ghcomp_host_over(void);
/* Chooses the host: `wanted` is the text of GHCOMP_HOST or NULL; a booted RTS gets that many Capabilities. Idempotent,
   any thread; concurrent callers wait. A choice of POSIX for lack of an RTS is reconsidered when objects have been
   loaded since. */
void ghcomp_host_select(const char *wanted, uint32_t capabilities);
/* Registers the calling worker with the host in force; removes it from the host that it is registered with, if that is
   still in force. Own thread only. */
void ghcomp_host_worker_start(uint32_t number);
void ghcomp_host_worker_stop(void);
/* Home Capability of the calling worker, or -1 (also when it is not registered with the host in force). */
int ghcomp_host_worker_home(uint32_t number);
/* Before and after a call of that host's functions during which its RTS must not be stopped. False: the host is not in
   force any more or its RTS ends, and it must not be called. For short calls: stopping the RTS waits for them. */
bool ghcomp_host_enter(const struct ghcomp_host *host);
void ghcomp_host_leave(void);
/* fork(): before it, and in the child. POSIX from here on if an RTS ran in the parent, which the child cannot use, or
   if the parent had other threads: one of them may have held the loader's lock, which the child then never gets. */
void ghcomp_host_fork_prepare(void);
void ghcomp_host_fork_child(void);
/* Waits until no thread is between ghcomp_host_enter and _leave, for at most so many milliseconds. False: one still is.
   */
bool ghcomp_host_drain(uint32_t limit_ms);
/* Before the RTS is stopped: POSIX from here on; then the same. */
bool ghcomp_host_retire(uint32_t limit_ms);
/* The program ends the RTS: ghcomp_host_enter returns false from here on, and no thread is inside, unless it waits for
   a Capability that is not free. The host stays the same. For `watch_end`. */
void ghcomp_host_ends(void);

extern const struct ghcomp_host ghcomp_host_posix;
/* The differences between the objects that the runtime is linked into: default_host.c.in or host_ghc.c. */
extern const char ghcomp_host_default[];                /* GHCOMP_HOST when it is unset */
extern const struct ghcomp_host *const ghcomp_host_linked; /* the table of the RTS linked with the runtime, or NULL */
extern const void *const ghcomp_host_haskell_main;         /* not NULL: the program has a main of Haskell's */

/* --- host_find.c: an RTS in the process, without Rts.h ------------------------------------------------------------ */

/* The process's own RTS, wherever it came from; sets *table if READY. Call under host_select's lock. */
enum ghcomp_rts_state ghcomp_find_rts(const struct ghcomp_host **table);
/* Whether the process has a thread that only GHC's RTS makes (a static Haskell program without the package). */
bool ghcomp_find_rts_thread(void);
/* The number of objects loaded so far: while it does not change, another search finds nothing new. */
uint64_t ghcomp_find_loads(void);
/* Whether an object whose file name starts with `prefix` is loaded. Call it and the next under host_select's lock, or
   once the choice is final. */
bool ghcomp_find_object(const char *prefix);
/* The Haskell function newForeignPtr of base; NULL: out of reach. */
void *ghcomp_find_new_foreign_ptr(void);

/* --- host_boot.c: the companion object ---------------------------------------------------------------------------- */

/* Loads libghcomp_rts.so from the runtime's folder and boots its RTS. NULL when that cannot be done, with the reason in
   `why`. Call once in a process, under host_select's lock. */
const struct ghcomp_host *ghcomp_boot(uint32_t capabilities, char *why, size_t size);
/* Stops the RTS that this process has booted, and with it the RTS's threads. For a process whose last application
   thread ends without ending the process; exit() needs no such thing. */
void ghcomp_boot_down(void);
