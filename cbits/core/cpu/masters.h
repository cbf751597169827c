/* Counts the masters that want a CPU, in a process whose regions are not in the account (cpu_account.h), and decides
   how their threads wait. Rules in masters.c. */
#pragma once

#include "core/state/types.h"

/* Counts the waiting master for the time span of `now`, and returns how many masters have waited lately, this one
   included. */
uint32_t ghcomp_masters_count(struct ghcomp_thread *master, uint64_t now);

/* Records that a thread has returned late from a yield while there were several masters. */
void ghcomp_masters_late(uint64_t now);
/* Whether waiters sleep at once because of a recent late return. */
bool ghcomp_masters_sleep(uint64_t now);

/* In the child of fork(). */
void ghcomp_masters_fork_child(void);
