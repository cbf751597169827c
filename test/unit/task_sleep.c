/* The tests of task.c with every wait parking at once, so that the eventcount, the region's door and wake-ups for tasks
   are all used. */
#define ALWAYS_SLEEP 1
#include "task.c"
