/* The host table of a GHC RTS, written once. Whoever includes this has declared the RTS's names: host_ghc.c and boot.c
 * by Rts.h, host_find.c by macros that lead to what dlsym gave. The includer then defines the struct with
 * GHCOMP_RTS_TABLE.
 *
 * A worker's home Capability is its number modulo the enabled Capabilities: the RTS itself reduces the preferred
 * Capability of a thread so at each in-call, so the home follows setNumCapabilities. Numbers start at 1 and Capability
 * 0 is where a program's main thread usually runs: it is doubled last.
 */
static int rts_state(void)
{
    if (!rtsSupportsBoundThreads())
        return GHCOMP_RTS_SINGLE;
    return n_capabilities == 0 || enabled_capabilities == 0 ? GHCOMP_RTS_IDLE : GHCOMP_RTS_READY;
}

static uint32_t rts_capabilities(void)
{
    return rts_state() == GHCOMP_RTS_READY ? enabled_capabilities : 0;
}

/* Makes the thread known to the RTS (a Task, no Capability) and says where its in-calls should go. Affinity 0: the RTS
   must not bind it to a CPU, affinity.c does that. */
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
    }
