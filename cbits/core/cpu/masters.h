/* How many masters of regions want the CPUs, in a process whose account (cpu_account.h) does not count them, and how
   their threads wait. Rules in masters.c. */
#pragma once

#include "core/state/types.h"

/* Counts a master that waits, by the clock, and returns how many have waited lately, itself included. */
uint32_t ghcomp_masters_count(struct ghcomp_thread *master, uint64_t now);

/* A thread has returned late from a yield, while several masters waited. */
void ghcomp_masters_late(uint64_t now);
/* Whether waiters sleep at once because of a recent late return. */
bool ghcomp_masters_sleep(uint64_t now);

/* In the child of fork(). */
void ghcomp_masters_fork_child(void);
