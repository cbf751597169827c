/* Single regions as clang and flang emit them. Tests: test/conformance/single. */
#include "abi/abi.h"
#include "core/worksharing/single.h"

int32_t __kmpc_single(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    return ghcomp_single_enter(ghcomp_self());
}

void __kmpc_end_single(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
}

GHCOMP_ABI_OBJECT(kmp_single);
