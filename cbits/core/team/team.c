/* Teams: fork and join of parallel regions.
 *
 * Fork. The encountering member keeps a hot team from its last region (one for regions of several threads, one for
 * regions of one). The master sets what changed, writes each worker's mail and continues: there is no start barrier, a
 * worker begins as soon as its mail arrives.
 *
 * Join. `unfinished` counts the workers still in the region, shifted by one; bit 0 says that the master sleeps on it
 * (set by cas_acqrel while the count is not zero). By its subtraction (sub_acqrel) a worker leaves the team; when that
 * leaves bit 0 alone, it wakes the master. The wake-up may reach the address after the master has moved on: a futex
 * wake on an address without waiters does nothing. In a region with deferred tasks a worker may come back by the
 * region's door, or not leave at all, and the master waits for the tasks, too (task_team.c).
 *
 * In teams that wait by flags (barrier_flags.c) each worker answers on the cache line of its mailbox instead, and the
 * count stays 0.
 *
 * Large teams (barrier_policy.c) begin by fork_tree.c, and their workers count themselves out in a tree
 * (combining_tree.c), whose last one subtracts them all.
 *
 * Members. A member is complete when its thread becomes it (types.h): the master fills its own, and a worker fills its
 * own from the mail, before that. A worker idles before its answer, or before it leaves the door, and the master
 * becomes the team's parent before others may take the team.
 *
 * Sizes. A region gets exactly the threads that OpenMP's rules give it (team_size.h); only dyn-var allows fewer.
 * shortage.c handles threads that cannot be made; team_struct.c has the structs of teams and their resizing.
 *
 * Observers. A region is carried out by one of two copies of the same code. `observed` is a constant in each: the fast
 * copy has no hooks (core/observe/fast_self.h). The entry reads the observers once; one that comes later gets the next
 * region.
 *
 * Called by abi/gomp, abi/kmp, haskell/region.c, league.c and task_reduction.c. Covered by test/unit/team.c and
 * test/conformance/parallel.
 */
#include "core/team/cancel.h"
#include "core/team/team.h"

#include "core/affinity/affinity.h"
#include "core/cpu/admission.h"
#include "core/cpu/cpu_account.h"
#include "core/cpu/wait.h"
#include "core/cpu/yield_to_haskell.h"
#include "core/observe/fast_self.h"
#include "core/state/settings.h"
#include "core/sync/barrier.h"
#include "core/sync/barrier_flags.h"
#include "core/sync/combining_tree.h"
#include "core/sync/task_team.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/task/taskgroup.h"
#include "core/team/barrier_policy.h"
#include "core/team/fork_tree.h"
#include "core/team/lend.h"
#include "core/team/pool.h"
#include "core/team/team_size.h"
#include "core/team/team_struct.h"
#include "core/team/worker.h"
#include "core/team/worker_placement.h"
#include "core/tool/tool_filter.h"
#include "core/trace/trace.h"
#include "core/tsan/races.h"
#include "core/worksharing/workshare.h"

/* --- size --------------------------------------------------------------------------------------------------------- */

/* Determines the size of a region whose CPUs are counted, and enters it in the account. */
static __attribute__((noinline)) uint32_t enter_account(struct ghcomp_member *self, struct ghcomp_account *account,
                                                        uint32_t size, bool adapts)
{
    struct ghcomp_thread *thread = self->thread;
    bool outermost = self->team->level == 0 && thread->initial.innermost == NULL;
    if (outermost)
        ghcomp_yield_to_haskell_before(thread, adapts);
    if (adapts)
        return ghcomp_cpu_account_enter_idle(account, size, outermost);
    if (!outermost && size == 1)
        return size;
    if (!outermost)
        ghcomp_cpu_account_enter(account, size - 1, false);
    else if (size == 1 || self->task != &self->implicit || ghcomp_settings.admission == GHCOMP_ADMISSION_OFF)
        ghcomp_cpu_account_enter(account, size, true);
    else
        ghcomp_admission_enter(thread, account, size);
    return size;
}

/* --- fork --------------------------------------------------------------------------------------------------------- */

