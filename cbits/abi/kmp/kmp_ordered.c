/* Ordered regions of a loop. kmp_dispatch.c counts the iterations of a chunk. Tests:
 * test/clang/{loops,ordered_overlap}.c. */
#include "abi/abi.h"
#include "abi/observed/ordered.h"
#include "core/worksharing/ordered.h"

/* Where ghcomp_self_fast is NULL. */
static __attribute__((noinline, cold)) void begin_observed(const void *return_address, void *frame)
{
    bool listens = tool_listens(return_address, frame);
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    if (listens)
        ghcomp_tool_mutex_wait(ompt_mutex_ordered, 0, self->share);
    ghcomp_ordered_enter(self);
    if (listens)
        ghcomp_tool_mutex_taken(ompt_mutex_ordered, self->share);
}

void __kmpc_ordered(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_unlikely(self == NULL))
        begin_observed(__builtin_return_address(0), __builtin_dwarf_cfa());
    else
        ghcomp_ordered_wait(self);
}

/* Behind the last ordered region of a chunk the turn passes at once, as in libomp: what follows the region in the
   iteration runs beside the next chunk. */
void __kmpc_end_ordered(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    if (ghcomp_observed_now())
        ordered_end_observed(__builtin_return_address(0), __builtin_dwarf_cfa());
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    const struct ghcomp_workshare *share = self->share;
    if (self->chunk_counted != 0 && self->chunk_end - self->chunk_begin == self->chunk_counted &&
        share->increment == share->step) {
        ghcomp_ordered_pass(self);
        self->chunk_begin = self->chunk_end; /* so that the turn does not pass a second time */
    }
}

GHCOMP_ABI_OBJECT(kmp_ordered);
