/* Other processes that compute on the CPUs that the team runs on, *neighbours*; and threads of the process that share a
 * CPU. All words are hints, load_relaxed and store_relaxed: nothing is ordered by them.
 *
 *   state          begins                                            ends
 *   neighbours     a waiting thread was *away*, and not because of   after MET_NS; met again within that time: twice as
 *                  threads of the process                            long, up to MET_MOST_NS; or at a retry (wait.c)
 *   crowd          several threads want each CPU                     at the next measurement, after CROWD_NS
 *   CPU shared     SHARED_LOOKS waits in a row found another         after SHARED_NS without such waits
 *                  thread on the CPU; beside Haskell one wait
 *   worker moved   MOVE_LOOKS such waits, and an idle CPU, or        after STAYS_NS; twice as long each time, up to
 *                  waits that do little but switch                   STAYS_MOST_NS
 *   move refused   the same, and neither, or a crowd                 after ASK_NS; twice as long each time, up to
 *                                                                    ASK_MOST_NS
 *
 * Called by wait.c. Covered by test/unit/{neighbours,shared_cpu,parting}.c; measured by bench/neighbours.py.
 */
#include "core/cpu/neighbours.h"

#include "core/cpu/cpu_load.h"
#include "core/cpu/wait_settings.h"
#include "host/os.h"

enum {
    CPUS_KEPT = 256,           /* words for CPUs: the CPU's number modulo this */
    SHARED_LOOKS = 4,          /* waits of a thread in a row that find another thread on its CPU */
    MOVE_LOOKS = 2,            /* the same, before a worker moves */
    MET_NS = 200000000,        /* for how long neighbours are assumed at first ... */
    MET_MOST_NS = 1600000000,  /* ... and at most */
    SHARED_NS = 5000000,       /* for how long a CPU is assumed to be shared */
    STAYS_NS = 5000000,        /* for how long a worker that has moved stays at first ... */
    STAYS_MOST_NS = 20000000,  /* ... and at most; also after a move that its mask did not allow */
    ASK_NS = 1000000,          /* after how long a worker that found no idle CPU checks again at first ... */
    ASK_MOST_NS = 4000000,     /* ... and at most */
    BLINDLY_NS = 100000000,    /* between moves while it is unknown whether the process's CPUs are idle */
    CROWD_NS = 20000000,       /* the least time between two measurements of `crowd` */
    SHARE_LEAST_NS = 4000000,  /* the least time over which the process's share of the CPUs is measured ... */
    SHARE_MOST_NS = 100000000, /* ... and at most this */
    IDLE_LEAST_NS = 50000000,  /* the same for the sum of its share and the idle time ... */
    IDLE_MOST_NS = 1000000000, /* ... and the longest, after which the measurement starts again */
    IDLE_UNIT_NS = 10000000    /* the resolution of the idle time */
};

struct ghcomp_neighbours ghcomp_neighbours;

/* The thread that waited last on a CPU: some bits of its struct's address. */
static struct {
    _Atomic uint32_t thread GHCOMP_ALIGNED;
} last_waiter[CPUS_KEPT];

/* The process's CPU time and the clock when a thread was last away. `longer` has the same from an earlier time, with
   the machine's idle time, and whether other processes had CPUs then. Guarded by `busy` (xchg_acqrel, store_release); a
   thread that finds it set measures nothing. */
static struct {
    _Atomic bool busy;
    uint64_t cpu_time, clock;
    struct {
        uint64_t cpu_time, clock, idle;
        bool lacked;
    } longer;
} share;

static bool clearly_less(uint64_t cpu_time, uint64_t passed)
{
    return cpu_time < passed * ghcomp_cpu_load.cpus / 8 * 7;
}

/* Whether other processes, and not idleness, had the CPUs that the process lacked. False until there are two
   measurements. The kernel counts idle time in hundredths of a second, so it is measured over a longer time. If the
   process may not use all CPUs, the idle time of its own ones is unknown, and the CPUs that it lacks count as taken. */
static bool others_had_it(uint64_t now, uint64_t cpu_time)
{
    uint64_t passed = now - share.longer.clock, idle;
    if (passed < IDLE_LEAST_NS)
        return share.longer.lacked;
    if (!ghcomp_os_idle_time(&idle))
        return true;
    uint64_t ours_or_idle = cpu_time - share.longer.cpu_time + idle - share.longer.idle + IDLE_UNIT_NS;
    share.longer.lacked = passed <= IDLE_MOST_NS && clearly_less(ours_or_idle, passed);
    share.longer.cpu_time = cpu_time;
    share.longer.idle = idle;
    share.longer.clock = now;
    return share.longer.lacked;
}

/* Whether other processes clearly had a part of the CPUs since a thread was away before, by the process's CPU time:
   without neighbours it gets all CPUs, unless its threads sleep. */
