/* GOMP_single_*: single, and single with copyprivate. Tests: test/conformance/single.
 * GOMP_scope_start: scope with task reductions; one without needs no runtime. Tests: test/conformance/taskreduction. */
#include "abi/abi.h"
#include "core/single.h"
#include "core/task_reduction.h"

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

/* The compiler puts the barrier and GOMP_workshare_task_reduction_unregister behind the region. */
void GOMP_scope_start(uintptr_t *reductions)
{
    ghcomp_reduction_enter(ghcomp_self(), reductions);
}

GHCOMP_ABI_OBJECT(gomp_single);
