/* The plan of a wait: what a thread that waits does next. A pure function of what is waited for, the facts, the limits
   that the user's settings or the defaults give, and how long the wait has lasted. The rules are in wait_plan.c; wait.c
   gathers the facts and acts. */
#pragma once

#include "base/atomic.h"

/* The kinds of waits. */
enum ghcomp_wait_kind {
    GHCOMP_WAIT_TEAM,    /* the join, a wait for tasks: other threads of the team work meanwhile */
    GHCOMP_WAIT_BARRIER, /* the same, and members wait for each other again and again */
    GHCOMP_WAIT_MAIL,    /* the next region: nothing is left to do */
    GHCOMP_WAIT_LOCK,    /* lock, critical: short */
    GHCOMP_WAIT_TURN,    /* ordered: like POST, but parks */
    GHCOMP_WAIT_SINK,    /* doacross: the same, and a late one does not show that yields are slow */
    GHCOMP_WAIT_POST,    /* what is waited for has no word to sleep on: never parks, naps instead */
    GHCOMP_WAIT_KINDS
};

/* Such a wait is for one certain thread, which hands over and then waits itself. */
static inline bool ghcomp_wait_hands_over(enum ghcomp_wait_kind kind)
{
    return kind == GHCOMP_WAIT_TURN || kind == GHCOMP_WAIT_SINK || kind == GHCOMP_WAIT_POST;
}

/* Such a wait is for members of the team, any of them. */
static inline bool ghcomp_wait_for_members(enum ghcomp_wait_kind kind)
{
    return kind == GHCOMP_WAIT_TEAM || kind == GHCOMP_WAIT_BARRIER;
}

/* The facts, a set of these. The *state* of the CPUs is the first of the first four that holds; else they are free.
   CROWD, NEW and FREE_WORKER matter beside neighbours only, EVERYWHERE and COLLECTING while the CPUs are contended,
   RETRY in the last two states. */
enum ghcomp_wait_fact {
    GHCOMP_FACT_YIELDS_COST = 1 << 0,     /* a recent yield of the thread's has cost a slice, or returned late */
    GHCOMP_FACT_CONTENDED = 1 << 1,       /* threads and busy Capabilities are more than the CPUs */
    GHCOMP_FACT_NEIGHBOURS = 1 << 2,      /* other processes compute on the CPUs */
    GHCOMP_FACT_OVERSUBSCRIBED = 1 << 3,  /* the process's threads are more than its CPUs */
    GHCOMP_FACT_LARGE_TEAM = 1 << 4,      /* the thread's team is larger than the machine */
    GHCOMP_FACT_SHARES = 1 << 5,          /* another thread of the process waited on this CPU a moment ago */
    GHCOMP_FACT_EVERYWHERE = 1 << 6,      /* as many Capabilities are busy as there are CPUs */
    GHCOMP_FACT_COLLECTING = 1 << 7,      /* a collection is running */
    GHCOMP_FACT_NEIGHBOUR_HERE = 1 << 8,  /* the thread has met one on its own CPU */
    GHCOMP_FACT_CROWD = 1 << 9,           /* several threads want each CPU */
    GHCOMP_FACT_NEW = 1 << 10,            /* the thread has waited a few times only */
    GHCOMP_FACT_FREE_WORKER = 1 << 11,    /* it is in no team */
    GHCOMP_FACT_UNRIPE = 1 << 12,         /* tasks are ready that it leaves to their makers */
    GHCOMP_FACT_CPU_SHARED = 1 << 13,     /* some threads of the process share a CPU */
    GHCOMP_FACT_POLITE = 1 << 14,         /* the thread waited for long a short time ago */
    GHCOMP_FACT_RETRY = 1 << 15           /* it began when all members try again to hand over without sleeps */
};

/* For a wait of that kind, in ns. UINT64_MAX: without an end. */
struct ghcomp_wait_limits {
    uint64_t free;           /* of spinning on a free CPU */
    uint64_t oversubscribed; /* of yielding when oversubscribed */
};

