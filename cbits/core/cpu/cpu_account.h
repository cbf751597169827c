/* The CPU account: which threads of all masters use the process's CPUs. Protocol: cpu_account.c. */
#pragma once

#include "core/state/types.h"
#include "host/capabilities.h"

/* Whether regions of initial threads are entered into the account, and their workers lent to others (lend.c). Written
   when the host is chosen; atomic(relaxed): a region that misses it is not counted, which does no harm. */
extern _Atomic bool ghcomp_cpu_account_shared GHCOMP_OWN;
/* Whether `shared` has its final value; while it has not, a region that may need a worker chooses the host.
   store_release after `shared`, load_acquire. */
extern _Atomic bool ghcomp_cpu_account_settled GHCOMP_OWN;

/* Called when the host has been chosen: settles GHCOMP_SHARE=auto, and starts to read the Capabilities. */
void ghcomp_cpu_account_start(void);

/* The regions that run, as the account counts them. */
struct ghcomp_cpu_account_counts {
    uint32_t epoch;   /* modulo 2^16 */
    uint32_t masters;
    uint32_t threads; /* of all masters */
    uint32_t recent;  /* of these, the threads of regions that were entered in this epoch (cpu_account.c) */
};
/* The counts, all read at the same moment. A hint: load_relaxed. */
struct ghcomp_cpu_account_counts ghcomp_cpu_account_counts(void);
/* The number of busy Capabilities, except those of members of regions, which are counted as threads. */
uint32_t ghcomp_cpu_account_haskell(void);

/* Enters a region of `threads` threads, whose master is the caller; `master`: it is not inside another one. */
void ghcomp_cpu_account_enter(struct ghcomp_account *account, uint32_t threads, bool master);
/* The same if it fits beside the recent regions; otherwise false, and nothing is entered. */
bool ghcomp_cpu_account_enter_if_fits(struct ghcomp_account *account, uint32_t threads);
/* Enters a region of at most `most` threads, including the calling one, on CPUs that are idle now, and returns how many
   it got, at least 1. `master` as above; the master of an inner region is not counted again. */
uint32_t ghcomp_cpu_account_enter_idle(struct ghcomp_account *account, uint32_t most, bool master);
/* Removes the region that `account` records. */
void ghcomp_cpu_account_leave(struct ghcomp_account *account);
/* From now on the running regions do not count as recent: they are long, or wait for one that is not admitted. */
void ghcomp_cpu_account_next_epoch(void);

/* Whether collections now use a single thread, because regions use all other CPUs (cpu_account.c) or because the RTS
   has only one. */
bool ghcomp_cpu_account_collects_alone(void);

/* Called when the last worker that was awake goes to sleep (wait.c): corrects a collector's number that lingers. */
void ghcomp_cpu_account_workers_sleep(void);

/* Sets whether the calling thread executes Haskell as its part of a region; returns the value before, so that the
   caller can restore it. A collection stops such a thread, and may use its CPU. Any thread; false at first. */
bool ghcomp_cpu_account_in_haskell(bool now);

/* In the child of fork(). */
void ghcomp_cpu_account_fork_child(void);
