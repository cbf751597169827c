/* The environment's settings. */
#include <stdlib.h>

#include "core/icv.h"
#include "core/wait.h"
#include "host/os.h"

void ghcomp_env_init(void)
{
    static bool done;
    if (done)
        return;
    done = true;
    ghcomp_global.num_cpus = ghcomp_os_cpus();
    struct ghcomp_icvs *icv = &ghcomp_global.initial;
    const char *threads = getenv("OMP_NUM_THREADS");
    icv->nthreads = threads ? (uint32_t)atoi(threads) : ghcomp_global.num_cpus;
    icv->max_active_levels = 1;
    icv->thread_limit = GHCOMP_NO_LIMIT;
    icv->sched = GHCOMP_SCHED_DYNAMIC;
    icv->sched_chunk = 1;
    ghcomp_wait_init();
}
