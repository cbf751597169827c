/* C code that asks whether it is to end, in every place where it can. Each function runs until it is told, for a minute
   at most, and returns what it was told: nonzero. InterruptibleTest.hs calls them. */
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

#include "ghcomp.h"

enum { LONG = 60000, STEP_US = 1000 };

static _Atomic int begun; /* C is in its loops */

int interruptible_begun(void)
{
    return begun;
}

int interruptible_now(void)
{
    return ghcomp_interrupted();
}

static int until_told(void)
{
    begun = 1;
    for (int i = 0; i < LONG; i++) {
        if (ghcomp_interrupted())
            return 1;
        usleep(STEP_US);
    }
    return 0;
}

static int plainly(void)
{
    return until_told();
}

/* The iterations that a loop has run; it ends early when it is told. */
long interruptible_loop(int threads, long iterations)
{
    long done = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : done) num_threads(threads)
    for (long i = 0; i < iterations; i++) {
        begun = 1;
        if (ghcomp_interrupted())
            continue;
        usleep(STEP_US);
        done++;
    }
    return done;
}

static int in_loop(void)
{
    return interruptible_loop(3, LONG) < LONG;
}

static int in_each_member(void)
{
    int told = 0, size = 0;
#pragma omp parallel num_threads(3) reduction(+ : told, size)
    {
        size++;
        told += until_told();
    }
    return told == size;
}

static int in_nested_regions(void)
{
    int told = 0, size = 0;
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2) reduction(+ : told, size)
#pragma omp parallel num_threads(2) reduction(+ : told, size)
    {
        size++;
        told += until_told();
    }
    return told == size;
}

static int in_tasks(void)
{
    _Atomic int told = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 6; i++)
#pragma omp task shared(told)
            told += until_told();
    }
    return told == 6;
}

static int in_target_region(void)
{
    int told = 0;
#pragma omp target map(tofrom : told)
#pragma omp parallel num_threads(2) reduction(+ : told)
    told += until_told();
    return told == 2 && !omp_in_parallel();
}

static int in_teams(void)
{
    _Atomic int told = 0;
#pragma omp teams num_teams(2)
#pragma omp parallel num_threads(2)
    told += until_told();
    return told == 4;
}

int interruptible_in(int place)
{
    static int (*const places[])(void) = {
        plainly, in_loop, in_each_member, in_nested_regions, in_tasks, in_target_region, in_teams};
    begun = 0;
    return places[place]();
}

/* C that does not ask: its iterations. */
long interruptible_deaf(long iterations)
{
    long done = 0;
    begun = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : done) num_threads(2)
    for (long i = 0; i < iterations; i++) {
        begun = 1;
        usleep(STEP_US);
        done++;
    }
    return done;
}

/* C with callbacks, which looks at their results alone: 1 when one has failed. */
int interruptible_callbacks(ghcomp_callback *callback)
{
    int failed = 0;
#pragma omp parallel num_threads(2) reduction(| : failed)
    for (int i = 0; i < LONG && !failed; i++) {
        failed |= ghcomp_callback_call(callback, i);
        begun = 1;
        usleep(STEP_US);
    }
    return failed;
}

void interruptible_reset(void)
{
    begun = 0;
}

int interruptible_team(void)
{
    int size = 0;
#pragma omp parallel reduction(+ : size)
    size++;
    return size;
}
