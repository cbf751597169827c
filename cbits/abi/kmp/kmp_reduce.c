/* Reductions at the end of a worksharing construct or region. Tests: test/clang/reductions*.c.
 *
 * Each member's call returns how its code is to combine its values with the program's variables: KMP_COMBINE, by plain
 * accesses between the call and the end call; KMP_ATOMIC, by atomic instructions; KMP_NOTHING, another member has
 * combined them.
 *
 *   lock    The members combine one after the other.
 *   atomic  Where the compiler has atomic instructions for all variables: up to two of them in a small team, since each
 *           costs a transfer of its cache line.
 *   tree    In larger teams, where the code has a function that combines two members' values: reduction_tree.c. Member
 *           0 has everything and combines that with the variables. Sums of floating-point numbers are the same in each
 *           run, as on libomp, also where the team has more threads than CPUs and the lock would be faster.
 *
 * KMP_DETERMINISTIC_REDUCTION always takes the tree, whose order is fixed, and KMP_FORCE_REDUCTION the named method, if
 * the code has it.
 *
 * A member that leaves a cancelled region skips the rest of it, so other members do not wait for it in the tree, and
 * leave the barrier once the region is cancelled.
 *
 * At the end of a teams construct the league's teams, each an initial team of one thread, combine by the lock or by
 * atomic instructions, since they may run concurrently. They do not form a team, so there is no tree.
 *
 * The thread keeps the choice of the first call for the end call: it runs no other reduction between the two. */
#include "abi/abi.h"
#include "core/state/settings.h"
#include "core/sync/barrier.h"
#include "core/sync/lock.h"
#include "core/sync/reduction_tree.h"
#include "core/tool/tool.h"

enum { KMP_NOTHING = 0, KMP_COMBINE = 1, KMP_ATOMIC = 2 };

enum { ATOMIC_TEAM = 4, ATOMIC_VARIABLES = 2 };

/* The arguments that compiled code passes for a reduction. */
struct reduction {
    const struct kmp_ident *loc;
    int32_t count;
    void *data;
    void (*combine)(void *, void *);
    kmp_critical_name *name;
};

/* The user's choice of method; ANY: there is none, or the code does not support it. */
static __attribute__((noinline, cold)) enum ghcomp_reduction wanted(bool instructions, bool tree)
{
    if (ghcomp_settings.deterministic_reduction && tree)
        return GHCOMP_REDUCTION_TREE;
    enum ghcomp_reduction how = (enum ghcomp_reduction)ghcomp_settings.force_reduction;
    if ((how == GHCOMP_REDUCTION_ATOMIC && !instructions) || (how == GHCOMP_REDUCTION_TREE && !tree))
        return GHCOMP_REDUCTION_ANY;
    return how;
}

static inline enum ghcomp_reduction choose(const struct reduction *reduction, const struct ghcomp_team *team)
{
    bool instructions = reduction->loc != NULL && (reduction->loc->flags & KMP_IDENT_ATOMIC_REDUCE) != 0;
    bool tree = reduction->data != NULL && reduction->combine != NULL && team->size > 1;
    if (ghcomp_unlikely(ghcomp_settings.force_reduction != GHCOMP_REDUCTION_ANY ||
                        ghcomp_settings.deterministic_reduction)) {
        enum ghcomp_reduction how = wanted(instructions, tree);
        if (how != GHCOMP_REDUCTION_ANY)
            return how;
    }
    if (instructions && reduction->count <= ATOMIC_VARIABLES && team->size <= ATOMIC_TEAM)
        return GHCOMP_REDUCTION_ATOMIC;
    return tree && team->size > ATOMIC_TEAM ? GHCOMP_REDUCTION_TREE : GHCOMP_REDUCTION_LOCK;
}

/* Whether no other thread combines with the same variables: the member is alone in its team, and that is no team of a
   league. */
static inline bool alone(const struct ghcomp_team *team)
{
    return team->size == 1 && (team->parent != NULL || team->league_size == 1);
}

/* Begins a reduction. `waits`: the construct ends with a barrier; for code that has nothing to combine, it is part of
   this call. */
