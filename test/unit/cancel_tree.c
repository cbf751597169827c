/* The tests of cancel.c with a tree in every team of two or more. */
#define LARGE_TEAMS 1
#include "cancel.c"
