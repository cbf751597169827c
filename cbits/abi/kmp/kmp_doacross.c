/* Doacross loops as clang emits them: ordered(n) with depend(source) and depend(sink). Tests: test/clang/doacross.c.
 *
 * The iterations are handed out by a loop of its own (kmp_static.c, kmp_dispatch.c), which may collapse some of the
 * dimensions, or by none at all. So what waits for what is apart from that: a bit for each iteration of the nest, which
 * its member sets (or_acqrel) when it posts and others wait for (load_acquire).
 *
 * The first member to enter makes the nest; its address is in the memory of a work share. Each member holds a
 * reference, since a member may still be in the nest when the share is used again; the last to leave frees it. Bounds
 * are the same for all, so that every member keeps those that it was given. */
#include <stdlib.h>
#include <string.h>

#include "abi/abi.h"
#include "base/check.h"
#include "core/cpu/wait.h"
#include "core/tool/tool.h"
#include "core/worksharing/workshare.h"

struct ghcomp_kmp_nest {
    _Atomic uint32_t references;   /* members that have not left; sub_acqrel */
    uint32_t dims;
    struct kmp_dim *bounds;        /* [dims] */
    _Atomic uint64_t posted[];     /* a bit for each iteration */
};

static uint64_t extent(const struct kmp_dim *dim)
{
    if (dim->step > 0)
        return dim->upper < dim->lower ? 0 : ((uint64_t)dim->upper - (uint64_t)dim->lower) / (uint64_t)dim->step + 1;
    if (dim->step == 0)
        return 0;
    return dim->lower < dim->upper ? 0 : ((uint64_t)dim->lower - (uint64_t)dim->upper) / -(uint64_t)dim->step + 1;
}

static struct ghcomp_kmp_nest *new_nest(uint32_t members, uint32_t dims, const struct kmp_dim *bounds)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < dims; i++)
        if (__builtin_mul_overflow(count, extent(&bounds[i]), &count) || count > SIZE_MAX / 2)
            ghcomp_fatal("a doacross loop has more iterations than memory has bits; divide it");
    size_t words = (size_t)(count / 64 + 1), bytes = sizeof(struct ghcomp_kmp_nest) + words * sizeof(uint64_t);
    struct ghcomp_kmp_nest *nest = ghcomp_alloc(bytes + dims * sizeof *bounds);
    memset(nest, 0, bytes);
    ghcomp_store_relaxed(&nest->references, members);
    nest->dims = dims;
    nest->bounds = (struct kmp_dim *)((char *)nest + bytes);
    memcpy(nest->bounds, bounds, dims * sizeof *bounds);
    return nest;
}

void __kmpc_doacross_init(struct kmp_ident *loc, int32_t thread, int32_t dims, const struct kmp_dim *bounds)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self();
    self->nest = NULL; /* a cancelled loop does not call the end */
    if (self->team->size == 1)
        return;        /* in order anyhow */
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share == NULL) {
        struct ghcomp_workshare *mine = ghcomp_workshare_new(self);
        struct ghcomp_kmp_nest *nest = new_nest(self->team->size, (uint32_t)dims, bounds);
        memcpy(ghcomp_workshare_memory(mine, sizeof nest), &nest, sizeof nest);
        bool first;
        share = ghcomp_workshare_publish(self, mine, &first);
        if (!first)
            free(nest);
    }
    ghcomp_workshare_enter(self, share);
    memcpy(&self->nest, share->memory, sizeof self->nest);
}

/* The number of an iteration of the nest; false: it is outside, and nobody waits for it. */
static bool number_of(const struct ghcomp_kmp_nest *nest, const int64_t *iteration, uint64_t *number)
{
    *number = 0;
    for (uint32_t i = 0; i < nest->dims; i++) {
        const struct kmp_dim *dim = &nest->bounds[i];
        bool up = dim->step > 0;
        if (up ? iteration[i] < dim->lower || iteration[i] > dim->upper
               : iteration[i] > dim->lower || iteration[i] < dim->upper)
            return false;
        uint64_t distance = up ? (uint64_t)iteration[i] - (uint64_t)dim->lower
                               : (uint64_t)dim->lower - (uint64_t)iteration[i];
        *number = *number * extent(dim) + distance / (up ? (uint64_t)dim->step : -(uint64_t)dim->step);
    }
    return true;
}

void __kmpc_doacross_post(struct kmp_ident *loc, int32_t thread, const int64_t *iteration)
{
    (void)loc, (void)thread;
    struct ghcomp_kmp_nest *nest = ghcomp_self()->nest;
    uint64_t number;
    if (nest == NULL || !number_of(nest, iteration, &number))
        return;
    if (ghcomp_tool_on())
        ghcomp_tool_doacross(ghcomp_self(), ompt_dependence_type_source, nest->dims, (const uint64_t *)iteration);
    ghcomp_or_acqrel(&nest->posted[number / 64], UINT64_C(1) << number % 64);
}

void __kmpc_doacross_wait(struct kmp_ident *loc, int32_t thread, const int64_t *iteration)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_kmp_nest *nest = self->nest;
    uint64_t number;
    if (nest == NULL || !number_of(nest, iteration, &number))
        return;
    if (ghcomp_tool_on())
        ghcomp_tool_doacross(self, ompt_dependence_type_sink, nest->dims, (const uint64_t *)iteration);
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    while ((ghcomp_load_acquire(&nest->posted[number / 64]) >> number % 64 & 1) == 0) {
        if (ghcomp_load_relaxed(&self->team->cancelled) & GHCOMP_CANCELLED_PARALLEL)
            return;
        ghcomp_spin_again(&spin);
    }
}

void __kmpc_doacross_fini(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_kmp_nest *nest = self->nest;
    self->nest = NULL;
    if (nest != NULL && ghcomp_sub_acqrel(&nest->references, 1u) == 1)
        free(nest);
}

GHCOMP_ABI_OBJECT(kmp_doacross);
