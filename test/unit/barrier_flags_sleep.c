/* The tests of barrier_flags.c with every wait parking at once. */
#define ALWAYS_SLEEP 1
#include "barrier_flags.c"
