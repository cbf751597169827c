/* The tests of pause.c with a tree in every team, and with every wait parking at once. */
#define LARGE_TEAMS 1
#define ALWAYS_SLEEP 1
#include "pause.c"
