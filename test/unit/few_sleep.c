/* The tests of few.c with every wait parking at once. */
#define ALWAYS_SLEEP 1
#include "few.c"
