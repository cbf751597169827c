/* The tests of team.c with every wait parking at once, so that each hand-over, barrier and join uses the futex words
   and the wake-up chains. */
#define ALWAYS_SLEEP 1
#include "team.c"
