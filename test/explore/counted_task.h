/* A task that counts its runs, for harnesses in which a member leaves one in its deque. */
#pragma once

#include "core/task/task.h"

static unsigned ran; /* plain: ordered by what waits for the task, or read by a member that pauses between reads */

static void run(void *nothing)
{
    (void)nothing;
    ran++;
}

static void leave_task(struct ghcomp_member *self)
{
    ghcomp_task_submit(self, ghcomp_task_new(self, run, 8, 8, 0));
}
