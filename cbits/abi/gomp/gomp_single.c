/* GOMP_single_*, GOMP_scope_*: single, also with copyprivate; masked; scope. Tests: test/conformance/{single,trunk}.
 * GOMP_scope_start: scope with task reductions (task_reduction.c); without them GCC does not call the runtime.
 * Tests: test/conformance/taskreduction.
 *
 * GCC 17's -fopenmp-ompt makes other calls, for tools: single, scope and masked regions then tell their end, and each
 * scope its begin. Tests: test/conformance/trunk/with_end.c, test/ompt/with_end.c. */
#include "abi/abi.h"
#include "core/task/task_reduction.h"
#include "core/tool/tool.h"
#include "core/worksharing/single.h"

/* Without a call at its end the region ends with the barrier that follows, or with the next construct. */
static void report(struct ghcomp_member *self, bool executes, bool ends)
{
    if (executes)
        ghcomp_tool_work_begin(self, ompt_work_single_executor, 1);
    else if (ends)
        ghcomp_tool_work_begin(self, ompt_work_single_other, 1);
    else
        ghcomp_tool_work_passed(self, ompt_work_single_other, 1);
}

/* Where ghcomp_self_fast is NULL. */
static __attribute__((noinline, cold)) bool start_observed(bool ends, const void *return_address, void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, 0);
    struct ghcomp_member *self = ghcomp_self();
    bool executes = ghcomp_single_enter(self);
    if (ghcomp_tool_on()) /* the first call of the runtime may have found no tool */
        report(self, executes, ends);
    return executes;
}

#define SINGLE_START(ends)                                                                                 \
    do {                                                                                                   \
        struct ghcomp_member *self = ghcomp_self_fast;                                                     \
        if (ghcomp_likely(self != NULL))                                                                   \
            return ghcomp_single_enter(self);                                                              \
        return start_observed(ends, __builtin_return_address(0), __builtin_dwarf_cfa());                   \
    } while (0)

GHCOMP_HOT_CODE bool GOMP_single_start(void)
{
    SINGLE_START(false);
}

bool GOMP_single_start_with_end(void)
{
    SINGLE_START(true);
}

/* For tools: ends the construct that the member is in, unless a barrier has ended it already. */
static inline void end_work(void)
{
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(ghcomp_self());
}

/* Each member calls it, behind the construct's barrier if it has one. */
void GOMP_single_end(void)
{
    end_work();
}

void *GOMP_single_copy_start(void)
{
    GHCOMP_TOOL_SITE_OF(ompt_sync_region_barrier_implementation);
    struct ghcomp_member *self = ghcomp_self();
    bool executes = ghcomp_single_copy_enter(self);
    if (ghcomp_tool_on())
        report(self, executes, false);
    return executes ? NULL : ghcomp_single_copy_get(self);
}

void GOMP_single_copy_end(void *data)
{
    GHCOMP_TOOL_SITE_OF(ompt_sync_region_barrier_implementation);
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(self);
    ghcomp_single_copy_give(self, data);
}

/* masked filter(thread_num): a number that no member has is allowed; then no member executes the region. */
bool GOMP_has_masked_thread_num(int thread_num)
{
    return (int)ghcomp_self()->tid == thread_num;
}

bool GOMP_has_masked_thread_num_with_end(int thread_num)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self();
    bool executes = (int)self->tid == thread_num;
    if (ghcomp_tool_on() && executes)
        ghcomp_tool_masked(self, ompt_scope_begin);
    return executes;
}

/* By the member that executed the region. */
void GOMP_masked_end(void)
{
    GHCOMP_TOOL_SITE();
    if (ghcomp_tool_on())
        ghcomp_tool_masked(ghcomp_self(), ompt_scope_end);
}

/* The compiler emits the barrier and GOMP_workshare_task_reduction_unregister after the region. */
void GOMP_scope_start(uintptr_t *reductions)
{
    ghcomp_reduction_enter(ghcomp_self(), reductions);
}

/* NULL: no task reductions. */
void GOMP_scope_start_with_end(uintptr_t *reductions)
{
    struct ghcomp_member *self = ghcomp_self();
    if (reductions != NULL)
        ghcomp_reduction_enter(self, reductions);
    if (ghcomp_tool_on()) {
        ghcomp_tool_note(__builtin_return_address(0), __builtin_dwarf_cfa(), 0);
        ghcomp_tool_work_begin(self, ompt_work_scope, 1);
    }
}

void GOMP_scope_end(void)
{
    end_work();
}

GHCOMP_ABI_OBJECT(gomp_single);
