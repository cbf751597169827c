/* Settings of this runtime that are not ICVs, as the environment gave them. The table of settings
 * (core/env/env_table.c) writes them; each field names the modules that read it. Covered by test/conformance/env
 * and test/scripts/environment.sh. */
#pragma once

#include "base/atomic.h"

/* GHCOMP_SHARE: to which masters an idle hot team may lend its workers (lend.c). */
enum ghcomp_share_mode { GHCOMP_SHARE_AUTO, GHCOMP_SHARE_STICKY, GHCOMP_SHARE_ALL };
/* GHCOMP_ADMISSION */
enum ghcomp_admission_mode { GHCOMP_ADMISSION_ON, GHCOMP_ADMISSION_OFF };
/* GHCOMP_FAVOUR */
enum ghcomp_favour { GHCOMP_FAVOUR_FAIR, GHCOMP_FAVOUR_HASKELL };
/* GHCOMP_TRACE */
enum ghcomp_trace_mode { GHCOMP_TRACE_WITH_LOG, GHCOMP_TRACE_OFF };
/* GHCOMP_TSAN */
enum ghcomp_tsan_mode { GHCOMP_TSAN_AUTO, GHCOMP_TSAN_OFF };
/* GHCOMP_COLLECTOR_THREADS */
enum ghcomp_collector { GHCOMP_COLLECTOR_ADAPT, GHCOMP_COLLECTOR_KEEP };
/* GHCOMP_BARRIER, GOMP_BARRIER_TYPE */
enum ghcomp_barrier_kind { GHCOMP_BARRIER_AUTO, GHCOMP_BARRIER_FLAT, GHCOMP_BARRIER_TREE };
/* KMP_FORCE_REDUCTION */
enum ghcomp_reduction { GHCOMP_REDUCTION_ANY, GHCOMP_REDUCTION_LOCK, GHCOMP_REDUCTION_ATOMIC, GHCOMP_REDUCTION_TREE };

enum ghcomp_kmp_affinity_type {
    GHCOMP_KMP_AFFINITY_OTHERS,   /* the OMP_* and GOMP_* variables decide */
    GHCOMP_KMP_AFFINITY_NONE,     /* threads are not bound */
    GHCOMP_KMP_AFFINITY_DISABLED, /* neither are they, and KMP_HW_SUBSET has no effect */
    GHCOMP_KMP_AFFINITY_COMPACT,  /* with `permute` */
    GHCOMP_KMP_AFFINITY_SCATTER,
    GHCOMP_KMP_AFFINITY_BALANCED,
    GHCOMP_KMP_AFFINITY_EXPLICIT  /* by the list */
};

/* The sizes of places. */
enum ghcomp_kmp_granularity {
    GHCOMP_KMP_CORE,
    GHCOMP_KMP_THREAD,
    GHCOMP_KMP_CACHE,
    GHCOMP_KMP_NODE,
    GHCOMP_KMP_SOCKET
};

/* KMP_AFFINITY. */
struct ghcomp_kmp_affinity {
    int type, granularity;
    uint32_t permute, offset;
    bool verbose;
    bool reset;   /* an initial thread has its own CPUs between its regions */
    bool noreset; /* it has not, even if it may be a thread of GHC's RTS */
    char *places; /* malloc'ed, of an explicit one: its list as OMP_PLACES would have it; else NULL */
};

/* KMP_HW_SUBSET: the levels of the machine, the outermost first. */
enum ghcomp_hw_level {
    GHCOMP_HW_SOCKET,
    GHCOMP_HW_NODE,
    GHCOMP_HW_CACHE,
    GHCOMP_HW_CORE,
    GHCOMP_HW_THREAD,
    GHCOMP_HW_LEVELS,
    GHCOMP_HW_OTHER = GHCOMP_HW_LEVELS /* one that libomp has and this runtime does not look for */
};

struct ghcomp_hw_subset {
    bool absolute;   /* the first level's parts are counted in the whole machine, not in each socket */
    bool attributes; /* a kind of core is asked for */
    bool other;      /* a level of GHCOMP_HW_OTHER is */
    /* Of each level: how many of each part of the level before it, and behind how many. */
    struct {
        bool given;
        uint32_t number; /* UINT32_MAX: all */
        uint32_t offset;
    } levels[GHCOMP_HW_LEVELS];
};