static inline void start_member(struct ghcomp_member *member, struct ghcomp_team *team, uint32_t tid)
{
    member->team = team;
    member->tid = tid;
    member->task = &member->implicit;
    member->implicit.icv = team->icv;
    member->implicit.executor = member;
    ghcomp_store_relaxed(&member->implicit.parent, team->parent_task);
    ghcomp_store_relaxed(&member->created, 0u);
    ghcomp_store_relaxed(&member->completed, 0u);
    member->share = team->root;
    member->singles = team->singles;
    member->chunk_begin = member->chunk_end = member->chunk_count = member->run_past = 0;
}

/* The ICVs that the region's implicit tasks start with: the encountering task's, one level further down the lists.
   If bind-var's list has no further level, and binding is not off, a proc_bind clause of gcc's code sets their
   bind-var, as in libgomp, even in a team of one. In libomp a clause counts only for its own region. */
static __attribute__((noinline)) const struct ghcomp_icvs *inner_icvs(struct ghcomp_team *team,
                                                                      const struct ghcomp_icvs *icv, uint32_t flags)
{
    bool clause = (flags & 7) != 0 && !(flags & GHCOMP_TEAM_OF_CLANG) && icv->bind != GHCOMP_BIND_FALSE;
    if (icv->nthreads_rest_len == 0 && icv->bind_rest_len == 0 && !clause)
        return icv;
    struct ghcomp_icvs *inner = &team->icv_storage;
    *inner = *icv;
    if (inner->nthreads_rest_len > 0) {
        inner->nthreads = *inner->nthreads_rest++;
        inner->nthreads_whole = 0;
        inner->nthreads_rest_len--;
    }
    if (inner->bind_rest_len > 0) {
        inner->bind = *inner->bind_rest++;
        inner->bind_rest_len--;
    } else if (clause) {
        inner->bind = (uint8_t)(flags & 7);
    }
    return inner;
}

static inline const struct ghcomp_icvs *region_icvs(struct ghcomp_team *team, const struct ghcomp_icvs *icv,
                                                    uint32_t flags)
{
    bool same = (icv->nthreads_rest_len | icv->bind_rest_len | (flags & 7)) == 0;
    return ghcomp_likely(same) ? icv : inner_icvs(team, icv, flags);
}

/* Reports the region's begin to a tool, except that of a league's region, which the program does not contain: league.c
   reports leagues. */
static __attribute__((noinline)) void report_begin(struct ghcomp_member *self, struct ghcomp_team *team,
                                                   uint32_t requested, uint32_t flags)
{
    ghcomp_keep(team->of_league, (flags & GHCOMP_TEAM_OF_LEAGUE) != 0);
    ghcomp_keep(team->filtered, (flags & GHCOMP_TEAM_FILTERED) != 0);
    team->master.credits = ghcomp_tool_no_credits; /* another thread may be the master now */
    if (!ghcomp_tool_on() || team->of_league)
        return;
    if (team->filtered)
        ghcomp_tool_filtered_region_begin(team);
    else
        ghcomp_tool_parallel_begin(self, team, requested);
}

/* The number of threads that the region gets of the `size` that it wants, within dyn-var, the CPUs that the account
   leaves, and thread-limit-var; *counted: they count against the latter. */
static inline __attribute__((always_inline)) uint32_t
size_given(struct ghcomp_member *self, const struct ghcomp_icvs *icv, uint32_t size, bool adapts,
           struct ghcomp_account *account, bool *counted)
{
    struct ghcomp_group *group = self->thread->in_group;
    /* With dyn-var on, no team has more threads than there are CPUs. Within that limit, num_threads clauses are exact
       if the program itself set dyn-var, because kernels of BLAS libraries wait for all requested threads. */
    if (ghcomp_unlikely(icv->dynamic) && size > ghcomp_global.num_cpus)
        size = ghcomp_global.num_cpus;
    if (ghcomp_unlikely(!ghcomp_load_acquire(&ghcomp_cpu_account_settled)) && size > 1)
        ghcomp_pool_host();
    if (ghcomp_unlikely(adapts) || ghcomp_load_relaxed(&ghcomp_cpu_account_shared)) {
        /* Applied before the account: threads that thread-limit-var excludes must not count as using CPUs. */
        if (ghcomp_unlikely(icv->thread_limit != GHCOMP_NO_LIMIT))
            size = ghcomp_size_clip(group, icv->thread_limit, size);
        size = enter_account(self, account, size, adapts);
    }
    *counted = false;
    if (size > 1 && icv->thread_limit != GHCOMP_NO_LIMIT) {
        size = 1 + ghcomp_size_take(group, icv->thread_limit, size - 1);
        *counted = size > 1;
    }
    return size;
}

