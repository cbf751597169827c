/* Which host the process gets. */
#include "host/host.h"

static const struct ghcomp_host *_Atomic chosen = &ghcomp_host_posix;

const struct ghcomp_host *ghcomp_host(void)
{
    return ghcomp_load_acquire(&chosen);
}

void ghcomp_host_select(void)
{
}

void ghcomp_host_fork_child(void)
{
    ghcomp_store_relaxed(&chosen, &ghcomp_host_posix);
}
