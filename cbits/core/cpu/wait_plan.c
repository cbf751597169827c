/* The rules of waits. The state of the CPUs names a part of the table, and the first rule there whose facts hold
 * applies: the thread spins or yields until the wait has lasted as long as the rule allows, and then parks, or naps
 * where there is nothing to park on. So each wait ends in a sleep, whatever priorities threads have, unless the user
 * has asked for waits without an end. Called by wait.c. Covered by test/unit/wait_plan.c: each rule and each limit. */
#include "core/cpu/wait_plan.h"

#define FACT(name) GHCOMP_FACT_##name
#define STATE(name) GHCOMP_STATE_##name
#define HOW(name) GHCOMP_HOW_##name
#define BOUND(name) GHCOMP_BOUND_##name
#define NS(name) GHCOMP_PLAN_##name##_NS
#define KIND(name) (1u << GHCOMP_WAIT_##name)
enum {
    ALL = (1u << GHCOMP_WAIT_KINDS) - 1,
    MEMBERS = KIND(TEAM) | KIND(BARRIER),
    HANDED_OVER = KIND(TURN) | KIND(SINK) | KIND(POST),
    AGAIN_AND_AGAIN = KIND(BARRIER) | HANDED_OVER
};

const struct ghcomp_wait_rule ghcomp_wait_rules[GHCOMP_STATES][GHCOMP_WAIT_RULES] = {
    [STATE(YIELDS_COST)] = {
        /* A slice, each time: a thread that is woken preempts those that compute. */
        {.kinds = ALL, .how = HOW(SPIN), .limit = 0, .last = true},
    },
    /* The kernel returns to a thread that has yielded to computing Haskell only after milliseconds. */
    [STATE(CONTENDED)] = {
        /* Two threads that wait for each other in each iteration would pay a sleep and a wake-up each time; Haskell has
           another CPU. */
        {.when = FACT(SHARES), .unless = FACT(LARGE_TEAM) | FACT(EVERYWHERE), .kinds = AGAIN_AND_AGAIN,
         .how = HOW(HAND_OVER), .limit = UINT64_MAX, .bound = BOUND(OVERSUBSCRIBED)},
        /* The mate on this CPU can only run when the thread is off it; at a region's end it may have long to go. */
        {.when = FACT(SHARES), .kinds = ALL, .how = HOW(SPIN), .limit = 0},
        /* Its members are too many to spin for each other. */
        {.when = FACT(LARGE_TEAM), .kinds = ALL, .how = HOW(SPIN), .limit = 0},
        {.when = FACT(COLLECTING), .kinds = ALL, .how = HOW(SPIN), .limit = NS(COLLECTING), .bound = BOUND(SETTINGS)},
        {.kinds = ALL, .how = HOW(SPIN), .limit = NS(CONTENDED), .bound = BOUND(SETTINGS), .last = true},
    },
    /* A thread that yields forfeits its slice to them; one that sleeps preempts them when it is woken. No limit of the
       user's: where one is set no neighbours are assumed. */
    [STATE(NEIGHBOURS)] = {
        {.when = FACT(OVERSUBSCRIBED), .kinds = ALL, .how = HOW(SPIN), .limit = 0},
        {.when = FACT(LARGE_TEAM), .kinds = ALL, .how = HOW(SPIN), .limit = 0},
        /* It could have met none yet, ... */
        {.when = FACT(NEW), .kinds = ALL, .how = HOW(IF_SHARED), .limit = NS(NEW)},
        /* ... or has no team-mate. */
        {.when = FACT(FREE_WORKER), .kinds = KIND(MAIL), .how = HOW(IF_SHARED), .limit = NS(NEW)},
        /* The thread keeps a CPU without neighbours while a team-mate may have lost its own, unless mates are as likely
           off as not. */
        {.unless = FACT(NEIGHBOUR_HERE) | FACT(CROWD), .kinds = ALL & ~KIND(LOCK), .how = HOW(IF_SHARED),
         .limit = NS(OTHER)},
        {.kinds = ALL, .how = HOW(IF_SHARED), .limit = NS(HERE), .last = true},
    },
    [STATE(OVERSUBSCRIBED)] = {
        /* One member of the team watches unripe tasks, and the others need not. */
        {.when = FACT(UNRIPE), .kinds = MEMBERS, .how = HOW(YIELD), .limit = NS(UNRIPE), .bound = BOUND(SETTINGS)},
        /* Where each hand-over is a wake-up, a large team's round takes longer than the settings' limit, so that all
           sleep again. They yield again when all of them wait for longer at the same time. */
        {.when = FACT(RETRY), .kinds = HANDED_OVER, .how = HOW(YIELD), .limit = NS(RETRY)},
        {.kinds = ALL, .how = HOW(YIELD), .limit = UINT64_MAX, .bound = BOUND(SETTINGS), .last = true},
    },
    [STATE(FREE)] = {
        {.when = FACT(RETRY), .kinds = HANDED_OVER, .how = HOW(POLITELY), .limit = NS(RETRY)}, /* as above */
        /* The CPU may be wanted by others, or by the very thread that is waited for. */
        {.kinds = ALL, .how = HOW(POLITELY), .limit = UINT64_MAX, .bound = BOUND(SETTINGS), .last = true},
    },
};

_Static_assert(FACT(YIELDS_COST) == 1 << STATE(YIELDS_COST) && FACT(CONTENDED) == 1 << STATE(CONTENDED) &&
                   FACT(NEIGHBOURS) == 1 << STATE(NEIGHBOURS) &&
                   FACT(OVERSUBSCRIBED) == 1 << STATE(OVERSUBSCRIBED),
               "see ghcomp_wait_state");
