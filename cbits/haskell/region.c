/* Parallel regions whose members run Haskell, by no more threads than there are Capabilities unless a number is given.
 *
 *   1. The caller's Haskell thread makes a safe call of ghcomp_hs_region. Its OS thread becomes the region's master. As
 *      in any region, the workers come from the pool or from the OS thread's hot team.
 *   2. Each member enters Haskell once (enter.c) and stays there for its whole part. Taking a chunk of a shared loop, a
 *      barrier and other constructs are foreign calls from that one Haskell thread, unsafe ones where they cannot wait.
 *   3. In an exact region every member runs the body. In a region with a chunk pool (chunk_pool.c), a worker that finds
 *      no idle Capability does not queue for a busy one. It checks again now and then until the pool is closed, and the
 *      other members take the chunks that it would have taken. The master always enters.
 *   4. The region's end is the team's join. By then Haskell has kept any exception of a body.
 *
 * Shortage of threads (core/team/shortage.c). Members of an exact region may wait for each other, so it does not begin
 * with fewer threads than were asked for: the call returns at once, with the values for Haskell's exception. Bodies of
 * a loop must not wait for each other, and members without a Capability do nothing: it runs with the threads that there
 * are. A number that no process on this system can have is refused before anything is made (ghcomp_hs_possible).
 *
 * Cancellation: `cancelled` stops the handing out of chunks and of tasks, and the team's own flag (cancel.c) makes
 * members leave barriers. A member that is in Haskell continues to its next chunk or construct.
 *
 * Called by OpenMP.Internal.*. Covered by test/hs/library.
 */
#include "haskell/region.h"

#include "core/affinity/affinity.h"
#include "core/cpu/cpu_account.h"
#include "core/cpu/wait.h"
#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "core/team/team.h"
#include "haskell/capability_claim.h"
#include "haskell/critical.h"
#include "haskell/enter.h"
#include "haskell/helpers.h"
#include "host/host.h"
#include "host/os.h"
#include "host/thread_limits.h"

#define EXPORT __attribute__((visibility("default")))

/* Pauses of a worker before it searches a Capability: a loop that is over by then is not worth an entry, for whose end
   the master would have to wait. */
enum { HOLD_BACK = 12 };
enum { SPIN_NS = 5000, SLEEP_NS = 50000, LONGEST_SLEEP_NS = 1000000 };

static bool find_capability(struct ghcomp_hs_region *region, struct ghcomp_entrance *entrance)
{
    struct ghcomp_chunk_pool *pool = &region->pool;
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_TEAM);
    uint64_t begin = 0;
    uint32_t sleep = SLEEP_NS;
    for (uint32_t polls = HOLD_BACK; polls > 0 && !ghcomp_chunk_pool_closed(pool); polls--)
        ghcomp_cpu_pause();
    while (!ghcomp_chunk_pool_closed(pool)) {
        entrance->claimed = ghcomp_capability_claim(entrance->home);
        if (entrance->claimed != GHCOMP_CAPABILITY_NONE)
            return true;
        uint64_t now = ghcomp_os_now();
        if (begin == 0)
            begin = now;
        if (now - begin < SPIN_NS) {
            ghcomp_spin_again(&spin);
        } else {
            ghcomp_chunk_pool_sleep(pool, sleep);
            if (sleep < LONGEST_SLEEP_NS)
                sleep *= 2;
        }
    }
    return false;
}

static void set_icvs(struct ghcomp_member *self, const struct ghcomp_hs_request *request)
{
    if (request->dynamic >= 0)
        ghcomp_icv_own(self->task)->dynamic = request->dynamic != 0;
    if (request->levels >= 0)
        ghcomp_icv_own(self->task)->max_active_levels =
            request->levels < (intptr_t)GHCOMP_MAX_LEVELS ? (uint32_t)request->levels : GHCOMP_MAX_LEVELS;
}

