/* Other processes that compute on the CPUs that the team runs on. Protocol: neighbours.c. */
#pragma once

#include "core/state/types.h"

/* atomic(relaxed), hints. */
struct ghcomp_neighbours {
    _Atomic uint64_t until GHCOMP_ALIGNED_PAIR; /* clock: until then neighbours are assumed on some CPU */
    _Atomic uint64_t parted;                    /* clock: when a worker left its CPU to a mate, and went to one where
                                                   others compute */
    _Atomic uint64_t cpu_shared_until;          /* clock: for how long `ghcomp_cpu_load.shared` holds at least */
    _Atomic uint64_t counted_at;                /* clock: when `crowd` was decided */
    _Atomic bool crowd;                         /* they are many: GHCOMP_DEMAND_CROWD */
};
extern struct ghcomp_neighbours ghcomp_neighbours;

enum ghcomp_neighbourhood {
    GHCOMP_NEIGHBOURS_NONE,  /* none is known */
    GHCOMP_NEIGHBOURS_OTHER, /* they are on other CPUs than the thread's */
    GHCOMP_NEIGHBOURS_HERE   /* the thread has met one */
};
/* Own thread; `now` is ghcomp_os_now(). */
static inline enum ghcomp_neighbourhood ghcomp_neighbours_at(const struct ghcomp_thread *thread, uint64_t now)
{
    if (ghcomp_likely(now >= ghcomp_load_relaxed(&ghcomp_neighbours.until)))
        return GHCOMP_NEIGHBOURS_NONE;
    return now < thread->wait.neighbours_until && thread->clocks.met >= ghcomp_load_relaxed(&ghcomp_neighbours.parted)
               ? GHCOMP_NEIGHBOURS_HERE
               : GHCOMP_NEIGHBOURS_OTHER;
}

/* A thread that waits and polls was *away* if it was not on a CPU for that long: another thread was. */
enum { GHCOMP_AWAY_NS = 500000 };
/* The thread was away. `oversubscribed`: the process has more threads awake than CPUs, so it may have been one of them
   that was on the CPU. Own thread. */
void ghcomp_neighbours_away(struct ghcomp_thread *thread, uint64_t now, bool oversubscribed);

/* The thread tries again to wait as if there were none: those that are still there will be met again. Own thread. */
static inline void ghcomp_neighbours_forget(struct ghcomp_thread *thread, uint64_t now)
{
    if (now < thread->wait.neighbours_until)
        thread->wait.neighbours_until = now;
    if (now < ghcomp_load_relaxed(&ghcomp_neighbours.until))
        ghcomp_store_relaxed(&ghcomp_neighbours.until, now);
}

/* In the child of fork(). */
void ghcomp_neighbours_fork_child(void);

/* Checks whether another thread of the process waits on the same CPU: then a worker moves to another one, or
   `ghcomp_cpu_load.shared` is set. Clears it later. True: no other thread has waited there since this one's last check.
   Own thread, once in a wait. `switches`: its waits follow each other so closely that two threads which hand over on
   one CPU do little but switch. */
bool ghcomp_neighbours_look(struct ghcomp_thread *thread, uint64_t now, bool switches);

/* A worker that shares its CPU with a team-mate, to which it hands over at each iteration, moves to another CPU, though
   Haskell computes there. Own thread. */
void ghcomp_neighbours_part(struct ghcomp_thread *thread, uint64_t now);
