/* The test's own host: the table that a Haskell program would export, of an RTS that is ready. The runtime finds it by
   its name, so the test exports it (mk/test.mk: UNIT_LDFLAGS). */
#pragma once

#include "host/host.h"

static inline void fake_worker_start(uint32_t number)
{
    (void)number;
}

static inline void fake_worker_stop(void)
{
}

static inline int fake_home(uint32_t number)
{
    (void)number;
    return -1;
}

static inline int fake_state(void)
{
    return GHCOMP_RTS_READY;
}

/* Used once in a test, with the fields that are its own: .origin, .capabilities, and those that it is about. */
#define FAKE_GHC(...)                                                                                  \
    extern const struct ghcomp_host ghcomp_host_table;                                                 \
    __attribute__((visibility("default"))) const struct ghcomp_host ghcomp_host_table = {              \
        .abi = GHCOMP_HOST_ABI, .name = "ghc", .version = "", .worker_start = fake_worker_start,       \
        .worker_stop = fake_worker_stop, .home = fake_home, .state = fake_state, __VA_ARGS__           \
    }
