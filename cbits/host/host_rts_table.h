/* The host table of a GHC RTS: the RTS's state, its Capabilities, a worker's home. The includer has declared the RTS's
 * names before: host_ghc.c and companion.c by Rts.h, host_find.c by macros for what dlsym found. It then defines the
 * struct with GHCOMP_RTS_TABLE.
 *
 * A Capability's number lies behind its public part, whose length the headers define. Without the headers the length is
 * assumed to be that of all versions so far. capabilities.c checks it in both cases.
 *
 * Collector's threads. Before 9.4 the parallel collector spins, and waits without a limit for those of its threads that
 * do not get a CPU; so it is kept from CPUs that regions run on. Later ones sleep, and are left alone.
 *
 * A worker's home Capability is its number modulo the enabled Capabilities. The RTS itself reduces a thread's preferred
 * Capability like that at each in-call, so the home follows setNumCapabilities. Workers are numbered from 1, and a
 * program's main thread usually runs on Capability 0; so Capability 0 is the last to become the home of a second
 * thread.
 *
 * The RTS's end. Most of the RTS's variables keep their values in hs_exit. The program's arguments do not: hs_init
 * copies them, or a name for a program without any, and the last thing that hs_exit does is to free and forget them.
 * Before that it destroys the lock of its list of Tasks, and a thread that makes or frees a Task at that moment ends
 * the process with an internal error. A C finalizer announces the end in time: when Haskell has stopped, hs_exit calls
 * all remaining finalizers, and destroys that lock later. So `watch_end` makes a ForeignPtr with a finalizer of the
 * runtime's, and a StablePtr that keeps it.
 *
 * Covered by test/host.
 */
static bool rts_ended(void)
{
    char **arguments = NULL;
    getProgArgv(NULL, &arguments);
    return arguments == NULL;
}

static int rts_state(void)
{
    if (!rtsSupportsBoundThreads())
        return GHCOMP_RTS_SINGLE;
    return n_capabilities == 0 || enabled_capabilities == 0 || rts_ended() ? GHCOMP_RTS_IDLE : GHCOMP_RTS_READY;
}

static uint32_t rts_capabilities(void)
{
    return rts_state() == GHCOMP_RTS_READY ? enabled_capabilities : 0;
}

/* Registers the thread with the RTS (a Task without a Capability), and sets the Capability for its in-calls. Affinity
   0: the RTS does not bind the thread to a CPU; affinity.c does that. */
static void rts_worker_start(uint32_t number)
{
    rts_setInCallCapability((int)(number & INT32_MAX), 0);
}

static void rts_worker_stop(void)
{
    hs_thread_done();
}

static int rts_home(uint32_t number)
{
    uint32_t count = rts_capabilities();
    return count == 0 ? -1 : (int)((number & INT32_MAX) % count);
}

static void *rts_hold(uint32_t number)
{
    rts_setInCallCapability((int)number, 0);
    return rts_lock();
}

static void rts_release(void *capability)
{
    rts_unlock(capability);
}

/* Defined by an includer whose RTS only the runtime ends. */
#ifndef RTS_ENDED_BY_US
/* The finalizer. Its ForeignPtr points to the function to call. */
static void rts_end_comes(void *target)
{
    void (*ends)(void);
    memcpy(&ends, &target, sizeof ends);
    ends();
}

/* Makes the finalizer; `make` is base's newForeignPtr. False: the RTS already ends, or has no memory left. */
static bool rts_make_finalizer(HaskellObj make, void (*ends)(void))
{
    void *target;
    memcpy(&target, &ends, sizeof target);
    Capability *capability = rts_lock();
    HaskellObj finalizer = rts_mkFunPtr(capability, (HsFunPtr)rts_end_comes), made;
    HaskellObj action = rts_apply(capability, rts_apply(capability, make, finalizer), rts_mkPtr(capability, target));
    rts_evalIO(&capability, action, &made);
    bool success = rts_getSchedStatus(capability) == Success;
    if (success)
        getStablePtr((StgPtr)made);
    rts_unlock(capability);
    return success;
}

/* Defined by the includer, which finds `make`. */
static bool rts_watch_end(void (*ends)(void));
#define RTS_WATCH_END rts_watch_end
#else
#define RTS_WATCH_END NULL
#endif

