/* GOMP_single_*: single, and single with copyprivate. Tests: test/conformance/single. */
#include "abi/abi.h"
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

GHCOMP_ABI_OBJECT(gomp_single);
