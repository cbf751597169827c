/* Queries of clang's and flang's code about the calling thread, and the calls around a program's use of the runtime.
 * Tests: test/clang/{regions,known_threads}.c. */
#include "abi/abi.h"
#include "core/team/team.h"
#include "core/team/thread_number.h"

int32_t __kmpc_global_thread_num(struct kmp_ident *loc)
{
    (void)loc;
    struct ghcomp_member *self;
    return (int32_t)(ghcomp_self_at_hand(&self) ? ghcomp_thread_number(self->thread) : ghcomp_thread_number_asked());
}

/* The threads in the caller's own regions; others are not counted. */
int32_t __kmpc_global_num_threads(struct kmp_ident *loc)
{
    (void)loc;
    return (int32_t)ghcomp_self_of_libomp()->team->size;
}

int32_t __kmpc_bound_thread_num(struct kmp_ident *loc)
{
    (void)loc;
    return (int32_t)ghcomp_self_of_libomp()->tid;
}

int32_t __kmpc_bound_num_threads(struct kmp_ident *loc)
{
    (void)loc;
    return (int32_t)ghcomp_self_of_libomp()->team->size;
}

int32_t __kmpc_in_parallel(struct kmp_ident *loc)
{
    (void)loc;
    return ghcomp_self_of_libomp()->team->active_level > 0;
}

/* Always true: the runtime starts by itself. */
int32_t __kmpc_ok_to_fork(struct kmp_ident *loc)
{
    (void)loc;
    return 1;
}

void __kmpc_begin(struct kmp_ident *loc, int32_t flags)
{
    (void)loc, (void)flags;
    ghcomp_self_of_libomp();
}

/* Does nothing: other code in the process may still need the runtime. */
void __kmpc_end(struct kmp_ident *loc)
{
    (void)loc;
}

/* The number of living threads that have called the runtime from clang's code, the caller included. */
int kmp_get_num_known_threads(void)
{
    ghcomp_thread_number(ghcomp_self_of_libomp()->thread);
    return (int)ghcomp_thread_numbers_taken();
}

int kmp_get_num_known_threads_(void)
{
    return kmp_get_num_known_threads();
}

GHCOMP_ABI_OBJECT(kmp_thread);
