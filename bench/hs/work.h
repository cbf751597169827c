/* The unit of work of the measured loops and tasks. */
#pragma once

#include <stdint.h>

/* 32 steps of a linear congruential generator, which no compiler can shorten: about 10 ns. Work.hs has the same in
   Haskell. */
static inline uint64_t work(uint64_t i)
{
    for (int k = 0; k < 32; k++)
        i = i * 6364136223846793005u + 1442695040888963407u;
    return i;
}