/* The member's hot team, with `size` threads or with fewer in a shortage (shortage.h). NULL: the region, which may
   fail, does not begin, and *account and what is counted have been given back. */
static inline __attribute__((always_inline)) struct ghcomp_team *
hot_team(struct ghcomp_member *self, const struct ghcomp_icvs *icv, uint32_t size, uint32_t flags, bool observed,
         struct ghcomp_account *account, bool counted)
{
    struct ghcomp_team **slot = size > 1 ? &self->hot : &self->hot_serial;
    struct ghcomp_team *team = *slot;
    if (ghcomp_unlikely(team == NULL || team->generation != ghcomp_process_generation))
        team = *slot = ghcomp_team_new();
    else
        ghcomp_lend_reclaim(team); /* not earlier: a master that waits for admission needs no workers */
    if (ghcomp_unlikely(team->size != size)) {
        uint32_t had = team->size;
        bool made = ghcomp_team_resize(team, size, ghcomp_shortage_of(icv->dynamic, flags));
        if (observed && ghcomp_unlikely(!made)) /* only regions that are prepared may fail (GHCOMP_TEAM_MAY_FAIL) */
            return ghcomp_shortage_undo(self, team, account, counted ? size - 1 : 0);
        ghcomp_barrier_policy_fit(team);
        ghcomp_barrier_flags_fit(team, had);
        if (counted && team->size != size)
            ghcomp_sub_relaxed(&self->thread->in_group->threads, size - team->size);
    }
    return team;
}

static inline __attribute__((always_inline)) void count_region(struct ghcomp_counts *counts, uint32_t wanted,
                                                               uint32_t given)
{
    if (wanted == 1)
        return;
    ghcomp_count_in(counts, GHCOMP_COUNT_REGIONS, 1);
    ghcomp_count_in(counts, GHCOMP_COUNT_WANTED, wanted);
    ghcomp_count_in(counts, GHCOMP_COUNT_GIVEN, given);
}

static inline __attribute__((always_inline)) struct ghcomp_team *
fork_team(struct ghcomp_member *self, uint32_t num_threads, uint32_t flags, bool observed)
{
    const struct ghcomp_icvs *icv = self->task->icv;
    uint32_t wanted = ghcomp_size_wanted(self, icv, num_threads);
    bool counted, adapts = wanted > 1 && ghcomp_size_may_adapt(icv, num_threads);
    struct ghcomp_account account = {0, 0, false, false};
    uint32_t size = size_given(self, icv, wanted, adapts, &account, &counted);
    struct ghcomp_team *team = hot_team(self, icv, size, flags, observed, &account, counted);
    if (observed && ghcomp_unlikely(team == NULL))
        return NULL;
    size = team->size;
    count_region(&self->thread->counts, wanted, size);
    team->account = account;
    if (ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_cpu_account_shared)))
        team->begun = ghcomp_cpu_ticks();
    ghcomp_keep(team->level, self->team->level + 1);
    ghcomp_keep(team->active_level, self->team->active_level + (size > 1));
    ghcomp_keep(team->parent, self);
    ghcomp_keep(team->parent_task, self->task);
    ghcomp_keep(team->icv, region_icvs(team, icv, flags));
    ghcomp_keep(team->group, self->thread->in_group);
    ghcomp_keep(team->counted, counted);
    team->master.thread = self->thread;
    uint32_t observers = ghcomp_observers_now(); /* also on the fast path: the host may begin a log (trace.c) */
    if (observed)
        report_begin(self, team, num_threads != 0 ? num_threads : icv->nthreads, flags);
    start_member(&team->master, team, 0);
    if (observed)
        ghcomp_self_becomes(&team->master);
    else
        ghcomp_self_becomes_fast(&team->master);
    if (ghcomp_unlikely(ghcomp_affinity.active))
        ghcomp_affinity_prepare(team, flags);
    ghcomp_trace_region_begin(observers, team, wanted);
    if (observed)
        ghcomp_races_region_begin(observers, team);
    return team;
}

