/* Task reductions of taskgroups and parallel regions, and the entries common to all constructs that have them.
 * Tests: test/conformance/taskreduction.
 *
 * The entries that begin a worksharing construct with reductions are in that construct's file: gomp_loop.c,
 * gomp_loop_ull.c, gomp_sections.c, gomp_single.c. */
#include "abi/abi.h"
#include "core/task/task_reduction.h"

/* Called after the compiled code has started the taskgroup; the code ends it before it combines the reductions and
   unregisters them. */
void GOMP_taskgroup_reduction_register(uintptr_t *data)
{
    ghcomp_reduction_register(ghcomp_self(), data);
}

void GOMP_taskgroup_reduction_unregister(uintptr_t *data)
{
    ghcomp_reduction_unregister(data);
}

void GOMP_workshare_task_reduction_unregister(bool cancelled)
{
    ghcomp_reduction_leave(ghcomp_self(), cancelled);
}

unsigned GOMP_parallel_reductions(void (*fn)(void *), void *data, unsigned num_threads, unsigned flags)
{
    return ghcomp_reduction_parallel(fn, data, num_threads, flags);
}

void GOMP_task_reduction_remap(size_t cnt, size_t cntorig, void **ptrs)
{
    ghcomp_reduction_remap(ghcomp_self(), cnt, cntorig, ptrs);
}

GHCOMP_ABI_OBJECT(gomp_task_reduction);
