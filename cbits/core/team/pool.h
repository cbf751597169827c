/* The process-wide pool of workers. Protocol in pool.c. */
#pragma once

#include "core/state/types.h"
#include "core/sync/mailbox.h"
#include "host/host.h"

/* Takes `count` workers out of the pool, making what it lacks, and puts them into workers[0..count). Returns how many
   it got: fewer than asked only when no thread could be created (errno value in *error). The caller owns their mail. */
uint32_t ghcomp_pool_take(struct ghcomp_thread **workers, uint32_t count, int *error);
/* Puts idle (joined) workers back, workers[count-1] last, so that the next taker gets the same ones in the same
   order. */
void ghcomp_pool_give(struct ghcomp_thread **workers, uint32_t count);
/* Ends all free workers. They finish on their own time. */
void ghcomp_pool_dismiss(void);
/* Workers made so far in this process (for tests and ghcomp_stats). */
uint32_t ghcomp_pool_created(void);
/* The host of this process; makes the choice when no region has made it yet. Any thread. */
const struct ghcomp_host *ghcomp_pool_host(void);

/* fork(): around it and in the child (thread.c registers them). */
void ghcomp_pool_fork_prepare(void);
void ghcomp_pool_fork_parent(void);
void ghcomp_pool_fork_child(void);

/* Memory of teams is never given back (task_team.c): structs for which there is no use now. NULL when there is none. */
void ghcomp_pool_keep_team(struct ghcomp_team *team);
struct ghcomp_team *ghcomp_pool_reuse_team(void);
/* Wakes those on team.wake that nobody has taken yet. Master after the release; woken workers. */
void ghcomp_pool_wake_sleepers(struct ghcomp_team *team);
