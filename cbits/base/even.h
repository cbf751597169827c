/* Dividing a number of items into parts that are as even as can be: the first ones have one item more. (OpenMP 5.2,
 * section 11.5.3: schedule(static) without a chunk size, where libgomp and libomp divide in this way.)
 *
 * Used by core/worksharing, core/task/taskloop.c, core/affinity/affinity.c and abi/kmp/kmp_{static,dispatch}.c. Covered
 * by test/unit/even.c.
 */
#pragma once

#include <stdint.h>

struct ghcomp_even {
    uint64_t each;                 /* items of a part */
    uint64_t longer;               /* so many first parts have one more */
};

/* parts: at least 1. */
static inline struct ghcomp_even ghcomp_even(uint64_t items, uint64_t parts)
{
    return (struct ghcomp_even){items / parts, items % parts};
}

/* The number of a part's first item; of the part behind the last one: the number of items. */
static inline uint64_t ghcomp_even_first(struct ghcomp_even even, uint64_t part)
{
    return even.each * part + (part < even.longer ? part : even.longer);
}

static inline uint64_t ghcomp_even_length(struct ghcomp_even even, uint64_t part)
{
    return even.each + (part < even.longer);
}

/* The part that has the item. */
static inline uint64_t ghcomp_even_part_of(struct ghcomp_even even, uint64_t item)
{
    uint64_t in_longer = even.longer * (even.each + 1);
    return item < in_longer ? item / (even.each + 1) : even.longer + (item - in_longer) / even.each;
}
