/* The POSIX host: only threads, no RTS. It is the fall-back at run time, and the host of the unit tests. */
#include "host/host.h"

static uint32_t capabilities(void)
{
    return 0;
}

static void worker_start(uint32_t number)
{
    (void)number;
}

static void worker_stop(void)
{
}

static int home(uint32_t number)
{
    (void)number;
    return -1;
}

static int state(void)
{
    return GHCOMP_RTS_NONE;
}

static bool log_running(void)
{
    return false;
}

const struct ghcomp_host ghcomp_host_posix = {
    .abi = GHCOMP_HOST_ABI,
    .name = "posix",
    .origin = "posix",
    .version = "",
    .capabilities = capabilities,
    .worker_start = worker_start,
    .worker_stop = worker_stop,
    .home = home,
    .state = state,
    .log_running = log_running,
};