static bool lacked_cpus(uint64_t now)
{
    if (ghcomp_xchg_acqrel(&share.busy, true))
        return false;
    bool lacked = false;
    uint64_t passed = now - share.clock;
    if (passed >= SHARE_LEAST_NS) {
        uint64_t cpu_time = ghcomp_os_cpu_time();
        lacked = passed <= SHARE_MOST_NS && clearly_less(cpu_time - share.cpu_time, passed) &&
                 others_had_it(now, cpu_time);
        share.cpu_time = cpu_time;
        share.clock = now;
    }
    ghcomp_store_release(&share.busy, false);
    return lacked;
}

/* Measures `crowd`, unless that was done a short time ago. Several threads may measure at once; the last store counts.
   While few threads compete, a waiter that has met no neighbour spins for longer than a slice: its team-mate has a CPU,
   or soon will. Where several threads want each CPU, of other processes or of this one outside of regions (threads that
   spin on a lock of a library's), the team-mate may well have none, and such a waiter keeps it off its own. So in a
   crowd every waiter sleeps soon; when it is woken, the kernel prefers it to threads that compute. */
static void look_for_crowd(uint64_t now)
{
    if (now - ghcomp_load_relaxed(&ghcomp_neighbours.counted_at) < CROWD_NS)
        return;
    ghcomp_store_relaxed(&ghcomp_neighbours.counted_at, now);
    ghcomp_store_relaxed(&ghcomp_neighbours.crowd, ghcomp_os_demand() == GHCOMP_DEMAND_CROWD);
}

/* A waiting thread polls and reads the clock once in a microsecond. If more than GHCOMP_AWAY_NS lie between two
   readings, in which it has at most yielded, another thread had its CPU: a neighbour, unless the process has more
   threads awake than CPUs; then the process's share of the CPUs decides. Sleeps and naps of the waiter, and tasks that
   it runs while it waits, are no evidence: loops that run tasks start their spin anew after each.

   A thread that yields beside a neighbour forfeits its slice: the neighbour runs for some milliseconds, and then the
   thread that was waited for yields in its turn. A thread that sleeps instead keeps its claim, and preempts the
   neighbour when it is woken. So for MET_NS no thread yields. Then the next long wait yields again, and finds out
   whether the neighbours are gone, at the cost of one slice. */
void ghcomp_neighbours_away(struct ghcomp_thread *thread, uint64_t now, bool oversubscribed)
{
    if (!ghcomp_wait_policy_is_default())
        return; /* the user has set how to wait */
    if (oversubscribed && !lacked_cpus(now))
        return;
    look_for_crowd(now);
    struct ghcomp_thread_waits *wait = &thread->wait;
    if (now >= wait->neighbours_until) {
        bool again = wait->neighbours_for != 0 && now - wait->neighbours_until < wait->neighbours_for;
        uint64_t longer = again ? 2 * wait->neighbours_for : MET_NS;
        wait->neighbours_for = longer < MET_MOST_NS ? longer : MET_MOST_NS;
    }
    wait->neighbours_until = now + wait->neighbours_for;
    thread->clocks.met = now;
    if (now >= ghcomp_load_relaxed(&ghcomp_neighbours.until))
        ghcomp_store_relaxed(&ghcomp_neighbours.until, wait->neighbours_until);
}

/* Resets `share`: the thread that had it may not exist in the child, whose CPU time begins at 0. */
void ghcomp_neighbours_fork_child(void)
{
    ghcomp_store_relaxed(&share.busy, false);
    share.cpu_time = share.clock = share.longer.clock = 0;
    share.longer.lacked = false;
}

/* Records that the worker does not move, and when it checks again. */
static void refuse(struct ghcomp_thread_waits *wait, uint64_t now, uint64_t again_in)
{
    wait->asks_again = now + again_in;
    wait->asks_in = again_in;
}

/* Called after the worker has moved to a CPU where other processes compute: its mates will wait while those have it,
   and should not sleep, or the kernel would bring the worker back to an idle CPU. If some CPU has no neighbour
   (GHCOMP_DEMAND_SOME), it is the one that the worker has left to a mate: what was met there earlier is over, and
   neighbours met before `parted` count as being on other CPUs. */
static void joined_neighbours(uint64_t now, enum ghcomp_demand demand)
{
    if (now >= ghcomp_load_relaxed(&ghcomp_neighbours.until))
        ghcomp_store_relaxed(&ghcomp_neighbours.until, now + STAYS_MOST_NS);
    if (demand == GHCOMP_DEMAND_SOME)
        ghcomp_store_relaxed(&ghcomp_neighbours.parted, now);
    if (ghcomp_load_relaxed(&ghcomp_cpu_load.shared))
        ghcomp_store_relaxed(&ghcomp_cpu_load.shared, false); /* a yield beside a neighbour would cost a slice */
}

/* Whether the worker may move now: to an idle CPU, or, if it and its mate do little but switch, to any CPU (*joins;
   *demand: how many compete there), because half of a second CPU is worth more than half of this one. Beside a
   neighbour that computes, a worker that does more would wait for that one's slices. A check takes some 20 us.

   If the process may not use all CPUs of the machine, the idle ones may be others than its own, and while neighbours
   are assumed it moves *blindly*, once in BLINDLY_NS at most: a needless move costs a slice. A team that is larger than
   the machine does not check, since its own threads are more than the CPUs. (While some of them sleep the process has
   enough CPUs, and its threads may still be 3 to 1 on two.) */
