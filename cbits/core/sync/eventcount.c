/* The eventcount of a team; see eventcount.h for what it is. All teams have one, whatever their barrier.
 *
 * The eventcount. A waiter loads the eventcount, looks at what it waits for, and sleeps only while the eventcount is as it was. To ring
 * is to change the number of rings (cas_acqrel) and to wake all, if bit 0 said that somebody sleeps. What a ring
 * announces was stored before it: a waiter that missed it loaded the eventcount before the ring, and its sleep fails, or set
 * bit 0 before the ring, and is woken. Rings are counted, not only the bit cleared: another waiter may set the bit
 * again, and the word would look as it did. Who announces something that others wait for without ringing must know
 * otherwise that nobody sleeps (the ring bit of a pending count, task.c).
 *
 * Called by the barriers, task_team.c, cancel.c and the task modules. Covered by
 * test/unit/{team,team_sleep,barrier_flags_sleep,task_sleep}.c.
 */
#include "core/sync/eventcount.h"

#include <limits.h>

void ghcomp_eventcount_notify(struct ghcomp_team *team)
{
    if (ghcomp_eventcount_advance(team, 0u) & 1u)
        ghcomp_os_wake(&team->barrier.eventcount, INT_MAX);
}
