/* The tests of pause.c with every wait parking at once: a member that comes back to a wait sleeps in it again. */
#define ALWAYS_SLEEP 1
#include "pause.c"
