/* Gates: a thread waits, outside the runtime, until another thread has opened the gate or enough threads have come.
   There may be more threads than CPUs, so a waiter yields its CPU. */
#pragma once

#include <sched.h>

static inline int look(int *counter)
{
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

static inline int count_up(int *counter)
{
    return __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL);
}

static inline void wait_until(int *counter, int least)
{
    while (look(counter) < least)
        sched_yield();
}

static inline void wait_for(int *gate)
{
    wait_until(gate, 1);
}

static inline void open_gate(int *gate)
{
    __atomic_store_n(gate, 1, __ATOMIC_RELEASE);
}

/* Counts its caller and waits until `all` have come. */
static inline void meet(int *counter, int all)
{
    count_up(counter);
    wait_until(counter, all);
}
