/* The tests of large.c with every wait parking at once.
   limit: 120 */
#define ALWAYS_SLEEP 1
#include "large.c"
