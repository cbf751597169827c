/* Threads of this process that are still there: for tests that must leave none. */
#ifndef THREADED_RTS
#define THREADED_RTS /* the RTS of the tests; struct generation_ has other offsets without it */
#endif
#include "Rts.h"

/* core/team/pool.h: the workers that the runtime has made. They last as long as the process. */
uint32_t ghcomp_pool_created(void);

/* Haskell threads that have not ended. Those that nothing refers to any more count until the next collection. An unsafe
   call: no collection comes meanwhile, and a thread that another one makes is put in front of the list. */
int census_haskell_threads(void)
{
    int n = 0;
    for (uint32_t g = 0; g < RtsFlags.GcFlags.generations; g++)
        for (StgTSO *t = generations[g].threads; t != END_TSO_QUEUE; t = t->global_link)
            n += t->what_next != ThreadComplete && t->what_next != ThreadKilled;
    return n;
}

/* The most operating system threads that there may be while no Haskell thread is in a foreign call: the runtime's
   workers, and what GHC keeps. That is for each Capability the one that runs it and up to six spare ones
   (rts/Capability.h, MAX_SPARE_WORKERS), and some for all: main's own, the timer's, the I/O managers', of which there
   is one for each Capability, too. */
int census_most_os_threads(void)
{
    enum { SPARE = 6, COMMON = 5 };
    return (int)ghcomp_pool_created() + (int)n_capabilities * (1 + SPARE + 1) + COMMON;
}

int census_workers(void)
{
    return (int)ghcomp_pool_created();
}