static void run_member(void *data)
{
    struct ghcomp_hs_region *region = data;
    struct ghcomp_member *self = ghcomp_self();
    const struct ghcomp_hs_request *request = region->request;
    struct ghcomp_entrance entrance = ghcomp_entrance_of(self, (int)request->origin);
    set_icvs(self, request);
    if (request->sharing == 0 || self->tid == 0)
        ghcomp_entrance_claim(&entrance);
    else if (!find_capability(region, &entrance))
        return;
    struct ghcomp_hs_here outer = ghcomp_hs_go_inside(region);
    ghcomp_cpu_account_in_haskell(true);
    enum ghcomp_entry entry = ghcomp_enter(region->body, region, self->tid, &entrance);
    ghcomp_cpu_account_in_haskell(false);
    ghcomp_hs_here = outer;
    if (ghcomp_load_relaxed(&self->team->cancelled) & GHCOMP_CANCELLED_PARALLEL) /* by C code that the body called */
        ghcomp_cancel_leave(self);
    if (entry == GHCOMP_ENTRY_KILLED) {
        ghcomp_store_relaxed(&region->killed, 1u);
        ghcomp_hs_cancel(region);
    }
}

/* The size of a team when the request leaves it open: of more members than Capabilities, not all could run at once. */
static uint32_t default_size(void)
{
    uint32_t threads = ghcomp_self()->task->icv->nthreads, capabilities = ghcomp_capability_count();
    return capabilities == 0 || threads < capabilities ? threads : capabilities;
}

/* Whether a region of that many threads (0: the default) would have members that can help with a loop; the values are
   those of OpenMP.Internal.Loop. ALONE: the team would be of one. NO_HELPERS: it would be larger, but only the
   caller could run Haskell now (helpers.c). For an unsafe call. */
EXPORT int ghcomp_hs_helpers(int threads)
{
    enum { HELPERS, NO_HELPERS, ALONE };
    const struct ghcomp_member *self = ghcomp_self();
    if (threads == 1 || self->team->active_level >= self->task->icv->max_active_levels ||
        (threads <= 0 && default_size() == 1))
        return ALONE;
    return ghcomp_helpers_none() ? NO_HELPERS : HELPERS;
}

/* How many regions with Haskell bodies should run at a time; 0 if the caller is inside of a region. For an unsafe
   call. */
EXPORT int ghcomp_hs_region_limit(void)
{
    enum { FOR_EACH = 2 };
    const struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL && self->team->level > 0 ? 0 : FOR_EACH * (int)ghcomp_capability_count();
}

/* The process's generation (types.h). In a child of fork(), what a Haskell module has stored about threads of another
   generation is void. For an unsafe call. */
EXPORT int ghcomp_hs_generation(void)
{
    return (int)ghcomp_process_generation;
}

/* The most threads that a region can get that asks for so many (0: the default). For an unsafe call. */
EXPORT int ghcomp_hs_bound(int threads)
{
    if (threads <= 0)
        return (int)default_size();
    const struct ghcomp_icvs *icv = ghcomp_self()->task->icv;
    uint32_t most = icv->dynamic ? ghcomp_global.num_cpus : icv->thread_limit;
    return (uint32_t)threads < most ? threads : (int)most;
}

/* Whether this system can have the threads of a region that asks for so many: 0, or the most that it can have, and the
   name of the limit. Reads files: for a safe call, and for unusual numbers. */
EXPORT int ghcomp_hs_possible(int threads, const char **limit)
{
    int bound = ghcomp_hs_bound(threads);
    uint32_t most = ghcomp_threads_most("", limit);
    return (uint32_t)bound > most ? (int)most : 0;
}

/* The part of the pool that has been handed out: a region that was interrupted is resumed with the rest. */
static void report_rest(struct ghcomp_hs_request *request, const struct ghcomp_chunk_pool *pool)
{
    uint64_t taken = ghcomp_load_relaxed(&pool->taken);
    request->taken = (intptr_t)(taken < pool->count ? taken : pool->count);
    request->pieces = (intptr_t)pool->pieces;
    for (uint32_t i = 0; i < GHCOMP_CHUNK_POOL_PIECES / 64; i++)
        request->claimed[i] = ghcomp_load_relaxed(&pool->claimed[i]);
}