static inline __attribute__((always_inline)) void
release_workers(struct ghcomp_team *team, void (*fn)(void *), void *data, bool observed)
{
    uint32_t size = team->size;
    if (size == 1)
        return;
    /* A combined construct may have changed team.root since its members were prepared. */
    team->master.share = team->root;
    if (ghcomp_unlikely(team->by_flags != team->flags_next))
        team->by_flags = team->flags_next;
    if (!team->by_flags)
        ghcomp_store_relaxed(&team->unfinished, (size - 1) << 1);
    team->region++;
    if (observed)
        ghcomp_races_release(ghcomp_observers_now(), &team->race.fork);
    if (ghcomp_unlikely(team->by_tree)) {
        ghcomp_fork_tree_release(team, fn, data);
        return;
    }
    if (size > 3)
        ghcomp_store_relaxed(&team->wake_next, UINT32_MAX / 2);
    bool shared = ghcomp_unlikely(ghcomp_load_relaxed(&ghcomp_cpu_account_shared));
    int32_t cpu = shared ? ghcomp_worker_placement_cpu(size) : -1;
    struct ghcomp_fork fork = ghcomp_fork_begin(team, fn, data, cpu);
    uint32_t sleepers = 0;
    for (uint32_t tid = 1; tid < size; tid++) {
        struct ghcomp_thread *worker = ghcomp_worker_of(team->members[tid]);
        if (ghcomp_unlikely(ghcomp_mailbox_send(worker, &fork, tid, ~team->region)))
            team->wake[sleepers++] = worker;
    }
    if (ghcomp_likely(sleepers == 0))
        return;
    ghcomp_store_relaxed(&team->wake_count, sleepers);
    ghcomp_store_release(&team->wake_next, 0u);
    ghcomp_worker_wake_sleepers(team);
}

/* Counts a worker of a large team out in the tree; the last one subtracts all workers from `unfinished` at once. */
static __attribute__((noinline)) void finish_in_tree(struct ghcomp_team *team, uint32_t tid)
{
    uint32_t all = (team->size - 1) << 1;
    if (ghcomp_combining_tree_finish(team->tree, tid) && ghcomp_sub_acqrel(&team->unfinished, all) == (all | 1u))
        ghcomp_os_wake(&team->unfinished, 1);
}

/* --- with a tool -------------------------------------------------------------------------------------------------- */

/* Whether the region is reported to a tool. */
static inline bool reported(const struct ghcomp_team *team)
{
    return ghcomp_tool_on() && !team->of_league && !team->filtered;
}

/* Ends a member's part: the barrier at the region's end with its events. In a child of fork() it does not wait. */
static __attribute__((noinline)) void end_observed(struct ghcomp_member *self)
{
    struct ghcomp_tool_sync sync;
    ghcomp_tool_part_end(self);
    ghcomp_tool_join_begin(self, &sync);
    if (self->team->generation == ghcomp_process_generation)
        ghcomp_barrier_wait_unreported(self);
    ghcomp_tool_join_end(self, &sync);
    ghcomp_tool_implicit_end(self);
}

static __attribute__((noinline)) void run_observed(struct ghcomp_member *self, void (*fn)(void *), void *data)
{
    ghcomp_tool_implicit_begin(self);
    ghcomp_tool_call(fn, data);
    end_observed(self);
}

/* --- a worker's part ---------------------------------------------------------------------------------------------- */

