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

/* One form for each schedule: of(name) for entries that get the chunk as an argument, of_runtime(name) for those that
   take it from OMP_SCHEDULE. */
#define EACH_SCHEDULE(of, of_runtime) \
    of(static)                        \
    of(dynamic)                       \
    of(guided)                        \
    of(nonmonotonic_dynamic)          \
    of(nonmonotonic_guided)           \
    of_runtime(runtime)               \
    of_runtime(nonmonotonic_runtime)  \
    of_runtime(maybe_nonmonotonic_runtime)

/* How often each value of the loop variable (which stays between -OFFSET and OFFSET) was executed. */
struct counts {
    int hits[2 * OFFSET];
};

static inline void count_value(struct counts *counts, long value)
{
    CHECK(value > -OFFSET && value < OFFSET);
#pragma omp atomic
    counts->hits[value + OFFSET]++;
}

/* Every value of the loop was hit `times` times, and no other. */
static inline void check_counts(const struct counts *counts, long start, long end, long incr, int times)
{
    for (long value = -OFFSET + 1; value < OFFSET; value++) {
        bool inside = incr > 0 ? value >= start && value < end : value <= start && value > end;
        bool of_loop = inside && (value - start) % incr == 0;
        CHECK(counts->hits[value + OFFSET] == (of_loop ? times : 0));
    }
}
