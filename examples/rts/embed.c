/* A C program that starts GHC's runtime system and calls Haskell from two threads. */
#include "Rts.h"
#include <pthread.h>
#include <stdio.h>

#include "Embedded_stub.h"

static void *thread(void *unused)
{
    (void)unused;
    printf("in a thread of C: %d, in a bound Haskell thread: %s\n", (int)doubled(21), bound() ? "yes" : "no");
    hs_thread_done(); /* what the runtime keeps for this thread may go */
    return NULL;
}

/* What the exported function does, by hand. */
static int by_hand(HsStablePtr function, int n)
{
    HaskellObj result;
    Capability *cap = rts_lock(); /* waits until there is a Capability for this thread */
    HaskellObj call = rts_apply(cap, (HaskellObj)deRefStablePtr(function), rts_mkInt(cap, n));
    rts_evalIO(&cap, call, &result); /* makes a Haskell thread and runs it; it may come back with another Capability */
    rts_checkSchedStatus("embed", cap);
    int value = (int)rts_getInt(result);
    rts_unlock(cap);
    return value;
}

int main(int argc, char **argv)
{
    RtsConfig config = defaultRtsConfig;
    config.rts_opts_enabled = RtsOptsIgnoreAll; /* neither GHCRTS nor the command line */
    config.rts_opts = "-N2";
    hs_init_ghc(&argc, &argv, config);
    printf("Capabilities: %d\n", (int)n_capabilities);

    pthread_t other;
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    HsStablePtr function = doubleAsObject();
    printf("by hand: %d\n", by_hand(function, 4));
    hs_free_stable_ptr(function);
    hs_exit();
    return 0;
}
