/* The functions that gcc makes of the bodies of regions and tasks.
 *
 * gcc gives its calls of GOMP_parallel and GOMP_task no line of their own, so that those of one function may all appear
 * in the line of the first. The body's function has the right one. Its address is an argument of the call: this file
 * searches the instructions before the call for code addresses that are loaded into a register. The caller selects one
 * by the functions' names, so that a chance hit does no harm. Near ones follow every earlier call of the same function
 * of the runtime; one that is not near may have been loaded before a loop around the call. */
#include "where.h"

#include <string.h>

enum { BEFORE = 1024 };

#ifdef __x86_64__
static const unsigned char *target(const unsigned char *next, int displacement_at)
{
    int32_t displacement;
    memcpy(&displacement, next + displacement_at, sizeof displacement);
    return next + displacement;
}

/* The target of the call that returns to `next`, or NULL: call or, by way of a table of pointers, call *. */
static const unsigned char *called(const unsigned char *next)
{
    if (next[-5] == 0xe8 || (next[-6] == 0xff && next[-5] == 0x15))
        return target(next, -4);
    return NULL;
}

uint32_t outlined_candidates(const void *address, const void *from, const void *found[], uint32_t most, uint32_t *near)
{
    const unsigned char *end = address, *at = end - 5, *to = called(end);
    uint32_t count = 0;
    bool passed = false;
    *near = 0;
    for (int i = 0; i < BEFORE && to != NULL && at - 7 > (const unsigned char *)from && count < most; i++, at--) {
        passed |= at != end - 5 && called(at) == to;
        if ((at[-7] == 0x48 || at[-7] == 0x4c) && at[-6] == 0x8d && (at[-5] & 0xc7) == 0x05) {
            found[count++] = target(at, -4); /* lea displacement(%rip), register */
        } else if ((at[-5] & 0xf8) == 0xb8) {
            uint32_t value;
            memcpy(&value, at - 4, sizeof value);
            found[count++] = (const void *)(uintptr_t)value; /* mov $address, register; not in PIE */
        }
        if (!passed)
            *near = count;
    }
    return count;
}
#else
uint32_t outlined_candidates(const void *address, const void *from, const void *found[], uint32_t most, uint32_t *near)
{
    (void)address, (void)from, (void)found, (void)most, (void)near;
    return 0;
}
#endif
