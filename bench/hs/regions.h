/* The regions of the measurements of one pool (bench/pool.py), called from Haskell and from POSIX threads.
 *
 * No region sets its size. Each checks its result, and that its team has omp_get_max_threads() threads unless dyn-var
 * allows fewer; where either is wrong it prints a message and ends the process.
 */
#pragma once

#include <stdint.h>

/* The sum of `units` units of work by one thread: the expected result of the regions. */
uint64_t region_alone(long units);

/* The units as a static loop: no thread calls the runtime between the fork and the loop's end. */
void region_static(long units, uint64_t want);

/* One call that opens regions, one after the other, as a solver does: region_static again and again between two times
   of the monotonic clock, in ns, and before the first of them. Returns how many were begun between them. */
long region_repeated(long units, uint64_t want, uint64_t opens, uint64_t closes);

/* The units as a dynamic loop of `chunks` chunks: a thread calls the runtime for each. `units` is a multiple of
   `chunks`. */
void region_dynamic(long units, long chunks, uint64_t want);

/* A region whose first thread waits until the other master, 1 - who, is inside its region of this round, too. Rounds
   count from 1; both masters take part in each. */
void region_meet(int who, long round);
