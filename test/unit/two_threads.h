/* Two threads of a team for tests whose clock and CPUs are made up: a master and a worker with a past. Such a test
   includes core/cpu/{neighbours,wait}.c first. */
#pragma once

static struct ghcomp_thread threads[2];
static struct ghcomp_team team;

static void begin_with_two_threads(uint32_t size)
{
    memset(threads, 0, sizeof threads);
    memset(&team, 0, sizeof team);
    memset(last_waiter, 0, sizeof last_waiter);
    team.size = size;
    for (int i = 0; i < 2; i++) {
        threads[i].self.thread = &threads[i];
        threads[i].self.team = &team;
        threads[i].number = (uint32_t)i;
        threads[i].wait.looked = NEW_WAITS;
    }
}
