/* The process's account of its cores: who runs on them. Protocol in cpu_account.c. */
#pragma once

#include "core/state/types.h"
#include "host/capabilities.h"

/* Whether regions of initial threads are entered into the account, and their workers lent to others (lend.c). Written
   when the host is chosen; atomic(relaxed): a region that misses it is not counted, which harms nobody. */
extern _Atomic bool ghcomp_cpu_account_shared;
/* Whether that has been settled; before, the first region that may need a worker chooses the host. atomic(relaxed) */
extern _Atomic bool ghcomp_cpu_account_settled;

/* The host has been chosen: settles GHCOMP_SHARE=auto, begins to look for Capabilities. */
void ghcomp_cpu_account_start(void);

/* The regions that run, as they are entered in the account. */
struct ghcomp_cpu_account_counts {
    uint32_t epoch;     /* modulo 2^16 */
    uint32_t masters;
    uint32_t threads; /* whoever their masters are */
    uint32_t recent;  /* of these threads, those of regions that were entered in this epoch (cpu_account.c) */
};
/* All of one moment. A hint: load_relaxed. */
struct ghcomp_cpu_account_counts ghcomp_cpu_account_counts(void);
/* Busy Capabilities, but for those of members of regions, which are counted as threads. */
uint32_t ghcomp_cpu_account_haskell(void);

/* Enters a region of `threads` threads that the caller is the master of; `master`: it is not inside of another one. */
void ghcomp_cpu_account_enter(struct ghcomp_account *account, uint32_t threads, bool master);
/* The same if it fits beside the recent regions: false, and nothing entered, if not. */
bool ghcomp_cpu_account_enter_if_fits(struct ghcomp_account *account, uint32_t threads);
/* Enters a region of at most `most` threads, the calling one with them, on cores that are idle now, and says how many
   it got, at least 1. `master` as above; of a region inside another one the caller is not counted again. */
uint32_t ghcomp_cpu_account_enter_idle(struct ghcomp_account *account, uint32_t most, bool master);
/* What was entered, left. */
void ghcomp_cpu_account_leave(struct ghcomp_account *account);
/* From now on the regions that run are not counted as recent: they are long, or wait for one that is not let in. */
void ghcomp_cpu_account_next_epoch(void);

/* In the child of fork(). */
void ghcomp_cpu_account_fork_child(void);