/* KMP_PLAIN_BARRIER and its kin: for gathering a team, and for releasing it. */
enum ghcomp_kmp_pattern {
    GHCOMP_PATTERN_LINEAR,
    GHCOMP_PATTERN_TREE,
    GHCOMP_PATTERN_HYPER,
    GHCOMP_PATTERN_HIERARCHICAL,
    GHCOMP_PATTERN_DIST
};
struct ghcomp_kmp_pair {
    uint8_t gather, release;
    bool given;
};
enum ghcomp_kmp_barrier { GHCOMP_KMP_FORKJOIN, GHCOMP_KMP_PLAIN, GHCOMP_KMP_REDUCTION, GHCOMP_KMP_BARRIERS };

/* OMP_TOOL */
enum ghcomp_tool_mode { GHCOMP_TOOL_ENABLED, GHCOMP_TOOL_DISABLED };

/* OMP_THREADS_RESERVE: how many threads of a contention group are kept for those that are no free agents, and for those
   that are. GHCOMP_RESERVED_ALL: all that there may be, less one for the other kind. */
#define GHCOMP_RESERVED_ALL UINT32_MAX
struct ghcomp_threads_reserve {
    uint32_t structured, agents;
};

/* The default format of omp_display_affinity. */
#define GHCOMP_AFFINITY_FORMAT "level %L thread %i affinity %A"

/* Immutable after ghcomp_env_init. Texts are copies; NULL = unset. */
/* All devices in their own order, or a selection of them. */
enum ghcomp_devices { GHCOMP_DEVICES_ALL, GHCOMP_DEVICES_SELECTED };

struct ghcomp_settings {
    char *host;                      /* GHCOMP_HOST: pool.c, host_select.c */
    char *places, *cpu_affinity;     /* OMP_PLACES, GOMP_CPU_AFFINITY, not parsed yet: affinity.c */
    struct ghcomp_kmp_affinity kmp_affinity; /* affinity.c, kmp_places.c ... */
    char *kmp_affinity_text;         /* ... and its text, for messages: affinity.c */
    struct ghcomp_hw_subset hw_subset;  /* KMP_HW_SUBSET, KMP_PLACE_THREADS: hw_subset.c ... */
    char *hw_subset_text;            /* ... and its text, for messages and the display */
    struct ghcomp_kmp_pair branches[GHCOMP_KMP_BARRIERS]; /* KMP_*_BARRIER: barrier_policy.c */
    struct ghcomp_kmp_pair patterns[GHCOMP_KMP_BARRIERS]; /* KMP_*_BARRIER_PATTERN: barrier_policy.c */
    char *affinity_format;           /* OMP_AFFINITY_FORMAT: affinity.c, display_affinity.c */
    int share;                       /* enum ghcomp_share_mode: cpu_account.c, team.c */
    int favour;                      /* enum ghcomp_favour: yield_to_haskell.c */
    int collector;                   /* enum ghcomp_collector: cpu_account.c */
    int admission;                   /* enum ghcomp_admission_mode: team.c */
    int trace;                       /* enum ghcomp_trace_mode: trace.c */
    int tsan;                        /* enum ghcomp_tsan_mode: races.c */
    int devices;                     /* enum ghcomp_devices: offload.c */
    int barrier;                     /* enum ghcomp_barrier_kind: barrier_policy.c */
    int tool;                        /* enum ghcomp_tool_mode: tool_load.c */
    char *tool_libraries;            /* OMP_TOOL_LIBRARIES: tool_load.c */
    char *tool_verbose;              /* OMP_TOOL_VERBOSE_INIT: tool_load.c */
    int force_reduction;             /* enum ghcomp_reduction: kmp_reduce.c */
    bool deterministic_reduction;    /* kmp_reduce.c */
    uint64_t taskloop_few;           /* KMP_TASKLOOP_MIN_TASKS, 0 = unset: taskloop.c */
    int teams_bind;                  /* KMP_TEAMS_PROC_BIND: enum ghcomp_bind, kmp_teams.c */
    bool task_throttling;            /* KMP_ENABLE_TASK_THROTTLING: task.c */
    struct ghcomp_threads_reserve reserved; /* OMP_THREADS_RESERVE: agents.c, team.c */
};
extern struct ghcomp_settings ghcomp_settings GHCOMP_OWN;
