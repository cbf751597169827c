/* GOMP_ordered_* and GOMP_doacross_*: the order of a loop's iterations. Tests: test/conformance/{ordered,doacross}. */
#include <stdarg.h>

#include "abi/abi.h"
#include "abi/observed/ordered.h"
#include "core/worksharing/doacross.h"
#include "core/worksharing/ordered.h"

/* Where ghcomp_self_fast is NULL. */
static __attribute__((noinline, cold)) void start_observed(const void *return_address, void *frame)
{
    bool listens = tool_listens(return_address, frame);
    struct ghcomp_member *self = ghcomp_self();
    if (listens)
        ghcomp_tool_mutex_wait(ompt_mutex_ordered, 0, self->share);
    if (self->share->ordered)
        ghcomp_ordered_enter(self);
    if (listens)
        ghcomp_tool_mutex_taken(ompt_mutex_ordered, self->share);
}

void GOMP_ordered_start(void)
{
    struct ghcomp_member *self = ghcomp_self_fast;
    if (ghcomp_unlikely(self == NULL))
        start_observed(__builtin_return_address(0), __builtin_dwarf_cfa());
    else if (self->share->ordered)
        ghcomp_ordered_wait(self);
}

/* A turn belongs to a chunk: the end of the chunk passes it on (core/worksharing/ordered.c), not the end of an ordered
   region. */
void GOMP_ordered_end(void)
{
    if (ghcomp_observed_now())
        ordered_end_observed(__builtin_return_address(0), __builtin_dwarf_cfa());
}

void GOMP_doacross_post(long *counts)
{
    struct ghcomp_member *self = ghcomp_self();
    /* long and uint64_t differ only in the sign, so the array may be read as the other type. */
    uint32_t dims = ghcomp_doacross_dims(self);
    if (dims == 0)
        return;
    if (ghcomp_tool_on())
        ghcomp_tool_doacross(self, ompt_dependence_type_source, dims, (const uint64_t *)counts);
    ghcomp_doacross_post(self, (const uint64_t *)counts);
}

void GOMP_doacross_ull_post(unsigned long long *counts)
{
    struct ghcomp_member *self = ghcomp_self();
    uint32_t dims = ghcomp_doacross_dims(self);
    if (dims == 0)
        return;
    uint64_t iteration[dims];
    for (uint32_t i = 0; i < dims; i++)
        iteration[i] = counts[i];
    if (ghcomp_tool_on())
        ghcomp_tool_doacross(self, ompt_dependence_type_source, dims, iteration);
    ghcomp_doacross_post(self, iteration);
}

#define WAIT(type)                                               \
    {                                                            \
        struct ghcomp_member *self = ghcomp_self();              \
        uint32_t dims = ghcomp_doacross_dims(self);              \
        if (dims == 0)                                           \
            return;                                              \
        uint64_t iteration[dims];                                \
        iteration[0] = (uint64_t)first;                          \
        va_list others;                                          \
        va_start(others, first);                                 \
        for (uint32_t i = 1; i < dims; i++)                      \
            iteration[i] = (uint64_t)va_arg(others, type);       \
        va_end(others);                                          \
        if (ghcomp_tool_on())                                    \
            ghcomp_tool_doacross(self, ompt_dependence_type_sink, dims, iteration); \
        ghcomp_doacross_wait(self, iteration);                   \
    }

void GOMP_doacross_wait(long first, ...)
WAIT(long)

void GOMP_doacross_ull_wait(unsigned long long first, ...)
WAIT(unsigned long long)

GHCOMP_ABI_OBJECT(gomp_ordered);