enum ghcomp_wait_action {
    GHCOMP_ACT_SPIN,     /* pauses, and a reading of the clock after a microsecond */
    GHCOMP_ACT_YIELD,    /* a yield, and a reading of the clock some yields later */
    GHCOMP_ACT_HAND_OVER, /* a yield whose length shows who had the CPU: a reading of the clock after each */
    GHCOMP_ACT_PARK,
    GHCOMP_ACT_NAP
};

struct ghcomp_wait_step {
    uint8_t action; /* enum ghcomp_wait_action */
    uint8_t yields; /* YIELD, HAND_OVER: so many more before the next plan */
    uint64_t from;  /* it is the plan for waits that have lasted so long ... */
    uint64_t until; /* ... and not yet so long; UINT64_MAX: it does not change by time alone */
};

/* Lengths that the plan's rules have, in ns. Where a thread shares a CPU with computing ones, what it costs to sleep is
   two switches and a wake-up, some 5 us, and what it costs others to spin is the time itself. */
enum {
    GHCOMP_PLAN_POLITE_NS = 20000,       /* on a free CPU: yields from here on; longer than any hand-over takes */
    GHCOMP_PLAN_CONTENDED_NS = 20000,    /* covers a short region, where a sleep would cost the master a Capability */
    GHCOMP_PLAN_COLLECTING_NS = 5000,    /* a collector that lacks a CPU holds up all of Haskell */
    GHCOMP_PLAN_HERE_NS = 50000,         /* beside a neighbour on the CPU: one wake-up */
    GHCOMP_PLAN_OTHER_NS = 6000000,      /* beside neighbours on other CPUs: longer than a slice of the kernel's */
    GHCOMP_PLAN_NEW_NS = 5000,           /* its CPU may be the one that the next thread, or its mate, is to run on */
    GHCOMP_PLAN_UNRIPE_NS = 30000,
    GHCOMP_PLAN_RETRY_NS = 2000000,      /* a round of fifty members' hand-overs by wake-ups, of 40 us each */
    GHCOMP_PLAN_RETRY_EVERY_NS = 20000000, /* a trap is left within this time */
    GHCOMP_PLAN_NAP_NS = 20000,          /* the first nap ... */
    GHCOMP_PLAN_NAPS_TO_LONGEST = 6,     /* ... which doubles this often */
    GHCOMP_PLAN_YIELDS = 3 /* more between readings of the clock: a yield takes a microsecond, a reading a tenth of
                              it */
};

/* In the order of their facts. */
enum ghcomp_wait_state {
    GHCOMP_STATE_YIELDS_COST,
    GHCOMP_STATE_CONTENDED,
    GHCOMP_STATE_NEIGHBOURS,
    GHCOMP_STATE_OVERSUBSCRIBED,
    GHCOMP_STATE_FREE,
    GHCOMP_STATES
};

/* How a rule spends its time; the last two yield from the start. */
enum ghcomp_wait_how {
    GHCOMP_HOW_SPIN,       /* never yields */
    GHCOMP_HOW_IF_SHARED,  /* yields where threads of the process share a CPU */
    GHCOMP_HOW_POLITELY,   /* the same, and after GHCOMP_PLAN_POLITE_NS; at once where it waited for long lately */
    GHCOMP_HOW_HAND_OVER,  /* yields to the thread on its CPU */
    GHCOMP_HOW_YIELD       /* yields to any thread of the process */
};

/* Which of the user's limits holds besides the rule's own; the lower one counts. */
enum ghcomp_wait_bound { GHCOMP_BOUND_NONE, GHCOMP_BOUND_SETTINGS, GHCOMP_BOUND_OVERSUBSCRIBED };

struct ghcomp_wait_rule {
    uint16_t when, unless; /* facts that must hold, and that must not */
    uint8_t kinds;         /* a set of kinds of waits */
    uint8_t how, bound;
    bool last;             /* of its state: holds always */
    uint64_t limit;        /* ns since the wait began */
};