/* Not all threads could be created: the values for the caller's exception. */
static enum ghcomp_hs_end report_shortage(struct ghcomp_hs_request *request)
{
    const struct ghcomp_thread *self = ghcomp_self()->thread;
    request->taken = self->shortage.possible;
    request->pieces = self->shortage.error;
    return GHCOMP_HS_IMPOSSIBLE;
}

/* Runs a region. `request`, and the region struct on this stack, stay where they are until its end. For a safe call. */
EXPORT int ghcomp_hs_region(void *body, struct ghcomp_hs_request *request)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_hs_region region = {.body = body, .request = request, .outer = ghcomp_hs_here.inside};
    uint32_t threads = request->threads > 0 ? (uint32_t)request->threads : default_size();
    bool smaller = request->sharing != 0 || request->dynamic > 0;
    struct ghcomp_team *team = ghcomp_team_prepare(
        threads, (uint32_t)request->bind | (smaller ? GHCOMP_TEAM_MAY_BE_SMALLER : GHCOMP_TEAM_MAY_FAIL));
    if (ghcomp_unlikely(team == NULL))
        return report_shortage(request);
    region.team = team;
    region.size = team->size;
    ghcomp_chunk_pool_start(&region.pool, (int)request->sharing, (uint64_t)request->count, (uint64_t)request->chunk,
                       team->size);
    ghcomp_team_release(team, run_member, &region);
    ghcomp_team_run_member(run_member, &region);
    ghcomp_team_join();
    if (ghcomp_load_relaxed(&region.cancelled) != 0)
        report_rest(request, &region.pool);
    return ghcomp_load_relaxed(&region.killed) != 0 ? GHCOMP_HS_KILLED : GHCOMP_HS_OVER;
}

struct ghcomp_member *ghcomp_hs_member(const struct ghcomp_hs_region *region)
{
    struct ghcomp_member *self = ghcomp_self_member;
    return self != NULL && self->team == region->team && self->task == &self->implicit ? self : NULL;
}

/* All of these are for unsafe calls: they never wait. */

/* The address of the calling member's chunk: two unsigned words, begin and end. */
EXPORT const uint64_t *ghcomp_hs_chunk(void)
{
    _Static_assert(offsetof(struct ghcomp_member, chunk_end) == offsetof(struct ghcomp_member, chunk_begin) + 8,
                   "OpenMP.Internal.Team reads both as one array");
    return &ghcomp_self()->chunk_begin;
}

EXPORT bool ghcomp_hs_cancelled(const struct ghcomp_hs_region *region)
{
    return ghcomp_load_relaxed(&region->cancelled) != 0;
}

/* Takes a chunk for a member's body, whose words these are: it may be interrupted between this call and the chunk. What
   the body has in reserve comes first, also when the region is over: then the body was interrupted in it and is resumed
   now. A cancelled region gives out nothing. */
EXPORT bool ghcomp_hs_next_chunk(struct ghcomp_hs_words *words)
{
    struct ghcomp_hs_region *region = words->region;
    if (region != NULL && ghcomp_unlikely(ghcomp_hs_cancelled(region)))
        return false;
    if (ghcomp_chunk_reserve_next(&words->reserve, &words->begin, &words->end))
        return true;
    struct ghcomp_member *self = ghcomp_self_member;
    if (region == NULL || !ghcomp_chunk_pool_next_of(&region->pool, self, &words->reserve, ghcomp_cpu_ticks()))
        return false;
    words->begin = self->chunk_begin;
    words->end = self->chunk_end;
    return true;
}

EXPORT void ghcomp_hs_cancel(struct ghcomp_hs_region *region)
{
    ghcomp_store_relaxed(&region->cancelled, 1u);
    ghcomp_chunk_pool_close(&region->pool);
    ghcomp_cancel_region(region->team);
}
