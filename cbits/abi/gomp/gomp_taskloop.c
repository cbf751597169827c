/* GOMP_taskloop, GOMP_taskloop_ull. Tests: test/conformance/taskloop. */
#include "abi/abi.h"
#include "core/task/task.h"
#include "core/task/taskloop.h"
#include "core/tool/tool.h"

void GOMP_taskloop(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long arg_size, long arg_align,
                   unsigned flags, unsigned long num_tasks, int priority, long start, long end, long step)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_taskloop loop = {fn, data, cpyfn, (size_t)arg_size, (size_t)arg_align, flags, num_tasks, priority,
                                   NULL};
    ghcomp_taskloop_run(ghcomp_self(), &loop, ghcomp_loop_range_signed(start, end, step));
}

void GOMP_taskloop_ull(void (*fn)(void *), void *data, void (*cpyfn)(void *, void *), long arg_size, long arg_align,
                       unsigned flags, unsigned long num_tasks, int priority, unsigned long long start,
                       unsigned long long end, unsigned long long step)
{
    GHCOMP_TOOL_SITE();
    struct ghcomp_taskloop loop = {fn, data, cpyfn, (size_t)arg_size, (size_t)arg_align, flags, num_tasks, priority,
                                   NULL};
    bool up = flags & GHCOMP_TASK_FLAG_UP;
    ghcomp_taskloop_run(ghcomp_self(), &loop, ghcomp_loop_range_unsigned(up, start, end, step));
}

GHCOMP_ABI_OBJECT(gomp_taskloop);
