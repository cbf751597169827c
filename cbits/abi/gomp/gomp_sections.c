/* GOMP_sections_* and GOMP_parallel_sections*. Tests: test/conformance/{sections,cancel}.
 *
 * Sections are numbered from 1; 0 means that none is left. In the combined construct the master has entered the
 * sections for all members, which begin with GOMP_sections_next. */
#include "abi/abi.h"
#include "abi/gomp/loop_table.h"
#include "abi/gomp/share_ends.h"
#include "core/team/team.h"
#include "core/worksharing/sections.h"

/* The next section, reported to a tool with the address of the call. */
static __attribute__((noinline)) unsigned next_observed(struct ghcomp_member *self, uint64_t count)
{
    const void *return_address = ghcomp_tool_take(self->thread).return_address;
    if (ghcomp_tool_current(self)->work.kind == 0) {
        ghcomp_tool_note(return_address, NULL, 0);
        ghcomp_tool_work_begin(self, ompt_work_sections, count);
    }
    unsigned section = ghcomp_sections_next(self);
    if (section != 0)
        ghcomp_tool_section(self, return_address);
    else
        report_refusal(self, GHCOMP_CANCEL_SECTIONS, return_address);
    return section;
}

static inline unsigned next(struct ghcomp_member *self)
{
    return ghcomp_tool_on() ? next_observed(self, self->share->count) : ghcomp_sections_next(self);
}

unsigned GOMP_sections_start(unsigned count)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_sections_enter(self, count, NULL);
    return next(self);
}

unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **mem)
{
    begin_reductions(reductions);
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self();
    ghcomp_sections_enter(self, count, mem);
    return next(self);
}

unsigned GOMP_sections_next(void)
{
    GHCOMP_TOOL_SITE();
    return next(ghcomp_self());
}

void GOMP_sections_end(void)
{
    end_with_barrier(__builtin_return_address(0), __builtin_dwarf_cfa());
}

void GOMP_sections_end_nowait(void)
{
    end_nowait();
}

bool GOMP_sections_end_cancel(void)
{
    return end_with_cancellable_barrier(__builtin_return_address(0), __builtin_dwarf_cfa());
}

/* As on libgomp, a team with dyn-var on has no more threads than there are sections. */
static unsigned threads_for(unsigned num_threads, unsigned count)
{
    const struct ghcomp_icvs *icv = ghcomp_self()->task->icv;
    uint32_t wanted = num_threads != 0 ? num_threads : icv->nthreads;
    return icv->dynamic && count != 0 && count < wanted ? count : num_threads;
}

static void start_parallel(void (*fn)(void *), void *data, unsigned num_threads, unsigned count, unsigned flags)
{
    struct ghcomp_team *team = ghcomp_team_prepare(threads_for(num_threads, count), flags);
    struct ghcomp_workshare *share = ghcomp_workshare_new(&team->master);
    ghcomp_sections_fill(share, count);
    ghcomp_workshare_start_in(team, share);
    ghcomp_team_release(team, fn, data);
}

void GOMP_parallel_sections(void (*fn)(void *), void *data, unsigned num_threads, unsigned count, unsigned flags)
{
    GHCOMP_TOOL_SITE();
    start_parallel(fn, data, num_threads, count, flags);
    ghcomp_team_run_member(fn, data);
    ghcomp_team_join();
}

/* Before GCC 4.9: the caller runs the body itself and ends the region with GOMP_parallel_end. */
void GOMP_parallel_sections_start(void (*fn)(void *), void *data, unsigned num_threads, unsigned count)
{
    GHCOMP_TOOL_SITE_OF(ompt_parallel_invoker_program);
    start_parallel(fn, data, num_threads, count, 0);
}

GHCOMP_ABI_OBJECT(gomp_sections);
