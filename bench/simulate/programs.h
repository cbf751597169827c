/* OpenMP programs that run without an end: in the simulator, and in reality (real.c). Both have these functions. */
#pragma once

#include <stdint.h>

struct program {
    const char *name, *what;
    void (*run)(int threads, uint64_t work);
};
extern const struct program programs[]; /* the last one has no name */

void sim_work(uint64_t ns); /* the calling thread computes for so long */
void sim_step(void);        /* counts a step; by one thread at a time */
void sim_member(void);      /* a member in the first region */

/* A first region: each member calls sim_member. */
void program_meet(int threads);