static inline void run_part(struct ghcomp_thread *worker, struct ghcomp_mail *mail)
{
    ghcomp_self_becomes_fast(&worker->self);
    uint32_t traced = ghcomp_trace_part_begin(&worker->self);
    mail->fn(mail->data);
    ghcomp_trace_end(GHCOMP_TRACE_PART, traced);
}

static __attribute__((noinline, cold)) void run_part_observed(struct ghcomp_thread *worker, struct ghcomp_mail *mail,
                                                              struct ghcomp_team *team, uint32_t observers)
{
    ghcomp_self_becomes(&worker->self);
    uint32_t traced = ghcomp_trace_part_begin(&worker->self);
    ghcomp_races_part_begin(observers, &worker->self);
    if (reported(team)) {
        run_observed(&worker->self, mail->fn, mail->data);
    } else {
        if (team->filtered)
            ghcomp_tool_filtered_part_begin(&worker->self);
        mail->fn(mail->data);
    }
    ghcomp_races_release(observers, &team->race.join);
    ghcomp_trace_end(GHCOMP_TRACE_PART, traced);
}

void ghcomp_team_run_worker(struct ghcomp_thread *worker)
{
    struct ghcomp_mail *mail = &worker->mail;
    struct ghcomp_team *team = mail->team;
    if (ghcomp_unlikely(team->by_tree))
        ghcomp_fork_tree_pass_on(worker);
    worker->in_group = team->group;
    start_member(&worker->self, team, mail->tid);
    worker->wait.large_team = team->size > ghcomp_cpu_load.cpus;
    if (ghcomp_unlikely(mail->moved)) {
        ghcomp_self_becomes(&worker->self); /* messages name the member */
        ghcomp_affinity_apply(worker);
    }
    uint32_t region = mail->region;
    worker->served.team = team;
    worker->served.region = region;
    uint32_t observers = ghcomp_observers_now();
    if (ghcomp_unlikely((observers & GHCOMP_OBSERVE_SLOW) != 0))
        run_part_observed(worker, mail, team, observers);
    else
        run_part(worker, mail);
    if (ghcomp_unlikely(worker->self.implicit.table != NULL))
        ghcomp_depend_forget(&worker->self.implicit);
    /* Once the worker is inside, the region cannot end before it has left again. */
    bool helps = ghcomp_unlikely(ghcomp_task_team_used(team)) && ghcomp_task_team_enter(team, region);
    if (ghcomp_likely(!helps))
        ghcomp_self_idles(worker);
    if (ghcomp_likely(team->by_flags))
        ghcomp_barrier_flags_finish(team, worker, region);
    else if (team->by_tree)
        finish_in_tree(team, worker->self.tid);
    else if (ghcomp_unlikely(ghcomp_sub_acqrel(&team->unfinished, 2u) == (2u | 1u)))
        ghcomp_os_wake(&team->unfinished, 1);
    if (helps)
        ghcomp_task_team_help(&worker->self, team, region);
    if (ghcomp_unlikely((observers & GHCOMP_OBSERVE_TOOL) != 0))
        ghcomp_tool_filtered_part_end(&worker->self); /* whether the region is filtered or not: tool_filter.h */
}

/* --- join --------------------------------------------------------------------------------------------------------- */

static void wait_for_workers(struct ghcomp_team *team)
{
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    uint32_t left;
    while ((left = ghcomp_load_acquire(&team->unfinished)) > 1 && !ghcomp_task_team_used(team)) {
        if (ghcomp_spin_again(&spin))
            continue;
        if (left & 1u) {
            ghcomp_wait_park(&team->unfinished, left);
        } else { /* checks again after this: from now on a thread that opens the door clears the bit */
            ghcomp_cas_acqrel(&team->unfinished, &left, left | 1u);
            ghcomp_barrier_flags_choose(team, &spin);
        }
    }
    ghcomp_barrier_flags_counted(team);
}

/* Offers the workers first: the next admitted master searches for them. */
static __attribute__((noinline)) void leave_account(struct ghcomp_team *team)
{
    ghcomp_lend_after(team, team->parent, team->parent_task->icv->dynamic);
    bool outermost = team->account.master; /* ghcomp_cpu_account_leave clears it */
    ghcomp_cpu_account_leave(&team->account);
    ghcomp_admission_moved(team->master.thread, outermost);
}

