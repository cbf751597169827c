/* For programs that call GOMP_loop_* directly: the entries that today's compilers do not emit have no other test. Loops
   run in a region of `threads` members; every iteration must be executed once. */
#pragma once

#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../common.h"

enum { MOST = 512, OFFSET = 5000 };

void GOMP_loop_end(void);
void GOMP_loop_end_nowait(void);

/* What was executed, by value of the loop variable (which stays between -OFFSET and OFFSET). */
struct tally {
    int hits[2 * OFFSET];
};

static inline void tally_value(struct tally *tally, long value)
{
    CHECK(value > -OFFSET && value < OFFSET);
#pragma omp atomic
    tally->hits[value + OFFSET]++;
}

/* Every value of the loop was hit `times` times, and no other. */
static inline void tally_check(const struct tally *tally, long start, long end, long incr, int times)
{
    for (long value = -OFFSET + 1; value < OFFSET; value++) {
        bool inside = incr > 0 ? value >= start && value < end : value <= start && value > end;
        bool of_loop = inside && (value - start) % incr == 0;
        CHECK(tally->hits[value + OFFSET] == (of_loop ? times : 0));
    }
}
