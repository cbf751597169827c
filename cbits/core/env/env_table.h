/* The table of settings: one row for each environment variable that the runtime reads.
 *
 * The order of the rows is the order of OMP_DISPLAY_ENV's lines and of docs/reference/environment.md (tools/envdoc.c),
 * which are both made from them. A row's parser writes where the row's `value` points: into ghcomp_env, from which
 * env.c sets the ICVs (several variables may concern one ICV), or into ghcomp_settings, which the rest of the runtime
 * reads as it is.
 */
#pragma once

#include <stdio.h>

#include "core/env/env_parse.h"
#include "core/env/env_parse_kmp.h"
#include "core/state/settings.h"

/* OMP_ALLOCATOR, and its text for the display. */
struct ghcomp_env_named_allocator {
    struct ghcomp_env_allocator is;
    char *text;
};

/* The environment's values of ICVs, before env.c combines them. Immutable after ghcomp_env_init. */
enum ghcomp_library { GHCOMP_LIBRARY_THROUGHPUT, GHCOMP_LIBRARY_TURNAROUND, GHCOMP_LIBRARY_SERIAL };

struct ghcomp_env {
    bool dynamic, nested, cancel, display_affinity, debug;
    struct ghcomp_env_list num_threads;
    struct ghcomp_env_list proc_bind;       /* enum ghcomp_bind */
    struct ghcomp_env_schedule schedule;
    struct ghcomp_env_named_allocator allocator;
    size_t stacksize;
    int wait_policy, target_offload, display_env;
    uint64_t thread_limit, max_active_levels, num_teams, teams_thread_limit, default_device, max_task_priority;
    uint64_t spincount;
    uint64_t blocktime;                     /* ns */
    size_t kmp_stacksize;
    int library;                            /* enum ghcomp_library */
    uint64_t league_threads, device_threads;
    bool kmp_settings, kmp_version, kmp_warnings;
    int ignore_quota;                       /* GHCOMP_CPU_QUOTA=ignore, for cgroup.c */
};
extern struct ghcomp_env ghcomp_env;

enum ghcomp_setting_id {
    GHCOMP_SET_DYNAMIC,
    GHCOMP_SET_NESTED,
    GHCOMP_SET_NUM_THREADS,
    GHCOMP_SET_SCHEDULE,
    GHCOMP_SET_PROC_BIND,
    GHCOMP_SET_PLACES,
    GHCOMP_SET_STACKSIZE,
    GHCOMP_SET_WAIT_POLICY,
    GHCOMP_SET_THREAD_LIMIT,
    GHCOMP_SET_MAX_ACTIVE_LEVELS,
    GHCOMP_SET_NUM_TEAMS,
    GHCOMP_SET_TEAMS_THREAD_LIMIT,
    GHCOMP_SET_THREADS_RESERVE,
    GHCOMP_SET_CANCELLATION,
    GHCOMP_SET_AVAILABLE_DEVICES,
    GHCOMP_SET_DEFAULT_DEVICE,
    GHCOMP_SET_MAX_TASK_PRIORITY,
    GHCOMP_SET_DISPLAY_AFFINITY,
    GHCOMP_SET_AFFINITY_FORMAT,
    GHCOMP_SET_ALLOCATOR,
    GHCOMP_SET_TARGET_OFFLOAD,
    GHCOMP_SET_TOOL,
    GHCOMP_SET_TOOL_LIBRARIES,
    GHCOMP_SET_TOOL_VERBOSE_INIT,
    GHCOMP_SET_DISPLAY_ENV,
    GHCOMP_SET_CPU_AFFINITY,
    GHCOMP_SET_SPINCOUNT,
    GHCOMP_SET_DEBUG,
    GHCOMP_SET_HOST,
    GHCOMP_SET_CPU_QUOTA,
    GHCOMP_SET_SHARE,
    GHCOMP_SET_ADMISSION,
    GHCOMP_SET_FAVOUR,
    GHCOMP_SET_COLLECTOR_THREADS,
    GHCOMP_SET_TRACE,
    GHCOMP_SET_TSAN,
    GHCOMP_SET_BARRIER,
    GHCOMP_SET_KMP_FORKJOIN_BARRIER,
    GHCOMP_SET_KMP_FORKJOIN_BARRIER_PATTERN,
    GHCOMP_SET_KMP_PLAIN_BARRIER,
    GHCOMP_SET_KMP_PLAIN_BARRIER_PATTERN,
    GHCOMP_SET_KMP_REDUCTION_BARRIER,
    GHCOMP_SET_KMP_REDUCTION_BARRIER_PATTERN,
    GHCOMP_SET_KMP_HW_SUBSET,
    GHCOMP_SET_KMP_AFFINITY,
    GHCOMP_SET_KMP_BLOCKTIME,
    GHCOMP_SET_KMP_LIBRARY,
    GHCOMP_SET_KMP_STACKSIZE,
    GHCOMP_SET_KMP_DEVICE_THREAD_LIMIT,
    GHCOMP_SET_KMP_TEAMS_THREAD_LIMIT,
    GHCOMP_SET_KMP_TEAMS_PROC_BIND,
    GHCOMP_SET_KMP_FORCE_REDUCTION,
    GHCOMP_SET_KMP_DETERMINISTIC_REDUCTION,
    GHCOMP_SET_KMP_ENABLE_TASK_THROTTLING,
    GHCOMP_SET_KMP_TASKLOOP_MIN_TASKS,
    GHCOMP_SET_KMP_SETTINGS,
    GHCOMP_SET_KMP_VERSION,
    GHCOMP_SET_KMP_WARNINGS,
    GHCOMP_SETTINGS
};

