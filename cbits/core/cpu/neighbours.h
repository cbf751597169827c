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
    _Atomic bool crowd;                         /* several threads want each CPU: GHCOMP_DEMAND_CROWD */
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

/* A polling thread was *away* if it was off its CPU for so long, because another thread ran there. */
enum { GHCOMP_AWAY_NS = 500000 };
/* Records that the calling thread was away. `oversubscribed`: the process has more threads awake than CPUs, so one of
   its own threads may have had the CPU. */
void ghcomp_neighbours_away(struct ghcomp_thread *thread, uint64_t now, bool oversubscribed);

/* Forgets the neighbours, so that the calling thread waits as if there were none; those that remain will be met
   again. */
static inline void ghcomp_neighbours_forget(struct ghcomp_thread *thread, uint64_t now)
{
    if (now < thread->wait.neighbours_until)
        thread->wait.neighbours_until = now;
    if (now < ghcomp_load_relaxed(&ghcomp_neighbours.until))
        ghcomp_store_relaxed(&ghcomp_neighbours.until, now);
}

/* In the child of fork(). */
void ghcomp_neighbours_fork_child(void);

/* Checks whether another thread of the process waits on the same CPU. If so, moves a worker to another CPU, or sets
   `ghcomp_cpu_load.shared`, which later calls clear. True: no other thread has waited here since the caller's last
   check. Called once in each wait, for the calling thread. `switches`: its waits follow each other so closely that two
   threads on one CPU do little but switch. */
bool ghcomp_neighbours_look(struct ghcomp_thread *thread, uint64_t now, bool switches);

/* Moves the calling worker, which shares its CPU with a team-mate and hands over to it at each iteration, to another
   CPU, although Haskell computes there. */
void ghcomp_neighbours_part(struct ghcomp_thread *thread, uint64_t now);
