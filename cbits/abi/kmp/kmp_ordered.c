/* Ordered regions of a loop. kmp_dispatch.c says when the turn passes on. Tests: test/clang/loops.c. */
#include "abi/abi.h"
#include "core/worksharing/ordered.h"

void __kmpc_ordered(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    ghcomp_ordered_enter(ghcomp_self());
}

void __kmpc_end_ordered(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    ghcomp_ordered_leave(ghcomp_self());
}

GHCOMP_ABI_OBJECT(kmp_ordered);
