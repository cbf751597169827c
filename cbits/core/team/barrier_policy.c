/* Which teams fork, wait and join by trees (fork_tree.c, combining_tree.c, barrier_tree.c) rather than by one cache
 * line (team.c, barrier.c).
 *
 * One line is faster while few threads share it. So trees are for processes with a large default team, unless the user
 * chooses otherwise. The choice is made once, from what the process starts with (as LLVM's pull request 195473 does for
 * its distributed barrier):
 *
 *   GHCOMP_BARRIER or GOMP_BARRIER_TYPE    their value; `tree` is for every team then
 *   KMP_FORKJOIN_BARRIER_PATTERN, else KMP_PLAIN_*, else KMP_REDUCTION_*    `linear,linear`: flat; others: `tree`
 *   KMP_FORKJOIN_BARRIER, KMP_PLAIN_BARRIER, KMP_REDUCTION_BARRIER          flat: libomp makes no choice then
 *   OMP_WAIT_POLICY=active                 flat; so are endless waits (GOMP_SPINCOUNT=infinite)
 *   default team (OMP_NUM_THREADS, else the CPUs; at most OMP_THREAD_LIMIT) below 32    flat
 *   the same below 128, on fewer than 16 CPUs    flat
 *   otherwise                              tree, for teams of 32 (128) threads or more
 *
 * The CPUs are those of the affinity mask, within the quota, and of the places, if any: places that name few CPUs do
 * not make the default team smaller. On few CPUs lines do not travel far, and a tree wakes a sleeping team more slowly,
 * by a third at 32 threads and a tenth at 128, but the master begins its part early (docs/internals/barriers.md).
 *
 * Other teams wait by flags (barrier_flags.c) up to eight threads, or by a counter (barrier.c). Flags without fences
 * are fastest while members poll, but a member that sleeps must first have all threads fenced, by a system call that
 * interrupts their CPUs. A team larger than the machine, whose members yield and may sleep, has flags with fences for
 * up to two members per CPU, and above that the counter, because then reading many flags saves little beside the
 * yields. With passive waiting it has the counter, and so does any team while its master keeps sleeping in joins ("In a
 * crowd" in barrier_flags.c).
 *
 * Called by env.c and team.c. Covered by test/unit/{barrier_policy,barrier_policy_sleep}.c and
 * test/scripts/environment.sh.
 */
#include "core/team/barrier_policy.h"

#include <string.h>

#include "core/affinity/affinity.h"
#include "core/state/settings.h"
#include "core/sync/barrier_flags.h"
#include "core/sync/barrier_tree.h"

enum { LARGE_TEAM = 32, FEW_CPUS = 16, LARGE_TEAM_ON_FEW = 128 };

uint32_t ghcomp_tree_from = UINT32_MAX;

/* The CPUs that are in a place. */
static uint32_t cpus_of_places(void)
{
    const struct ghcomp_places *places = &ghcomp_affinity.places;
    struct ghcomp_cpus all;
    memset(&all, 0, sizeof all);
    for (uint32_t i = 0; i < places->count; i++)
        for (uint32_t word = 0; word < GHCOMP_CPU_WORDS; word++)
            all.bits[word] |= places->list[i].bits[word];
    return ghcomp_cpus_count(&all);
}

static uint32_t at_most_flags(uint32_t threads)
{
    return threads < GHCOMP_BARRIER_FLAGS ? threads : GHCOMP_BARRIER_FLAGS;
}

/* What the user asks for, in this runtime's words or in libomp's. Of libomp's pair either half may be a tree. */
static enum ghcomp_barrier_kind asked_for(void)
{
    if (ghcomp_settings.barrier != GHCOMP_BARRIER_AUTO)
        return (enum ghcomp_barrier_kind)ghcomp_settings.barrier;
    bool tuned = false;
    for (int i = 0; i < GHCOMP_KMP_BARRIERS; i++) {
        const struct ghcomp_kmp_pair *pattern = &ghcomp_settings.patterns[i];
        if (pattern->given)
            return pattern->gather == GHCOMP_PATTERN_LINEAR && pattern->release == GHCOMP_PATTERN_LINEAR
                       ? GHCOMP_BARRIER_FLAT
                       : GHCOMP_BARRIER_TREE;
        tuned |= ghcomp_settings.branches[i].given;
    }
    return tuned ? GHCOMP_BARRIER_FLAT : GHCOMP_BARRIER_AUTO;
}

void ghcomp_barrier_policy_init(void)
{
    const struct ghcomp_icvs *icv = &ghcomp_global.initial;
    uint32_t by_default = icv->nthreads < icv->thread_limit ? icv->nthreads : icv->thread_limit;
    uint32_t cpus = ghcomp_global.num_cpus;
    if (ghcomp_affinity.places.count > 0) {
        uint32_t in_places = cpus_of_places();
        cpus = in_places < cpus ? in_places : cpus;
        if (!ghcomp_global.nthreads_set && cpus < by_default)
            by_default = cpus;
    }
    uint32_t large = cpus < FEW_CPUS ? LARGE_TEAM_ON_FEW : LARGE_TEAM;
    bool endless = ghcomp_global.wait_policy == GHCOMP_POLICY_ACTIVE ||
                   (ghcomp_global.spincount_set && ghcomp_global.spincount == UINT64_MAX) ||
                   (ghcomp_global.blocktime_set && ghcomp_global.blocktime == UINT64_MAX);
    enum ghcomp_barrier_kind asked = asked_for();
    if (asked != GHCOMP_BARRIER_AUTO)
        ghcomp_tree_from = asked == GHCOMP_BARRIER_TREE ? 2 : UINT32_MAX;
    else
        ghcomp_tree_from = by_default >= large && !endless ? large : UINT32_MAX;
    bool passive = ghcomp_global.wait_policy == GHCOMP_POLICY_PASSIVE;
    ghcomp_unfenced_to = at_most_flags(ghcomp_global.num_cpus);
    ghcomp_flags_to = at_most_flags(passive ? ghcomp_global.num_cpus : 2 * ghcomp_global.num_cpus);
}

enum ghcomp_barrier_kind ghcomp_barrier_policy_kind(void)
{
    return ghcomp_tree_from == UINT32_MAX ? GHCOMP_BARRIER_FLAT : GHCOMP_BARRIER_TREE;
}

void ghcomp_barrier_policy_fit(struct ghcomp_team *team)
{
    team->by_tree = team->size > 1 && team->size >= ghcomp_tree_from;
    if (team->by_tree)
        ghcomp_barrier_tree_fit(team);
}
