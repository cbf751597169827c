/* What a harness of the explorer (engine/explore.c) uses.
 *
 * A harness is a program of a few scenarios. A scenario's `setup` runs before each schedule: it makes the threads,
 * whose functions use the runtime's own code, and sets up what they share. Memory is then as it was when the program
 * had started: static variables are restored and everything from malloc is gone. When all threads have returned,
 * `finish` checks the property; threads may check, too (EXPLORE_CHECK). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct explore_scenario {
    const char *name;
    void (*setup)(void);
    void (*finish)(void);    /* or NULL */
    /* Depth first: every schedule with at most so many preemptions, stores that stay in their thread's buffer, and
       sleeps that end for no reason (those with a limit: at their limit, however late that is). `full`: no bounds on
       the first two, and only one schedule of each set that differ by the order of independent steps alone. */
    bool full;
    unsigned preemptions, delays, spurious;
    /* It stops after so many schedules (0: none), and reports that it did. Then `random` ones follow. */
    unsigned schedules, random;
    bool timeouts;           /* a sleep with a limit ends at it when no thread can continue; else a deadlock */
    bool (*may_time_out)(void); /* ... and only then; NULL: always */
    bool no_fence_all;       /* the system has no membarrier */
};

/* In setup: a thread of the scenario. A daemon may still wait for something when all others have returned. */
void explore_thread(void (*function)(void *), void *argument);
/* In a thread: from here on (until false) the schedule is not explored. For what only prepares. */
void explore_quiet(bool quiet);
/* Atomic operations on these bytes never let other threads run before them: for counts that are only hints. */
void explore_ignore(const volatile void *memory, size_t size);
/* How many sleeps have ended by their limit in this schedule. */
unsigned explore_timeouts(void);
/* The number of the calling thread, in the order of their making. */
unsigned explore_self(void);
/* A step at which the harness's own threads may switch; and one that waits until another thread has written. */
void explore_point(void);
void explore_pause(void);

/* The property does not hold: prints why, and the schedule, and ends the program with exit status 3. */
void explore_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define EXPLORE_CHECK(condition) \
    do { \
        if (!(condition)) \
            explore_fail("%s:%d: %s does not hold", __FILE__, __LINE__, #condition); \
    } while (0)
#define EXPLORE_EQUAL(expected, actual) \
    do { \
        long long expected_ = (long long)(expected), actual_ = (long long)(actual); \
        if (expected_ != actual_) \
            explore_fail("%s:%d: %s is %lld, not %lld", __FILE__, __LINE__, #actual, actual_, expected_); \
    } while (0)

/* Runs the scenarios, or those whose names are given on the command line. --list prints the names. --glance before the
   names: a few random schedules of all scenarios come first, so that a defect is found sooner than in order. */
int explore_main(int argc, char **argv, const struct explore_scenario *scenarios, size_t count);