static inline __attribute__((always_inline)) int begin(struct ghcomp_member *self, const struct reduction *reduction,
                                                       bool waits, bool observed)
{
    if (alone(self->team)) {
        if (observed)
            ghcomp_tool_reduction(self, ompt_scope_begin);
        return KMP_COMBINE;
    }
    enum ghcomp_reduction how = choose(reduction, self->team);
    if (how == GHCOMP_REDUCTION_LOCK)
        ghcomp_user_lock_take((_Atomic uint32_t *)reduction->name);
    bool combines = how != GHCOMP_REDUCTION_TREE || ghcomp_reduction_tree(self, reduction->data, reduction->combine);
    self->thread->clauses.reduction = (uint8_t)how; /* stored only now, since tasks that ran meanwhile may have had
                                                       reductions */
    /* Not for atomic instructions, after which compiled code need not call the end. */
    if (observed && combines && how != GHCOMP_REDUCTION_ATOMIC)
        ghcomp_tool_reduction(self, ompt_scope_begin);
    if (combines)
        return how == GHCOMP_REDUCTION_ATOMIC ? KMP_ATOMIC : KMP_COMBINE;
    if (waits)
        ghcomp_barrier_wait_cancellable(self);
    return KMP_NOTHING;
}

/* Where ghcomp_self_fast is NULL. `what`: the barrier that the construct ends with, or 0. */
enum { WAITS = ompt_sync_region_barrier_implicit_workshare };
static __attribute__((noinline, cold)) int begin_observed(const struct reduction *reduction, int what,
                                                          const void *return_address, void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, what);
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    return begin(self, reduction, what != 0, ghcomp_tool_on());
}

static inline __attribute__((always_inline)) void
end(struct ghcomp_member *self, kmp_critical_name *name, bool observed)
{
    enum ghcomp_reduction how = !alone(self->team) ? self->thread->clauses.reduction : GHCOMP_REDUCTION_ANY;
    if (how == GHCOMP_REDUCTION_ATOMIC)
        return;
    if (observed)
        ghcomp_tool_reduction(self, ompt_scope_end);
    if (how == GHCOMP_REDUCTION_LOCK)
        ghcomp_user_lock_give((_Atomic uint32_t *)name);
}

/* The same for the end. */
static __attribute__((noinline, cold)) void end_observed(kmp_critical_name *name, int what, const void *return_address,
                                                         void *frame)
{
    if (ghcomp_tool_on())
        ghcomp_tool_note(return_address, frame, what);
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    end(self, name, ghcomp_tool_on());
    if (what != 0)
        ghcomp_barrier_wait_cancellable(self);
}

int32_t __kmpc_reduce_nowait(struct kmp_ident *loc, int32_t thread, int32_t count, size_t bytes, void *data,
                             void (*combine)(void *, void *), kmp_critical_name *name)
{
    (void)thread, (void)bytes;
    struct reduction reduction = {loc, count, data, combine, name};
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL))
        return begin(self, &reduction, false, false);
    return begin_observed(&reduction, 0, __builtin_return_address(0), __builtin_dwarf_cfa());
}

void __kmpc_end_reduce_nowait(struct kmp_ident *loc, int32_t thread, kmp_critical_name *name)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL))
        end(self, name, false);
    else
        end_observed(name, 0, __builtin_return_address(0), __builtin_dwarf_cfa());
}

int32_t __kmpc_reduce(struct kmp_ident *loc, int32_t thread, int32_t count, size_t bytes, void *data,
                      void (*combine)(void *, void *), kmp_critical_name *name)
{
    (void)thread, (void)bytes;
    struct reduction reduction = {loc, count, data, combine, name};
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL))
        return begin(self, &reduction, true, false);
    return begin_observed(&reduction, WAITS, __builtin_return_address(0), __builtin_dwarf_cfa());
}

/* Called by every member that has combined. */
void __kmpc_end_reduce(struct kmp_ident *loc, int32_t thread, kmp_critical_name *name)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_likely(self != NULL)) {
        end(self, name, false);
        ghcomp_barrier_wait_cancellable_fast(self);
    } else {
        end_observed(name, WAITS, __builtin_return_address(0), __builtin_dwarf_cfa());
    }
}

GHCOMP_ABI_OBJECT(kmp_reduce);