enum ghcomp_setting_scope {
    GHCOMP_SCOPE_TASK,   /* an ICV of the data environment: each task has its own */
    GHCOMP_SCOPE_DEVICE, /* an ICV of the device, here the host */
    GHCOMP_SCOPE_GLOBAL, /* an ICV of the program */
    GHCOMP_SCOPE_RUNTIME /* no ICV: a setting of this runtime or of libgomp */
};

enum ghcomp_setting_show { GHCOMP_SHOW_ALWAYS, GHCOMP_SHOW_VERBOSE, GHCOMP_SHOW_NEVER };

struct ghcomp_setting;
typedef void ghcomp_setting_printer(const struct ghcomp_setting *row, const void *value, FILE *out);

struct ghcomp_setting {
    const char *name;
    const char *alias;    /* another name of the same setting, read when `name` is not set; or NULL */
    enum ghcomp_setting_scope scope;
    enum ghcomp_setting_show shown;
    /* Parses the text; `into` is the row's value, or one of a device. */
    bool (*parse)(const struct ghcomp_setting *row, const char *text, void *into);
    void *value;          /* in ghcomp_env or ghcomp_settings */
    uint64_t low, high;   /* bounds of a number, `low` also of a size */
    bool clip;            /* a greater number counts as `high` */
    const struct ghcomp_env_word *words;
    /* Prints the value in force, without the quotes; `value` is the row's. */
    ghcomp_setting_printer *print;
    /* Prints a value from NAME_ALL, NAME_DEV or NAME_DEV_n; NULL: the display omits these. */
    ghcomp_setting_printer *print_device;
    bool all;             /* the display marks the row [all], not [host]: devices have no value of their own */
    /* Warns of a text of the variable `name` that `parse` has refused; NULL: env_read.c warns. `expects` is the row's
       without backquotes, `instead` the variable that counts, or the default. */
    void (*warn)(const struct ghcomp_setting *row, const char *name, const char *text, const char *expects,
                 const char *instead);
    const char *expects;  /* the accepted values, for messages and documentation */
    const char *fallback; /* the default, for messages and documentation */
    const char *doc;      /* one sentence or two */
};
extern const struct ghcomp_setting ghcomp_setting_table[GHCOMP_SETTINGS];

/* NAME_ALL, NAME_DEV and NAME_DEV_n exist for the settings that are ICVs of a task or of a device. */
static inline bool ghcomp_setting_has_device_forms(const struct ghcomp_setting *row)
{
    return row->scope == GHCOMP_SCOPE_TASK || row->scope == GHCOMP_SCOPE_DEVICE;
}

/* A good value of NAME_ALL, NAME_DEV or NAME_DEV_n, for the display: there is no device that would use it. A list in
 * the environment's order, immutable after ghcomp_env_init. */
struct ghcomp_device_setting {
    struct ghcomp_device_setting *next;
    const struct ghcomp_setting *row;
    char device[12]; /* "all", "device" or n: what the display puts in brackets */
    union {
        bool truth;
        int word;
        uint64_t number;
        size_t size;
        char *string;
        struct ghcomp_env_list list;
        struct ghcomp_env_schedule schedule;
        struct ghcomp_env_named_allocator allocator;
    } value; /* what row->parse writes */
};
extern struct ghcomp_device_setting *ghcomp_device_settings;

/* In env_show.c: print what KMP_SETTINGS and KMP_VERSION ask for, on stderr. */
void ghcomp_env_display_kmp(void);
void ghcomp_env_display_version(void);

/* In env_read.c: whether the setting has a good value from the environment or a call. Valid after ghcomp_env_init. */
bool ghcomp_env_given(enum ghcomp_setting_id id);