static inline __attribute__((always_inline)) void join_team(struct ghcomp_team *team, bool observed)
{
    struct ghcomp_member *self = &team->master;
    if (observed && reported(team))
        end_observed(self);
    if (team->size > 1) {
        if (ghcomp_likely(team->by_flags))
            ghcomp_barrier_flags_join(team);
        else
            wait_for_workers(team);
        if (ghcomp_unlikely(ghcomp_task_team_used(team)))
            ghcomp_task_team_join(self);
    } else if (ghcomp_unlikely(ghcomp_task_team_pending(self))) {
        ghcomp_task_team_join(self);
    }
    if (observed)
        ghcomp_races_acquire(ghcomp_observers_now(), &team->race.join);
    if (ghcomp_unlikely(self->implicit.table != NULL))
        ghcomp_depend_forget(&self->implicit);
    uint32_t singles = ghcomp_load_relaxed(&team->barrier.singles);
    ghcomp_keep(team->singles, singles);
    if (ghcomp_unlikely(ghcomp_load_relaxed(&team->cancelled) != 0)) {
        ghcomp_cancel_reset(team);
        ghcomp_barrier_reset(team);
        ghcomp_taskgroup_abandon(team);
    }
    ghcomp_workshare_team_rewind(team);
    if (team->counted)
        ghcomp_sub_relaxed(&team->group->threads, team->size - 1);
    ghcomp_trace_region_end(team);
    if (observed && ghcomp_unlikely(team->filtered))
        ghcomp_tool_filtered_part_end(self);
    if (observed)
        ghcomp_self_becomes(team->parent);
    else
        ghcomp_self_becomes_fast(team->parent);
    if (ghcomp_unlikely(ghcomp_affinity.places.count != 0))
        ghcomp_affinity_reset(team->parent);
    if (observed && reported(team))
        ghcomp_tool_parallel_end(team->parent, team);
    if (ghcomp_unlikely(team->account.threads != 0 || team->account.master))
        leave_account(team);
}

/* --- entries ------------------------------------------------------------------------------------------------------ */

static __attribute__((noinline)) struct ghcomp_team *fork_observed(uint32_t num_threads, uint32_t flags)
{
    return fork_team(ghcomp_self(), num_threads, flags, true);
}

static inline void implicit_begin_observed(struct ghcomp_team *team)
{
    if (reported(team))
        ghcomp_tool_implicit_begin(&team->master);
}

struct ghcomp_team *ghcomp_team_prepare(uint32_t num_threads, uint32_t flags)
{
    struct ghcomp_team *team = fork_observed(num_threads, flags);
    if (ghcomp_likely(team != NULL))
        implicit_begin_observed(team);
    return team;
}

void ghcomp_team_release(struct ghcomp_team *team, void (*fn)(void *), void *data)
{
    release_workers(team, fn, data, true);
}

void ghcomp_team_join(void)
{
    join_team(ghcomp_self_member->team, true);
}

void ghcomp_team_parallel_observed(void (*fn)(void *), void *data, uint32_t num_threads, uint32_t flags)
{
    struct ghcomp_team *team = fork_observed(num_threads, flags);
    ghcomp_team_release(team, fn, data);
    implicit_begin_observed(team); /* after the release, so that the workers need not wait for the report */
    if (team->filtered)
        fn(data);
    else
        ghcomp_team_run_member(fn, data);
    ghcomp_team_join();
}

GHCOMP_HOT_CODE void ghcomp_team_parallel_fast(void (*fn)(void *), void *data, uint32_t num_threads, uint32_t flags,
                                               struct ghcomp_member *self)
{
    struct ghcomp_team *team = fork_team(self, num_threads, flags, false);
    release_workers(team, fn, data, false);
    fn(data);
    __asm__("" : "+r"(team)); /* otherwise the compiler keeps addresses of fields on the stack across the call */
    join_team(team, false);
}
