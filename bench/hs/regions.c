/* Regions whose results are checked. Compiled by gcc -fopenmp without our headers, so that the same code runs on every
 * runtime.
 */
#include <inttypes.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "process.h"
#include "regions.h"
#include "work.h"

enum { SPINS = 300 }; /* of a master that waits for the other one, before each sched_yield */

/* The team that a region must have; 0 when any will do. */
static int exact_team(void)
{
    return omp_get_dynamic() ? 0 : omp_get_max_threads();
}

/* Called by each thread of the region. */
static void check_team(int wanted)
{
    if (wanted != 0 && omp_get_num_threads() != wanted) {
        fprintf(stderr, "bench: wrong result: a team has %d threads, not %d\n", omp_get_num_threads(), wanted);
        _Exit(1);
    }
}

static void check_sum(uint64_t sum, uint64_t want)
{
    if (sum != want) {
        fprintf(stderr, "bench: wrong result: a sum is %" PRIu64 ", not %" PRIu64 "\n", sum, want);
        _Exit(1);
    }
}

uint64_t region_alone(long units)
{
    uint64_t sum = 0;
    for (long i = 0; i < units; i++)
        sum += work((uint64_t)i);
    return sum;
}

void region_static(long units, uint64_t want)
{
    uint64_t sum = 0;
    int team = exact_team();
#pragma omp parallel reduction(+ : sum)
    {
        check_team(team);
#pragma omp for schedule(static)
        for (long i = 0; i < units; i++)
            sum += work((uint64_t)i);
    }
    check_sum(sum, want);
}

long region_repeated(long units, uint64_t want, uint64_t opens, uint64_t closes)
{
    long count = 0;
    for (uint64_t now; (now = bench_now_ns()) < closes; count += now >= opens)
        region_static(units, want);
    return count;
}

void region_dynamic(long units, long chunks, uint64_t want)
{
    uint64_t sum = 0;
    long each = units / chunks;
    int team = exact_team();
#pragma omp parallel reduction(+ : sum)
    {
        check_team(team);
#pragma omp for schedule(dynamic, 1)
        for (long c = 0; c < chunks; c++) {
            for (long i = c * each; i < (c + 1) * each; i++)
                sum += work((uint64_t)i);
        }
    }
    check_sum(sum, want);
}

/* The last round that each master has reached, on cache lines of their own. */
static struct {
    long round;
} __attribute__((aligned(128))) inside[2];

void region_meet(int who, long round)
{
    int team = exact_team();
#pragma omp parallel
    {
        check_team(team);
        if (omp_get_thread_num() == 0) {
            __atomic_store_n(&inside[who].round, round, __ATOMIC_SEQ_CST);
            for (int spins = 0; __atomic_load_n(&inside[1 - who].round, __ATOMIC_SEQ_CST) < round; spins++) {
                if (spins == SPINS) {
                    sched_yield();
                    spins = 0;
                }
            }
        }
    }
}
