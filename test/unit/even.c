/* Parts that are as even as can be: they follow each other without gaps, differ by one item at most, the longer ones
   first, and each item is found in its part; also at the ends of the type. */
#include "base/even.h"

#include "unit.h"

static void small(void)
{
    for (uint64_t parts = 1; parts <= 9; parts++)
        for (uint64_t items = 0; items <= 40; items++) {
            struct ghcomp_even even = ghcomp_even(items, parts);
            uint64_t next = 0;
            for (uint64_t part = 0; part < parts; part++) {
                uint64_t length = ghcomp_even_length(even, part);
                CHECK_EQUAL(next, ghcomp_even_first(even, part));
                CHECK(length == items / parts || (length == items / parts + 1 && part < items % parts));
                for (uint64_t item = next; item < next + length; item++)
                    CHECK_EQUAL(part, ghcomp_even_part_of(even, item));
                next += length;
            }
            CHECK_EQUAL(items, next);
            CHECK_EQUAL(items, ghcomp_even_first(even, parts));
        }
}

static void large(void)
{
    struct ghcomp_even even = ghcomp_even(UINT64_MAX, 2);
    CHECK_EQUAL(UINT64_MAX / 2 + 1, ghcomp_even_first(even, 1));
    CHECK_EQUAL(UINT64_MAX / 2, ghcomp_even_length(even, 1));
    CHECK_EQUAL(0, ghcomp_even_part_of(even, UINT64_MAX / 2));
    CHECK_EQUAL(1, ghcomp_even_part_of(even, UINT64_MAX - 1));
    even = ghcomp_even(3, UINT64_MAX);
    CHECK_EQUAL(3, ghcomp_even_first(even, UINT64_MAX));
    CHECK_EQUAL(2, ghcomp_even_part_of(even, 2));
}

int main(void)
{
    small();
    large();
    return 0;
}
