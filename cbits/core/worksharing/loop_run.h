/* Runs: how many chunks of a dynamic loop a member takes by one addition to the loop's counter.
 *
 * If members take short chunks one by one, the counter's cache line moves for each of them, which costs more than the
 * chunks. A member that takes several neighbouring chunks together, and executes them one after the other, still
 * executes iterations in rising order, as it does on libgomp: no other member takes chunks from its run. A long chunk
 * delays those behind it in the run, so a run is short:
 *
 *   first run of a loop    one chunk: nothing is known yet, and nothing is remembered from another loop
 *   later runs             one chunk, which may take long, and behind it as many as take a budget of time together, if
 *                          each costs what the last run's did on average
 *   the budget             a microsecond; where many threads wait for the counter, up to GHCOMP_RUN_BUDGET times that:
 *                          GHCOMP_RUN_WORTH times what the last addition took, so that additions take at most about a
 *                          ninth of the time
 *   costs may grow         at most GHCOMP_RUN_GROWTH times as many chunks as in the last run
 *   the loop may end       at most a part of what is left, GHCOMP_RUN_PARTS to twice as many for each thread that runs,
 *                          so that chunks which cost far more than expected are shared out, too
 *   GHCOMP_RUN_MOST        bounds a run where the counter of ticks stands still
 *
 * So chunks that take longer than the budget are handed out one by one, and so are a loop's last ones.
 *
 * Pure. Called by loop.c. Covered by test/unit/loop_run.c; bench/loop_model.py simulates it for more CPUs.
 */
#pragma once

#include <stdint.h>

#include "base/machine.h"

enum {
    GHCOMP_RUN_TICKS = GHCOMP_TICKS_PER_US,
    GHCOMP_RUN_BUDGET = 16,
    GHCOMP_RUN_WORTH = 8,
    GHCOMP_RUN_GROWTH = 4,
    GHCOMP_RUN_PARTS = 4,
    GHCOMP_RUN_MOST = 4096         /* chunks */
};

/* The last run that a member took in the loop, measured. */
struct ghcomp_loop_run {
    uint64_t chunks;               /* 0: it has taken none yet */
    uint64_t ticks;                /* from when it had the run until now */
    uint64_t took;                 /* ticks that the addition took */
};

/* The `part` for a team with so many running threads: a run is at most 1 / 2^part of what is left.*/
static inline unsigned ghcomp_loop_run_part(uint32_t running)
{
    unsigned part = 0;
    while (part < 31 && (uint32_t)1 << part < running)
        part++;
    return part + (unsigned)__builtin_ctz(GHCOMP_RUN_PARTS);
}

static inline uint64_t ghcomp_loop_run_budget(uint64_t took)
{
    if (took <= GHCOMP_RUN_TICKS / GHCOMP_RUN_WORTH)
        return GHCOMP_RUN_TICKS;
    return took < GHCOMP_RUN_TICKS * GHCOMP_RUN_BUDGET / GHCOMP_RUN_WORTH ? took * GHCOMP_RUN_WORTH
                                                                         : GHCOMP_RUN_TICKS * GHCOMP_RUN_BUDGET;
}

/* Chunks of the next run. `left`: iterations not taken yet, or an upper bound, below 2^40; `chunk`: iterations in a
   chunk, from 1 to below 2^40. */
static inline uint64_t ghcomp_loop_run_chunks(struct ghcomp_loop_run last, uint64_t left, uint64_t chunk, unsigned part)
{
    uint64_t budget = ghcomp_loop_run_budget(last.took), most = last.chunks * GHCOMP_RUN_GROWTH;
    if (last.chunks == 0 || last.ticks > last.chunks * budget)
        return 1;
    uint64_t run = most, room = left >> part;
    if (last.ticks * GHCOMP_RUN_GROWTH > budget)
        run = 1 + last.chunks * budget / last.ticks;
    if (run > most)
        run = most;
    if (run > GHCOMP_RUN_MOST)
        run = GHCOMP_RUN_MOST;
    if (run * chunk > room)
        run = room / chunk;
    return run > 0 ? run : 1;
}
