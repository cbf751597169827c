/* The tests of team.c with a tree in every team of two or more. */
#define LARGE_TEAMS 1
#include "team.c"
