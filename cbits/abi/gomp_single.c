/* GOMP_single_* and GOMP_scope_start. Tests: test/conformance/single. */
#include "abi/abi.h"
#include "abi/loop_table.h"
#include "core/single.h"

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

/* A scope without task reductions has nothing that the team shares. */
void GOMP_scope_start(uintptr_t *reductions)
{
    ghcomp_abi_refuse_reductions(reductions, "scope");
}

GHCOMP_ABI_OBJECT(gomp_single);