static bool may_move(struct ghcomp_thread_waits *wait, uint64_t now, bool switches, bool *joins,
                     enum ghcomp_demand *demand)
{
    *joins = false;
    bool blindly = now - wait->moved >= BLINDLY_NS || now >= ghcomp_load_relaxed(&ghcomp_neighbours.until);
    if (wait->large_team && blindly)
        return true;
    *demand = wait->large_team ? GHCOMP_DEMAND_CROWD : ghcomp_os_demand();
    if (*demand == GHCOMP_DEMAND_LOW && (blindly || ghcomp_os_has_all_cpus()))
        return true;
    *joins = *demand != GHCOMP_DEMAND_CROWD && switches;
    if (*joins)
        return true;
    uint64_t longer = 2 * wait->asks_in;
    refuse(wait, now, longer < ASK_NS ? ASK_NS : longer < ASK_MOST_NS ? longer : ASK_MOST_NS);
    return false;
}

/* Whether a thread that shares its CPU is one of those that move. */
static inline bool is_mobile(const struct ghcomp_thread *thread)
{
    return thread->number != 0 && !ghcomp_cpu_load_oversubscribed() && !ghcomp_load_relaxed(&ghcomp_cpu_load.contended);
}

/* Moves such a worker to another CPU, unless it has moved or checked a short time ago. True: it has moved. The kernel
   starts a thread on its maker's CPU as readily as on an idle one, and leaves threads that hand over by yielding
   together for tens of milliseconds. It may bring the worker back, and a neighbour may run just when the worker checks:
   how long a worker stays, and when one that was refused checks again, bound how long two threads share a CPU beside an
   idle one. */
static __attribute__((noinline)) bool moves(struct ghcomp_thread *thread, uint64_t now, bool switches)
{
    struct ghcomp_thread_waits *wait = &thread->wait;
    uint64_t since = now - wait->moved;
    bool joins;
    enum ghcomp_demand demand;
    if (since < wait->stays || now < wait->asks_again || !may_move(wait, now, switches, &joins, &demand))
        return false;
    if (!ghcomp_os_leave_cpu()) {
        refuse(wait, now, STAYS_MOST_NS);
        return false;
    }
    if (joins)
        joined_neighbours(now, demand);
    uint64_t longer = since < 2 * wait->stays ? 2 * wait->stays : STAYS_NS;
    wait->stays = longer < STAYS_MOST_NS ? longer : STAYS_MOST_NS;
    wait->moved = now;
    wait->asks_in = 0;
    return true;
}

/* Neighbours on other CPUs may leave one to a whole team. Its threads then hand over by yielding, and should do so at
   once, as in a process with more threads than CPUs. Each CPU has a word for the thread that waited there last; a
   worker that leaves clears it. */
bool ghcomp_neighbours_look(struct ghcomp_thread *thread, uint64_t now, bool switches)
{
    _Atomic uint32_t *last = &last_waiter[(uint32_t)ghcomp_os_cpu() % CPUS_KEPT].thread;
    uint32_t own = (uint32_t)((uintptr_t)thread / GHCOMP_CACHE_LINE) | 1u, before = ghcomp_load_relaxed(last);
    if (before != own)
        ghcomp_store_relaxed(last, own);
    uint32_t *looks = &thread->wait.shared_looks;
    if (before == own || before == 0) {
        *looks = 0;
    } else {
        ++*looks;
        thread->wait.shares_until = now + SHARED_NS;
    }
    if (*looks >= MOVE_LOOKS && is_mobile(thread) && moves(thread, now, switches)) {
        *looks = 0;
        ghcomp_store_relaxed(last, 0u);
    } else if (*looks >= SHARED_LOOKS) {
        *looks = 0;
        ghcomp_store_relaxed(&ghcomp_neighbours.cpu_shared_until, now + SHARED_NS);
        if (!ghcomp_load_relaxed(&ghcomp_cpu_load.shared))
            ghcomp_store_relaxed(&ghcomp_cpu_load.shared, true);
        return false;
    }
    if (ghcomp_load_relaxed(&ghcomp_cpu_load.shared) && now > ghcomp_load_relaxed(&ghcomp_neighbours.cpu_shared_until))
        ghcomp_store_relaxed(&ghcomp_cpu_load.shared, false);
    return before == own;
}

/* Once in STAYS_NS at most, since the kernel may bring the worker back. */
void ghcomp_neighbours_part(struct ghcomp_thread *thread, uint64_t now)
{
    struct ghcomp_thread_waits *wait = &thread->wait;
    if (thread->number == 0 || now - wait->moved < STAYS_NS || now < wait->asks_again)
        return;
    if (!ghcomp_os_leave_cpu()) {
        refuse(wait, now, STAYS_NS);
        return;
    }
    wait->moved = now;
    wait->shares_until = 0;
    wait->shared_looks = 0;
}
