/* The tests of task_narrow.c with every wait parking at once, so that unripe tasks need a watch (task_team.c). */
#define ALWAYS_SLEEP 1
#include "task_narrow.c"
