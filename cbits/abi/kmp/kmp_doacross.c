/* Doacross loops as clang emits them: ordered(n) with depend(source) and depend(sink). Another loop hands out the
 * iterations (kmp_static.c, kmp_dispatch.c). The waits are in core/worksharing/posts.c, which identifies iterations by
 * their numbers in the nest: this file computes these from the bounds. Tests: test/clang/doacross.c. */
#include "abi/abi.h"
#include "base/check.h"
#include "core/tool/tool.h"
#include "core/worksharing/posts.h"

static uint64_t extent(const struct kmp_dim *dim)
{
    if (dim->step > 0)
        return dim->upper < dim->lower ? 0 : ((uint64_t)dim->upper - (uint64_t)dim->lower) / (uint64_t)dim->step + 1;
    if (dim->step == 0)
        return 0;
    return dim->lower < dim->upper ? 0 : ((uint64_t)dim->lower - (uint64_t)dim->upper) / -(uint64_t)dim->step + 1;
}

void __kmpc_doacross_init(struct kmp_ident *loc, int32_t thread, int32_t dims, const struct kmp_dim *bounds)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    ghcomp_posts_leave(self); /* a cancelled loop does not call the end */
    if (self->team->size == 1)
        return;               /* a team of one executes the iterations in order, and never waits */
    uint64_t count = 1;
    for (int32_t i = 0; i < dims; i++)
        if (__builtin_mul_overflow(count, extent(&bounds[i]), &count) || count > SIZE_MAX / 2)
            ghcomp_fatal("a doacross loop has more iterations than memory has bits; divide it");
    ghcomp_posts_enter(self, count, bounds, (size_t)dims * sizeof *bounds);
}

/* Computes an iteration's number; returns the nest's number of dimensions. 0: the iteration is outside the nest, so no
   iteration waits for it. */
static uint32_t number_of(const struct ghcomp_posts *posts, const int64_t *iteration, uint64_t *number)
{
    size_t bytes;
    const struct kmp_dim *bounds = ghcomp_posts_data(posts, &bytes);
    uint32_t dims = (uint32_t)(bytes / sizeof *bounds);
    *number = 0;
    for (uint32_t i = 0; i < dims; i++) {
        const struct kmp_dim *dim = &bounds[i];
        bool up = dim->step > 0;
        if (up ? iteration[i] < dim->lower || iteration[i] > dim->upper
               : iteration[i] > dim->lower || iteration[i] < dim->upper)
            return 0;
        uint64_t distance = up ? (uint64_t)iteration[i] - (uint64_t)dim->lower
                               : (uint64_t)dim->lower - (uint64_t)iteration[i];
        *number = *number * extent(dim) + distance / (up ? (uint64_t)dim->step : -(uint64_t)dim->step);
    }
    return dims;
}

void __kmpc_doacross_post(struct kmp_ident *loc, int32_t thread, const int64_t *iteration)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    uint64_t number;
    uint32_t dims = self->posts != NULL ? number_of(self->posts, iteration, &number) : 0;
    if (dims == 0)
        return;
    if (ghcomp_tool_on())
        ghcomp_tool_doacross(self, ompt_dependence_type_source, dims, (const uint64_t *)iteration);
    ghcomp_posts_post(self->posts, number);
}

void __kmpc_doacross_wait(struct kmp_ident *loc, int32_t thread, const int64_t *iteration)
{
    (void)loc, (void)thread;
    struct ghcomp_member *self = ghcomp_self_of_libomp();
    uint64_t number;
    uint32_t dims = self->posts != NULL ? number_of(self->posts, iteration, &number) : 0;
    if (dims == 0)
        return;
    if (ghcomp_tool_on())
        ghcomp_tool_doacross(self, ompt_dependence_type_sink, dims, (const uint64_t *)iteration);
    ghcomp_posts_wait(self, number);
}

void __kmpc_doacross_fini(struct kmp_ident *loc, int32_t thread)
{
    (void)loc, (void)thread;
    ghcomp_posts_leave(ghcomp_self_of_libomp());
}

GHCOMP_ABI_OBJECT(kmp_doacross);
