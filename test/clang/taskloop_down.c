/* The loops of taskloop_abi.c, and one that runs downwards.
   ghcomp-only: libomp 19 gives some of the iterations of a loop with a negative step to two tasks */
#define DOWNWARDS
#include "taskloop_abi.c"