enum { GHCOMP_WAIT_RULES = 6 /* of a state, at most */ };
extern const struct ghcomp_wait_rule ghcomp_wait_rules[GHCOMP_STATES][GHCOMP_WAIT_RULES] GHCOMP_OWN;

/* The first four facts have the states' numbers. */
static inline enum ghcomp_wait_state ghcomp_wait_state(uint32_t facts)
{
    return (enum ghcomp_wait_state)__builtin_ctz(facts | 1u << GHCOMP_STATE_FREE);
}

static inline const struct ghcomp_wait_rule *ghcomp_wait_rule(enum ghcomp_wait_kind kind, uint32_t facts)
{
    const struct ghcomp_wait_rule *rule = ghcomp_wait_rules[ghcomp_wait_state(facts)];
    while (!rule->last && ((facts & (rule->when | rule->unless)) != rule->when || !(rule->kinds & 1u << kind)))
        rule++;
    return rule;
}

static inline uint64_t ghcomp_wait_limit(const struct ghcomp_wait_rule *rule, uint32_t facts,
                                         const struct ghcomp_wait_limits *limits)
{
    if (rule->bound == GHCOMP_BOUND_NONE)
        return rule->limit;
    uint64_t settings = facts & GHCOMP_FACT_OVERSUBSCRIBED ? limits->oversubscribed : limits->free;
    if (rule->bound == GHCOMP_BOUND_OVERSUBSCRIBED && settings > limits->oversubscribed)
        settings = limits->oversubscribed;
    return rule->limit < settings ? rule->limit : settings;
}

/* After how long the rule's thread yields. */
static inline uint64_t ghcomp_wait_yields_from(const struct ghcomp_wait_rule *rule, uint32_t facts)
{
    if (rule->how >= GHCOMP_HOW_HAND_OVER || (rule->how != GHCOMP_HOW_SPIN && (facts & GHCOMP_FACT_CPU_SHARED)))
        return 0;
    return rule->how != GHCOMP_HOW_POLITELY ? UINT64_MAX : facts & GHCOMP_FACT_POLITE ? 0 : GHCOMP_PLAN_POLITE_NS;
}

static inline struct ghcomp_wait_step ghcomp_wait_sleep(enum ghcomp_wait_kind kind, uint64_t from)
{
    return (struct ghcomp_wait_step){.action = kind == GHCOMP_WAIT_POST ? GHCOMP_ACT_NAP : GHCOMP_ACT_PARK,
                                     .from = from,
                                     .until = UINT64_MAX};
}

static inline struct ghcomp_wait_step ghcomp_wait_plan(enum ghcomp_wait_kind kind, uint32_t facts,
                                                       const struct ghcomp_wait_limits *limits, uint64_t waited)
{
    const struct ghcomp_wait_rule *rule = ghcomp_wait_rule(kind, facts);
    uint64_t limit = ghcomp_wait_limit(rule, facts, limits);
    if (waited >= limit)
        return ghcomp_wait_sleep(kind, limit);
    uint64_t yields = ghcomp_wait_yields_from(rule, facts);
    if (waited < yields)
        return (struct ghcomp_wait_step){.action = GHCOMP_ACT_SPIN, .until = yields < limit ? yields : limit};
    bool several = rule->how == GHCOMP_HOW_YIELD && !ghcomp_wait_hands_over(kind);
    bool tells = rule->how >= GHCOMP_HOW_HAND_OVER;
    return (struct ghcomp_wait_step){.action = tells ? GHCOMP_ACT_HAND_OVER : GHCOMP_ACT_YIELD,
                                     .yields = several ? GHCOMP_PLAN_YIELDS : 0,
                                     .from = yields,
                                     .until = limit};
}

/* The length of the wait's next nap, after `naps` naps. */
static inline uint32_t ghcomp_wait_nap(uint32_t naps)
{
    return (uint32_t)GHCOMP_PLAN_NAP_NS << (naps < GHCOMP_PLAN_NAPS_TO_LONGEST ? naps : GHCOMP_PLAN_NAPS_TO_LONGEST);
}
