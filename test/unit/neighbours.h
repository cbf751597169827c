/* What the tests of a wait's neighbours share: a clock, CPUs and the cost of a yield that are made up, and the sources
   that are tested, built on them. Included once by neighbours.c and shared_cpu.c. */
#pragma once

#include "unit.h"

#include <string.h>

#include "core/cpu/cpu_account.h"
#include "core/state/icv.h"
#include "core/state/types.h"
#include "core/team/pool.h"
#include "host/os.h"

enum { CPUS = 2, US = 1000, MS = 1000 * 1000, IDLE_UNIT = 10 * MS };

static uint64_t now_ns = 1000 * (uint64_t)MS, cpu_ns, idle_ns;
static uint64_t yield_ns; /* what a yield costs: the slice of the thread that runs instead */
static uint32_t yields_made, naps_taken;
static int cpu;
static bool in_crowd;
static uint32_t counted;
static double cpus_got = CPUS; /* that the process has of the machine */
static double cpus_idle;       /* that no thread has */
static bool idle_known = true;

/* A waiter reads the clock after 32 pauses, about a microsecond. */
static inline uint64_t fake_now(void)
{
    now_ns += US;
    return now_ns;
}

static inline uint64_t fake_ticks(void)
{
    return now_ns / US * GHCOMP_TICKS_PER_US;
}

static inline uint64_t fake_cpu_time(void)
{
    return cpu_ns;
}

/* In hundredths of a second, the kernel's unit. */
static inline bool fake_idle_time(uint64_t *ns)
{
    *ns = idle_ns / IDLE_UNIT * IDLE_UNIT;
    return idle_known;
}

static inline void pass(uint64_t ns)
{
    now_ns += ns;
    cpu_ns += (uint64_t)((double)ns * cpus_got);
    idle_ns += (uint64_t)((double)ns * cpus_idle);
}

static inline void fake_yield(void)
{
    yields_made++;
    pass(yield_ns);
}

static inline void fake_nap(uint32_t ns)
{
    naps_taken++;
    pass(ns);
}

static inline int fake_cpu(void)
{
    return cpu;
}

static uint32_t moves_made;
static bool has_other_cpu;
static enum ghcomp_demand machine_demand;
static int home[2]; /* of the threads that share a CPU at first */

static inline bool fake_leave_cpu(void)
{
    moves_made += has_other_cpu;
    if (has_other_cpu)
        home[1] = 0;
    return has_other_cpu;
}


static bool all_cpus = true;

static inline bool fake_has_all_cpus(void)
{
    return all_cpus;
}

static inline enum ghcomp_demand fake_demand(void)
{
    counted++;
    return in_crowd ? GHCOMP_DEMAND_CROWD : machine_demand;
}

static uint32_t capabilities_busy, haskell_looks;

static inline uint32_t fake_haskell(void)
{
    haskell_looks++;
    return capabilities_busy;
}

/* The sources themselves, with these fakes. */
#define ghcomp_cpu_account_haskell fake_haskell
#define ghcomp_os_now fake_now
#define ghcomp_cpu_ticks fake_ticks
#define ghcomp_os_cpu_time fake_cpu_time
#define ghcomp_os_idle_time fake_idle_time
#define ghcomp_os_yield fake_yield
#define ghcomp_os_nap fake_nap
#define ghcomp_os_cpu fake_cpu
#define ghcomp_os_demand fake_demand
#define ghcomp_os_leave_cpu fake_leave_cpu
#define ghcomp_os_has_all_cpus fake_has_all_cpus
#include "core/cpu/neighbours.c"
#include "core/cpu/wait.c"
#include "two_threads.h"

static inline void on(int thread)
{
    ghcomp_self_member = &threads[thread].self;
    cpu = thread;
}

static inline void begin_test(void)
{
    begin_with_two_threads(CPUS);
    moves_made = 0;
    has_other_cpu = false;
    machine_demand = GHCOMP_DEMAND_LOW;
    ghcomp_global.num_cpus = CPUS;
    ghcomp_global.wait_policy = GHCOMP_POLICY_UNSET;
    ghcomp_global.spincount_set = false;
    ghcomp_wait_init();
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, 1u);
    ghcomp_store_relaxed(&ghcomp_cpu_load.beside, 1u);
    ghcomp_store_relaxed(&ghcomp_cpu_load.shared, false);
    pass(1000 * (uint64_t)MS);
    yield_ns = US / 2;
    cpus_got = CPUS;
    cpus_idle = 0;
    idle_known = true;
    on(0);
}

/* A wait whose condition does not come: how long it polls before it says that the thread should sleep. */
static inline uint64_t wait_in_vain(enum ghcomp_wait_kind kind)
{
    yields_made = naps_taken = 0;
    struct ghcomp_spin spin = ghcomp_spin_start(kind);
    uint64_t began = now_ns;
    while (ghcomp_spin_again(&spin) && naps_taken == 0)
        ;
    return now_ns - began;
}

static inline bool about(uint64_t ns, uint64_t wanted)
{
    return ns >= wanted && ns < wanted + wanted / 4 + 10 * US;
}

static inline void meet(void)
{
    begin_test();
    yield_ns = 3 * MS;
    wait_in_vain(GHCOMP_WAIT_TEAM);
    CHECK_EQUAL(1, yields_made); /* the first one took a slice */
}
