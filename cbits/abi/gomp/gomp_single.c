/* GOMP_single_*: single, also with copyprivate; masked. Tests: test/conformance/{single,trunk}.
 * GOMP_scope_start: scope with task reductions; without them GCC does not call the runtime.
 * Tests: test/conformance/taskreduction. */
#include "abi/abi.h"
#include "core/task/task_reduction.h"
#include "core/tool/tool.h"
#include "core/worksharing/single.h"

/* The compiled code makes no call at the region's end: the region ends with the barrier that follows, or with the next
   construct. */
static void report(struct ghcomp_member *self, bool executes)
{
    if (executes)
        ghcomp_tool_work_begin(self, ompt_work_single_executor, 1);
    else
        ghcomp_tool_work_passed(self, ompt_work_single_other, 1);
}

/* Where ghcomp_self_fast is NULL. */
static __attribute__((noinline, cold)) bool start_observed(const void *return_address, void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, 0);
    struct ghcomp_member *self = ghcomp_self();
    bool executes = ghcomp_single_enter(self);
    if (ghcomp_tool_on()) /* the first call of the runtime may have found no tool */
        report(self, executes);
    return executes;
}

GHCOMP_HOT_CODE bool GOMP_single_start(void)
{
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL))
        return ghcomp_single_enter(self);
    return start_observed(__builtin_return_address(0), __builtin_dwarf_cfa());
}

void *GOMP_single_copy_start(void)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self();
    void *from = ghcomp_single_copy_enter(self);
    if (ghcomp_tool_on())
        report(self, from == NULL);
    return from;
}

void GOMP_single_copy_end(void *data)
{
    struct ghcomp_member *self = ghcomp_self();
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(self);
    ghcomp_single_copy_publish(self, data);
}

/* masked filter(thread_num): a number that no member has is allowed; then no member executes the region. */
bool GOMP_has_masked_thread_num(int thread_num)
{
    return (int)ghcomp_self()->tid == thread_num;
}

/* The compiler emits the barrier and GOMP_workshare_task_reduction_unregister after the region. */
void GOMP_scope_start(uintptr_t *reductions)
{
    ghcomp_reduction_enter(ghcomp_self(), reductions);
}

GHCOMP_ABI_OBJECT(gomp_single);
