/* Single regions as clang and flang emit them. Tests: test/clang/sync.c. */
#include "abi/abi.h"
#include "core/sync/barrier.h"
#include "core/tool/tool.h"
#include "core/worksharing/single.h"

/* Where ghcomp_self_fast is NULL. */
static __attribute__((noinline, cold)) bool start_observed(const void *return_address, void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, 0);
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    bool executes = ghcomp_single_enter(self);
    if (ghcomp_tool_on() && executes)
        ghcomp_tool_work_begin(self, ompt_work_single_executor, 1);
    else if (ghcomp_tool_on())
        ghcomp_tool_work_passed(self, ompt_work_single_other, 1);
    return executes;
}

int32_t __kmpc_single(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL))
        return ghcomp_single_enter(self);
    return start_observed(__builtin_return_address(0), __builtin_dwarf_cfa());
}

void __kmpc_end_single(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(ghcomp_self_of_libomp());
}

/* copyprivate, called after the region and its end: `data` has the addresses of the calling member's variables; the
   other members copy from the executing member's. */
void __kmpc_copyprivate(struct kmp_ident *loc, int32_t thread, size_t bytes, void *data, void (*copy)(void *, void *),
                        int32_t executed)
{
    (void)loc, (void)thread, (void)bytes;
    GHCOMP_TOOL_SITE_OF(ompt_sync_region_barrier_implementation);
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    void *from = ghcomp_single_copy_pass(self, executed != 0, data);
    if (!executed)
        copy(data, from);
    GHCOMP_TOOL_SITE_OF(ompt_sync_region_barrier_implementation);
    ghcomp_barrier_wait(self);
}

/* The compiled code itself copies, and then waits in a barrier. Only the executing member passes data. */
void *__kmpc_copyprivate_light(struct kmp_ident *loc, int32_t thread, void *data)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE_OF(ompt_sync_region_barrier_implementation);
    return ghcomp_single_copy_pass(ghcomp_self_of_libomp(), data != NULL, data);
}

GHCOMP_ABI_OBJECT(kmp_single);
