/* The tests of barrier_policy.c with every wait parking at once.
   limit: 120 */
#define ALWAYS_SLEEP 1
#include "barrier_policy.c"
