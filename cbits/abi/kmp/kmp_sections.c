/* Sections that are handed out one at a time, and scope regions. Clang 19 makes a static loop of the sections
 * (kmp_static.c); libomp has these entries for compilers that do not. Tests: test/clang/sections_abi.c.
 *
 * Sections are numbered from 0; a number that no section has means that none is left. The number of sections comes only
 * with each request, so the share has the greatest possible number. The construct has no barrier of its own. */
#include "abi/abi.h"
#include "core/tool/tool.h"
#include "core/worksharing/sections.h"

/* Returns 0 in a team of one thread, which may execute all sections without further calls. */
int32_t __kmpc_sections_init(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    ghcomp_sections_enter(self, UINT32_MAX, NULL);
    return self->team->size > 1;
}

static __attribute__((noinline)) void report_to_tool(struct ghcomp_member *self, uint32_t section, uint32_t count)
{
    const void *return_address = ghcomp_tool_take(self->thread).return_address;
    if (ghcomp_tool_current(self)->work.kind == 0) {
        ghcomp_tool_note(return_address, NULL, 0);
        ghcomp_tool_work_begin(self, ompt_work_sections, count);
    }
    if (section < count)
        ghcomp_tool_section(self, return_address);
}

int32_t __kmpc_next_section(struct kmp_ident *loc, int32_t thread, int32_t count)
{
    (void)loc, (void)thread;
    GHCOMP_TOOL_SITE();
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    uint32_t taken = ghcomp_sections_next(self), all = count > 0 ? (uint32_t)count : 0;
    uint32_t section = taken != 0 && taken <= all ? taken - 1 : all;
    if (section == all)
        ghcomp_loop_leave(self);
    if (ghcomp_tool_on())
        report_to_tool(self, section, all);
    return (int32_t)section;
}

void __kmpc_end_sections(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(self);
    ghcomp_loop_leave(self);
}

/* A scope region is the code between the two calls; it is only reported to a tool. */
void __kmpc_scope(struct kmp_ident *loc, int32_t thread, void *reserved)
{
    (void)loc, (void)thread, (void)reserved;
    GHCOMP_TOOL_SITE();
    if (ghcomp_tool_on())
        ghcomp_tool_work_begin(ghcomp_self_of_libomp(), ompt_work_scope, 1);
}

void __kmpc_end_scope(struct kmp_ident *loc, int32_t thread, void *reserved)
{
    (void)loc, (void)thread, (void)reserved;
    if (ghcomp_tool_on())
        ghcomp_tool_work_end(ghcomp_self_of_libomp());
}

GHCOMP_ABI_OBJECT(kmp_sections);
