/* GOMP_single_*: single, also with copyprivate; masked. Tests: test/conformance/{single,trunk}.
 * GOMP_scope_start: scope with task reductions; without them GCC does not call the runtime.
 * Tests: test/conformance/taskreduction. */
#include "abi/abi.h"
#include "core/task/task_reduction.h"
#include "core/worksharing/single.h"

bool GOMP_single_start(void)
{
    return ghcomp_single_enter(ghcomp_self());
}

void *GOMP_single_copy_start(void)
{
    return ghcomp_single_copy_enter(ghcomp_self());
}

void GOMP_single_copy_end(void *data)
{
    ghcomp_single_copy_publish(ghcomp_self(), data);
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
