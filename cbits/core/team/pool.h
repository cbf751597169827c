/* The process-wide pool of workers. Protocol: pool.c. */
#pragma once

#include "core/state/types.h"
#include "core/sync/mailbox.h"
#include "host/host.h"

/* Takes `count` workers of the calling thread's kind (kind.c) from the pool, or makes them, and puts them into
   workers[0..count). Returns their number: fewer only when no thread could be created (errno value in *error). The
   caller owns their mailboxes. */
uint32_t ghcomp_pool_take(struct ghcomp_thread **workers, uint32_t count, int *error);
/* The same, without repeated attempts to create a thread: for a caller that has other workers to give back. */
uint32_t ghcomp_pool_take_at_once(struct ghcomp_thread **workers, uint32_t count, int *error);
/* Has a worker that the calling thread has taken call fn(data) in no region, as its `idle` member. It goes back to the
   pool by itself. */
void ghcomp_pool_send(struct ghcomp_thread *worker, void (*fn)(void *), void *data);
/* Called by a thread that ends and has given up its teams: removes it from its kind, whose free workers may end with
   that. */
void ghcomp_pool_leave(struct ghcomp_thread *thread);
/* As ghcomp_pool_take, but makes no worker (EAGAIN) if `makes` is false, or if the limits on threads do not allow all
   missing ones. */
uint32_t ghcomp_pool_take_limited(struct ghcomp_thread **workers, uint32_t count, int *error, bool makes);
/* Takes a worker for a free agent (agents.c), as ghcomp_pool_take_limited. False: there is none. */
bool ghcomp_pool_take_agent(struct ghcomp_thread **worker);
/* Determines the calling thread's kind; `whole` as in kind.h. */
const struct ghcomp_kind *ghcomp_pool_kind(struct ghcomp_thread *thread, bool whole);
/* Lets the calling worker, which a master has taken, serve others too. False: it has changed since it was made. The
   next master examines it again. */
bool ghcomp_pool_serves_others(struct ghcomp_thread *worker);
/* Undoes a take that got too few: returns workers that have served a team to the pool, and ends the new ones, since
   others may need their threads. The latter have ended when this returns (ghcomp_pool_join). */
void ghcomp_pool_take_back(struct ghcomp_thread **workers, uint32_t count);
/* Puts idle (joined) workers back, workers[count-1] last: the next taker gets the same workers in the same order. */
void ghcomp_pool_give(struct ghcomp_thread **workers, uint32_t count);
/* Ends all free workers; does not wait for them. */
void ghcomp_pool_dismiss(void);
/* Ends all free workers, and returns when they have reported their end to the tool, or after two seconds. */
void ghcomp_pool_dismiss_reported(void);
/* Ends all free workers, and returns when they have ended. One that takes seconds is not waited for: a tool, a
   destructor, or a task of a team that it still helps may hold it up. */
void ghcomp_pool_join(void);
/* Workers made so far in this process (for tests and ghcomp_stats). */
uint32_t ghcomp_pool_created(void);
/* The host of this process; chooses it if no region has done so yet. Any thread. */
const struct ghcomp_host *ghcomp_pool_host(void);

/* Around fork(), and in the child (registered by thread.c). */
void ghcomp_pool_fork_prepare(void);
void ghcomp_pool_fork_parent(void);
void ghcomp_pool_fork_child(const struct ghcomp_thread *thread);

/* Keeps an unused team struct, and returns one for reuse (NULL: none): memory of teams is never freed (task_team.c). */
void ghcomp_pool_keep_team(struct ghcomp_team *team);
struct ghcomp_team *ghcomp_pool_reuse_team(void);