#ifdef GHCOMP_HAVE_RTS_H
enum { NUMBER_OFFSET = sizeof(CapabilityPublic), INTERRUPT_OFFSET = OFFSET_Capability_interrupt };

static uint32_t *rts_collector_threads(void)
{
    return __GLASGOW_HASKELL__ < 904 ? &RtsFlags.ParFlags.parGcThreads : NULL;
}

static bool log_wanted(void)
{
    return RtsFlags.TraceFlags.user;
}

static const char *rts_log_file(void)
{
    return RtsFlags.TraceFlags.trace_output;
}

typedef RTSStats rts_stats;
#else
enum { NUMBER_OFFSET = 944, INTERRUPT_OFFSET = 0 /* set where it is known */ };

/* The includer finds it among the flags. */
static uint32_t *rts_collector_threads(void);

static bool log_wanted(void)
{
    return true;
}

static const char *rts_log_file(void)
{
    return NULL;
}

/* The beginning of GHC's RTSStats, the same from 9.0 to 9.10. `rest` is room for its other fields. */
typedef struct {
    uint32_t collections[2];
    uint64_t bytes[11];
    int64_t init_cpu_ns, init_elapsed_ns, mutator[2], gc[2], cpu_ns, elapsed_ns;
    uint64_t rest[512];
} rts_stats;
#endif

/* The clock's value when the RTS was started: events carry the time since then. The RTS's function for that time is
   hidden in shared libraries, but its statistics contain it in two parts: how long the start took, and the time since
   then. The value is uncertain by the time that reading them takes; the shortest of a few readings is used, so it is
   exact to about a microsecond. 0: not known yet. atomic(relaxed): all threads find the same value. */
static _Atomic uint64_t rts_log_begin;

static bool find_log_begin(void)
{
    enum { LOOKS = 8, LONGEST_NS = 50000, TRIES = 200 };
    int64_t shortest = LONGEST_NS;
    uint64_t begin = 0;
    for (int looks = 0, tries = 0; looks < LOOKS && tries < TRIES; tries++) {
        rts_stats stats;
        stats.init_elapsed_ns = 0;
        int64_t before = getProcessElapsedTime();
        getRTSStats(&stats);
        int64_t took = getProcessElapsedTime() - before, since = stats.init_elapsed_ns + stats.elapsed_ns;
        /* The RTS has not fully started, or the fields are not the expected ones. */
        if (stats.init_elapsed_ns <= 0 || stats.elapsed_ns < 0 || since >= before + took)
            return false;
        if (took > LONGEST_NS)
            continue;
        looks++;
        if (took < shortest) {
            shortest = took;
            begin = (uint64_t)(before + took / 2 - since);
        }
    }
    if (begin == 0)
        return false;
    ghcomp_store_relaxed(&rts_log_begin, begin);
    return true;
}

static bool rts_log_running(void)
{
    return eventLogStatus() == EVENTLOG_RUNNING && log_wanted() &&
           (ghcomp_load_relaxed(&rts_log_begin) != 0 || find_log_begin());
}

static uint64_t rts_log_now(void)
{
    return (uint64_t)getProcessElapsedTime() - ghcomp_load_relaxed(&rts_log_begin);
}

static bool rts_log_write(void *block, size_t bytes)
{
    return FileEventLogWriter.writeEventLog(block, bytes);
}

/* Defined by an includer that the RTS notifies of its end. */
#ifndef RTS_AT_END
static bool rts_log_at_end(void (*closing)(void))
{
    (void)closing;
    return false;
}
#endif

#define GHCOMP_RTS_TABLE(how, which)          \
    {                                         \
        .abi = GHCOMP_HOST_ABI,               \
        .name = "ghc",                        \
        .origin = how,                        \
        .version = which,                     \
        .capabilities = rts_capabilities,     \
        .worker_start = rts_worker_start,     \
        .worker_stop = rts_worker_stop,       \
        .home = rts_home,                     \
        .state = rts_state,                   \
        .number_offset = NUMBER_OFFSET,       \
        .interrupt_offset = INTERRUPT_OFFSET, \
        .hold = rts_hold,                     \
        .release = rts_release,               \
        .collector_threads = rts_collector_threads, \
        .log_running = rts_log_running,       \
        .log_write = rts_log_write,           \
        .log_now = rts_log_now,               \
        .log_file = rts_log_file,             \
        .log_at_end = rts_log_at_end,         \
        .watch_end = RTS_WATCH_END,           \
    }
