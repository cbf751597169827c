/* taskgroup, as clang and flang emit it. Tests: test/clang/taskgroups.c. */
#include "abi/abi.h"
#include "abi/observed/taskgroup.h"

void __kmpc_taskgroup(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    ghcomp_taskgroup_enter(__builtin_return_address(0), __builtin_dwarf_cfa());
}

void __kmpc_end_taskgroup(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    ghcomp_taskgroup_leave(__builtin_return_address(0), __builtin_dwarf_cfa());
}

GHCOMP_ABI_OBJECT(kmp_taskgroup);
