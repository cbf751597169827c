/* GOMP_* entry points that take counts, sizes and kinds, called as no compiler calls them: sections of 0 and of the
 * greatest count, empty and backward loops, taskloops with a huge number of tasks or grain, flags and names of cancel
 * constructs that do not exist. What libgomp does not survive is in entries_extreme.c.
 * limit: 60 */
#include "entries.h"
