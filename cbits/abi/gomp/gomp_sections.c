/* GOMP_sections_* and GOMP_parallel_sections*. Tests: test/conformance/sections, cancel.
 *
 * Sections are numbered from 1; 0 means that none is left. In the combined construct the master has entered the
 * sections for all members, which begin with GOMP_sections_next. */
#include "abi/abi.h"
#include "abi/gomp/loop_table.h"
#include "core/sync/barrier.h"
#include "core/team/team.h"
#include "core/worksharing/sections.h"

unsigned GOMP_sections_start(unsigned count)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_sections_enter(self, count, NULL);
    return ghcomp_sections_next(self);
}

unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem)
{
    begin_reductions(reductions);
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_sections_enter(self, count, mem);
    return ghcomp_sections_next(self);
}

unsigned GOMP_sections_next(void)
{
    return ghcomp_sections_next(ghcomp_self());
}

void GOMP_sections_end(void)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_leave(self);
    ghcomp_barrier_wait(self);
}

void GOMP_sections_end_nowait(void)
{
    ghcomp_loop_leave(ghcomp_self());
}

bool GOMP_sections_end_cancel(void)
{
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_loop_leave(self);
    return ghcomp_barrier_wait_cancellable(self);
}

static void start_parallel(void (*fn)(void *), void *data, unsigned num_threads, unsigned count, unsigned flags)
{
    struct ghcomp_team *team = ghcomp_team_prepare(num_threads, flags);
    struct ghcomp_workshare *share = ghcomp_workshare_new(&team->master);
    ghcomp_sections_fill(share, count);
    ghcomp_workshare_start_in(team, share);
    ghcomp_team_release(team, fn, data);
}

void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned num_threads, unsigned count, unsigned flags)
{
    start_parallel(fn, data, num_threads, count, flags);
    fn(data);
    ghcomp_team_join();
}

/* Before GCC 4.9: the caller runs the body itself and ends the region with GOMP_parallel_end. */
void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned num_threads, unsigned count)
{
    start_parallel(fn, data, num_threads, count, 0);
}

GHCOMP_ABI_OBJECT(gomp_sections);
