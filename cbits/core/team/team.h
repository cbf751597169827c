/* Teams: fork and join of parallel regions. Protocol: team.c, and team_struct.c for teams between regions. */
#pragma once

#include "core/observe/fast_self.h"
#include "core/state/types.h"
#include "core/tool/tool.h"

/* Prepares the team of a region that the caller encounters: fixes its size (OpenMP 5.2, section 10.1.1), takes or
   reuses workers, resets what a region starts with. `num_threads` is the clause's value, 0 without one; `flags` holds
   enum ghcomp_bind of a proc_bind clause in its low three bits, and GHCOMP_TEAM_* (affinity.h). The caller becomes
   member 0 at once. Until ghcomp_team_release only the caller uses the team (combined constructs set up their work
   share then). NULL, only with GHCOMP_TEAM_MAY_FAIL: there is no region, and thread->shortage says why. */
struct ghcomp_team *ghcomp_team_prepare(uint32_t num_threads, uint32_t flags);
/* Starts the workers. The caller continues as member 0 and calls fn itself. */
void ghcomp_team_release(struct ghcomp_team *team, void (*fn)(void *), void *data);
/* The end of the region: waits for all members; the caller becomes the member again that it was before. */
void ghcomp_team_join(void);

/* Arranges that the process's exit ends the free workers, and waits for them (thread.c). */
void ghcomp_thread_join_at_exit(void);

/* Calls fn(data) as the code of the calling member. */
static inline void ghcomp_team_run_member(void (*fn)(void *), void *data)
{
    if (ghcomp_tool_on())
        ghcomp_tool_call(fn, data);
    else
        fn(data);
}

/* Run a whole region: the first for an entry that found ghcomp_self_fast (core/observe/fast_self.h) NULL, the second
   for one that found `self` there, the third for a caller that has not read it. GHCOMP_TEAM_FILTERED (affinity.h) is
   only for a thread whose ghcomp_self_fast is NULL. */
void ghcomp_team_parallel_observed(void (*fn)(void *), void *data, uint32_t num_threads, uint32_t flags);
void ghcomp_team_parallel_fast(void (*fn)(void *), void *data, uint32_t num_threads, uint32_t flags,
                               struct ghcomp_member *self);
static inline void ghcomp_team_parallel(void (*fn)(void *), void *data, uint32_t num_threads, uint32_t flags)
{
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_unlikely(self == NULL))
        ghcomp_team_parallel_observed(fn, data, num_threads, flags);
    else
        ghcomp_team_parallel_fast(fn, data, num_threads, flags, self);
}

/* A worker's part of the region in its mailbox (worker.c). */
void ghcomp_team_run_worker(struct ghcomp_thread *worker);

/* Gives back the workers of the teams that the member keeps, at every depth below it, and frees the teams. No region
   below the member may be running. */
void ghcomp_team_forget(struct ghcomp_member *member);

/* Puts the workers of an idle team, and of the teams that its members keep, into the pool. Returns the number of the
   team's own workers. For the thread that has taken the team (lend.c). */
uint32_t ghcomp_team_dismiss(struct ghcomp_team *team);

/* A level 0 team of the thread, whose only member is `member`: that of a new initial thread (&thread->self), or of
   one of its initial regions (initial_region.c). `group` is the contention group of the regions inside. */
struct ghcomp_team *ghcomp_team_new_initial(struct ghcomp_thread *thread, struct ghcomp_member *member,
                                            struct ghcomp_group *group);
void ghcomp_team_free_initial(struct ghcomp_team *team);

/* In the child of fork(): the regions whose master is the calling thread have lost their workers. `alone`: where it
   stays in the region that it was in, it is as a thread of its own there. */
void ghcomp_team_fork_child(struct ghcomp_member *self, bool alone);

/* thread.c: frees the struct of a thread that is gone. */
void ghcomp_thread_free(struct ghcomp_thread *thread);
/* Called by a worker that has gone back to the pool by itself: ends the free workers if all initial threads have ended
   meanwhile. */
void ghcomp_thread_worker_returned(void);
