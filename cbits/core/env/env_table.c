/* The rows of the table of settings, and the words that each accepts; env_table.h describes the columns. Used by env.c,
 * env_show.c and tools/envdoc.c. Covered by test/conformance/env and test/scripts/environment.sh (a bad value for every
 * row). */
#include "core/env/env_table.h"

#include <limits.h>
#include <stddef.h>

#include "core/env/env_show.h"
#include "core/env/env_take.h"
#include "core/state/icv.h"
#include "core/team/barrier_policy.h"

struct ghcomp_env ghcomp_env = {.kmp_warnings = true};
struct ghcomp_settings ghcomp_settings = {.task_throttling = true, .reserved = {1, 0},
    .teams_bind = GHCOMP_BIND_SPREAD,
    .branches = {{2, 2}, {2, 2}, {1, 1}}, /* libomp's, for the display */
    .patterns = {{GHCOMP_PATTERN_HYPER, GHCOMP_PATTERN_HYPER}, {GHCOMP_PATTERN_HYPER, GHCOMP_PATTERN_HYPER},
                 {GHCOMP_PATTERN_HYPER, GHCOMP_PATTERN_HYPER}}};

/* --- words -------------------------------------------------------------------------------------------------------- */

/* The last three are libomp's. */
static const struct ghcomp_env_word bind_words[] = {
    {"false", GHCOMP_BIND_FALSE}, {"true", GHCOMP_BIND_TRUE},   {"master", GHCOMP_BIND_PRIMARY},
    {"close", GHCOMP_BIND_CLOSE}, {"spread", GHCOMP_BIND_SPREAD}, {"primary", GHCOMP_BIND_PRIMARY},
    {"1", GHCOMP_BIND_TRUE},      {"0", GHCOMP_BIND_FALSE},     {"disabled", GHCOMP_BIND_FALSE}, {NULL, 0}};

static const struct ghcomp_env_word league_bind_words[] = {
    {"spread", GHCOMP_BIND_SPREAD}, {"close", GHCOMP_BIND_CLOSE}, {"primary", GHCOMP_BIND_PRIMARY},
    {"master", GHCOMP_BIND_PRIMARY}, {"true", GHCOMP_BIND_SPREAD}, {"false", GHCOMP_BIND_PRIMARY}, {NULL, 0}};

static const struct ghcomp_env_word wait_words[] = {
    {"active", GHCOMP_POLICY_ACTIVE}, {"passive", GHCOMP_POLICY_PASSIVE}, {NULL, 0}};

static const struct ghcomp_env_word offload_words[] = {{"default", GHCOMP_OFFLOAD_DEFAULT},
                                                       {"mandatory", GHCOMP_OFFLOAD_MANDATORY},
                                                       {"disabled", GHCOMP_OFFLOAD_DISABLED},
                                                       {NULL, 0}};

/* For the display alone. */
static const struct ghcomp_env_word devices_words[] = {
    {"*", GHCOMP_DEVICES_ALL}, {"a selection", GHCOMP_DEVICES_SELECTED}, {NULL, 0}};

static const struct ghcomp_env_word display_words[] = {{"false", 0}, {"true", 1}, {"verbose", 2}, {NULL, 0}};

static const struct ghcomp_env_word share_words[] = {
    {"auto", GHCOMP_SHARE_AUTO}, {"sticky", GHCOMP_SHARE_STICKY}, {"all", GHCOMP_SHARE_ALL}, {NULL, 0}};
static const struct ghcomp_env_word admission_words[] = {
    {"wait", GHCOMP_ADMISSION_ON}, {"off", GHCOMP_ADMISSION_OFF}, {NULL, 0}};
static const struct ghcomp_env_word favour_words[] = {
    {"fair", GHCOMP_FAVOUR_FAIR}, {"haskell", GHCOMP_FAVOUR_HASKELL}, {NULL, 0}};
static const struct ghcomp_env_word trace_words[] = {
    {"on", GHCOMP_TRACE_WITH_LOG}, {"off", GHCOMP_TRACE_OFF}, {NULL, 0}};
static const struct ghcomp_env_word tool_words[] = {
    {"enabled", GHCOMP_TOOL_ENABLED}, {"disabled", GHCOMP_TOOL_DISABLED}, {NULL, 0}};
static const struct ghcomp_env_word tsan_words[] = {
    {"auto", GHCOMP_TSAN_AUTO}, {"off", GHCOMP_TSAN_OFF}, {NULL, 0}};
static const struct ghcomp_env_word collector_words[] = {
    {"adapt", GHCOMP_COLLECTOR_ADAPT}, {"keep", GHCOMP_COLLECTOR_KEEP}, {NULL, 0}};

/* The last one is libgomp's word. */
static const struct ghcomp_env_word barrier_words[] = {{"auto", GHCOMP_BARRIER_AUTO},
                                                       {"flat", GHCOMP_BARRIER_FLAT},
                                                       {"tree", GHCOMP_BARRIER_TREE},
                                                       {"centralized", GHCOMP_BARRIER_FLAT},
                                                       {NULL, 0}};

static const struct ghcomp_env_word library_words[] = {{"throughput", GHCOMP_LIBRARY_THROUGHPUT},
                                                       {"turnaround", GHCOMP_LIBRARY_TURNAROUND},
                                                       {"serial", GHCOMP_LIBRARY_SERIAL},
                                                       {"multiuser", GHCOMP_LIBRARY_THROUGHPUT},
                                                       {"dedicated", GHCOMP_LIBRARY_TURNAROUND},
                                                       {NULL, 0}};

static const struct ghcomp_env_word reduction_words[] = {{"critical", GHCOMP_REDUCTION_LOCK},
                                                         {"atomic", GHCOMP_REDUCTION_ATOMIC},
                                                         {"tree", GHCOMP_REDUCTION_TREE},
                                                         {NULL, 0}};

static const struct ghcomp_env_word quota_words[] = {{"honour", 0}, {"ignore", 1}, {NULL, 0}};

static const struct ghcomp_env_word allocator_words[] = {
    {"omp_default_mem_alloc", GHCOMP_ALLOCATOR_DEFAULT},
    {"omp_large_cap_mem_alloc", GHCOMP_ALLOCATOR_LARGE_CAP},
    {"omp_const_mem_alloc", GHCOMP_ALLOCATOR_CONST},
    {"omp_high_bw_mem_alloc", GHCOMP_ALLOCATOR_HIGH_BW},
    {"omp_low_lat_mem_alloc", GHCOMP_ALLOCATOR_LOW_LAT},
    {"omp_cgroup_mem_alloc", GHCOMP_ALLOCATOR_CGROUP},
    {"omp_pteam_mem_alloc", GHCOMP_ALLOCATOR_PTEAM},
    {"omp_thread_mem_alloc", GHCOMP_ALLOCATOR_THREAD},
    {"ompx_gnu_pinned_mem_alloc", GHCOMP_ALLOCATOR_PINNED},
    {"ompx_gnu_managed_mem_alloc", GHCOMP_ALLOCATOR_MANAGED},
    {NULL, 0}};

/* --- rows --------------------------------------------------------------------------------------------------------- */

#define VALUE(field) .value = &ghcomp_env.field
#define SETTING(field) .value = &ghcomp_settings.field
#define TAKE(name) .parse = ghcomp_env_take_##name
#define PRINT(name) .print = ghcomp_env_print_##name
#define DEVICE(name) .print_device = ghcomp_env_print_##name
#define ALL .all = true

/* The two rows of one of libomp's barriers. */
#define BRANCHES(of, label, documentation)                                                                          \
    {.name = label, .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(kmp_branches),                   \
     SETTING(branches[of]), PRINT(kmp_branches), .expects = "one or two numbers from 0 to 31, separated by a comma",  \
     .fallback = "unset", .doc = documentation}
#define PATTERNS(of, label, documentation)                                                                          \
    {.name = label, .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(kmp_patterns),                   \
     SETTING(patterns[of]), PRINT(kmp_patterns),                                                                      \
     .expects = "one or two of `linear`, `tree`, `hyper`, `hier` and `dist`, separated by a comma",                   \
     .fallback = "what GHCOMP_BARRIER says", .doc = documentation}

const struct ghcomp_setting ghcomp_setting_table[GHCOMP_SETTINGS] = {
    [GHCOMP_SET_DYNAMIC] =
        {.name = "OMP_DYNAMIC", .scope = GHCOMP_SCOPE_TASK, TAKE(bool), VALUE(dynamic), PRINT(bool),
         DEVICE(bool), .expects = "`true` or `false`", .fallback = "false",
         .doc = "Whether the runtime may give a region fewer threads than it asks for: only as many as have an idle "
                "CPU when it begins."},
    [GHCOMP_SET_NESTED] =
        {.name = "OMP_NESTED", .scope = GHCOMP_SCOPE_GLOBAL, TAKE(bool), VALUE(nested), PRINT(nested),
         .expects = "`true` or `false`", .fallback = "false",
         .doc = "Deprecated by OpenMP in favour of OMP_MAX_ACTIVE_LEVELS: `true` sets that to the greatest supported "
                "value, `false` to 1. OMP_MAX_ACTIVE_LEVELS takes precedence."},
    [GHCOMP_SET_NUM_THREADS] =
        {.name = "OMP_NUM_THREADS", .scope = GHCOMP_SCOPE_TASK, TAKE(numbers), .low = 1, .high = INT_MAX,
         VALUE(num_threads), PRINT(num_threads), DEVICE(list),
         .expects = "a list of positive integers, separated by commas", .fallback = "one thread for each usable CPU",
         .doc = "The number of threads of a parallel region, one number for each level of nesting. A list of more "
                "than one number allows nesting to any depth, unless OMP_NESTED or OMP_MAX_ACTIVE_LEVELS says "
                "otherwise."},
    [GHCOMP_SET_SCHEDULE] =
        {.name = "OMP_SCHEDULE", .scope = GHCOMP_SCOPE_TASK, TAKE(schedule), VALUE(schedule),
         PRINT(schedule), DEVICE(device_schedule),
         .expects = "`[monotonic:|nonmonotonic:]static|dynamic|guided|auto[,chunk]`",
         .fallback = "dynamic,1",
         .doc = "The schedule of loops with a schedule(runtime) clause."},
    [GHCOMP_SET_PROC_BIND] =
        {.name = "OMP_PROC_BIND", .scope = GHCOMP_SCOPE_TASK, TAKE(proc_bind), .words = bind_words,
         VALUE(proc_bind), PRINT(proc_bind), DEVICE(list),
         .expects = "`true`, `false`, or a list of `primary`, `master`, `close`, `spread`",
         .fallback = "false; true when OMP_PLACES or GOMP_CPU_AFFINITY is set",
         .doc = "Whether and how threads are bound to places, one word for each level of nesting. A list of more than "
                "one word allows nesting to any depth, as with OMP_NUM_THREADS. libomp's `1` for `true`, and `0` and "
                "`disabled` for `false`, are accepted."},
    [GHCOMP_SET_PLACES] =
        {.name = "OMP_PLACES", .scope = GHCOMP_SCOPE_DEVICE, TAKE(string), SETTING(places), PRINT(places),
         .expects = "`threads`, `cores`, `ll_caches`, `numa_domains` or `sockets`, each with an optional count in "
                    "parentheses, or a list of places such as `{0:2},{2:2}`",
         .fallback = "one place for each usable CPU when threads are bound",
         .doc = "The places that threads are bound to."},
    [GHCOMP_SET_STACKSIZE] =
        {.name = "OMP_STACKSIZE", .alias = "GOMP_STACKSIZE", .scope = GHCOMP_SCOPE_DEVICE, TAKE(size),
         .low = 16384, VALUE(stacksize), PRINT(size), DEVICE(size),
         .expects = "a size of at least 16k, with suffix `B`, `K`, `M`, `G` or `T` (also `KB` and so on); none "
                    "means `K`",
         .fallback = "the system's (ulimit -s)",
         .doc = "The stack size of the threads that the runtime creates. By default it is the limit "
                "(`ulimit -s`) at the program's start. In programs for libomp it is, as there, the limit at the "
                "first call; if that has changed since the start, 64 MB at most. Where there is no limit, threads "
                "have 2 MB in programs for libgomp and 64 MB in those "
                "for libomp."},
    [GHCOMP_SET_WAIT_POLICY] =
        {.name = "OMP_WAIT_POLICY", .scope = GHCOMP_SCOPE_DEVICE, TAKE(word), .words = wait_words,
         VALUE(wait_policy), PRINT(wait_policy), DEVICE(word), .expects = "`active` or `passive`",
         .fallback = "spin for a short time, then sleep",
         .doc = "How threads wait: `active` threads spin as long as there is a CPU for each, `passive` threads sleep "
                "at once."},
    [GHCOMP_SET_THREAD_LIMIT] =
        {.name = "OMP_THREAD_LIMIT", .scope = GHCOMP_SCOPE_TASK, TAKE(number), .low = 1,
         .high = GHCOMP_NO_LIMIT, .clip = true, VALUE(thread_limit), PRINT(thread_limit), DEVICE(number),
         .expects = "a positive integer", .fallback = "no limit",
         .doc = "The greatest number of threads that work for one initial thread at a time."},
    [GHCOMP_SET_MAX_ACTIVE_LEVELS] =
        {.name = "OMP_MAX_ACTIVE_LEVELS", .scope = GHCOMP_SCOPE_TASK, TAKE(number), .low = 0,
         .high = GHCOMP_ANY_LEVELS, .clip = true, VALUE(max_active_levels), PRINT(max_active_levels), DEVICE(number),
         .expects = "an integer that is not negative", .fallback = "1; 255 when OMP_NUM_THREADS or OMP_PROC_BIND has "
                                                                   "several levels",
         .doc = "The greatest number of nested regions with more than one thread; values above 255 are 255 to gcc's "
                "code."},
    [GHCOMP_SET_NUM_TEAMS] =
        {.name = "OMP_NUM_TEAMS", .scope = GHCOMP_SCOPE_DEVICE, TAKE(number), .low = 1, .high = INT_MAX,
         VALUE(num_teams), PRINT(number), DEVICE(number), .expects = "a positive integer",
         .fallback = "0, which stands for unset",
         .doc = "The greatest number of teams of a teams construct without a num_teams clause. If this is unset, "
                "gcc's code has three on the host, and clang's and flang's code one; a target region that the host "
                "runs has one in any case."},
    [GHCOMP_SET_TEAMS_THREAD_LIMIT] =
        {.name = "OMP_TEAMS_THREAD_LIMIT", .scope = GHCOMP_SCOPE_DEVICE, TAKE(number), .low = 1,
         .high = INT_MAX, VALUE(teams_thread_limit), PRINT(number), DEVICE(number), .expects = "a positive integer",
         .fallback = "0, which stands for unset",
         .doc = "The greatest number of threads of each team of a teams construct without a thread_limit clause."},
    [GHCOMP_SET_THREADS_RESERVE] =
        {.name = "OMP_THREADS_RESERVE", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(reserve),
         SETTING(reserved), PRINT(reserve),
         .expects = "an integer that is not negative, or `structured(n)`, `free_agent(n)` or both, separated by a "
                    "comma; one of the words alone stands for all threads",
         .fallback = "structured(1),free_agent(0)",
         .doc = "How many of the threads of OMP_THREAD_LIMIT are reserved for regions (`structured`, or a number "
                "alone), and how many for free agents, which run tasks with threadset(omp_pool). So many free agents "
                "run also where regions use all CPUs."},
    [GHCOMP_SET_CANCELLATION] =
        {.name = "OMP_CANCELLATION", .scope = GHCOMP_SCOPE_GLOBAL, TAKE(bool), VALUE(cancel), PRINT(bool), ALL,
         .expects = "`true` or `false`", .fallback = "false",
         .doc = "Whether the cancel construct and cancellation points have an effect."},
    [GHCOMP_SET_AVAILABLE_DEVICES] =
        {.name = "OMP_AVAILABLE_DEVICES", .scope = GHCOMP_SCOPE_GLOBAL, .shown = GHCOMP_SHOW_NEVER, TAKE(devices),
         .words = devices_words, SETTING(devices), PRINT(word), ALL,
         .expects = "a list of `*` and of traits of devices (kind, isa, arch, vendor, uid), such as `kind(gpu)[:2],*`",
         .fallback = "*",
         .doc = "Which devices there are, and their order. Without LLVM's libomptarget (`docs/guide/clang.md`) none of "
                "them exists. libomptarget numbers its devices itself: then a line says that any list but `*` has no "
                "effect."},
    [GHCOMP_SET_DEFAULT_DEVICE] =
        {.name = "OMP_DEFAULT_DEVICE", .scope = GHCOMP_SCOPE_TASK, TAKE(number), .low = 0, .high = INT_MAX,
         VALUE(default_device), PRINT(default_device), ALL, .expects = "an integer that is not negative",
         .fallback = "0; -4, no device, when OMP_TARGET_OFFLOAD is mandatory",
         .doc = "The device of constructs without a device clause. Without LLVM's libomptarget (`docs/guide/clang.md`) "
                "the host is the only device, and does the work of any device."},
    [GHCOMP_SET_MAX_TASK_PRIORITY] =
        {.name = "OMP_MAX_TASK_PRIORITY", .scope = GHCOMP_SCOPE_GLOBAL, TAKE(number), .low = 0,
         .high = INT_MAX, VALUE(max_task_priority), PRINT(number), ALL, .expects = "an integer that is not negative",
         .fallback = "0",
         .doc = "The greatest value that a priority clause can have; with 0 the clause is ignored."},
    [GHCOMP_SET_DISPLAY_AFFINITY] =
        {.name = "OMP_DISPLAY_AFFINITY", .scope = GHCOMP_SCOPE_GLOBAL, TAKE(bool), VALUE(display_affinity),
         PRINT(bool), ALL, .expects = "`true` or `false`", .fallback = "false",
         .doc = "Whether each thread prints where it is bound when it enters its first region and after changes. "
                "In gcc's code teams of inner regions print each time, and teams of one never."},
    [GHCOMP_SET_AFFINITY_FORMAT] =
        {.name = "OMP_AFFINITY_FORMAT", .scope = GHCOMP_SCOPE_GLOBAL, TAKE(format), SETTING(affinity_format),
         PRINT(affinity_format), .warn = ghcomp_env_warn_format,
         .expects = "a format with fields such as `%n` or `%{thread_num}`",
         .fallback = GHCOMP_AFFINITY_FORMAT, .doc = "What OMP_DISPLAY_AFFINITY and omp_display_affinity print."},
    [GHCOMP_SET_ALLOCATOR] =
        {.name = "OMP_ALLOCATOR", .scope = GHCOMP_SCOPE_TASK, TAKE(allocator), .words = allocator_words,
         VALUE(allocator), PRINT(allocator), .warn = ghcomp_env_warn_allocator,
         .expects = "the name of a predefined allocator, such as `omp_high_bw_mem_alloc`, or a memory space, which may "
                    "have traits: `omp_default_mem_space:alignment=64,pool_size=1048576,fallback=null_fb`",
         .fallback = "omp_default_mem_alloc",
         .doc = "The allocator of allocations that name none. The traits are those of omp_init_allocator except "
                "fb_data; numbers are bytes, and an alignment is a power of two."},
    [GHCOMP_SET_TARGET_OFFLOAD] =
        {.name = "OMP_TARGET_OFFLOAD", .scope = GHCOMP_SCOPE_GLOBAL, TAKE(word), .words = offload_words,
         VALUE(target_offload), PRINT(word), ALL, .expects = "`default`, `mandatory` or `disabled`",
         .fallback = "default",
         .doc = "What a target construct does without a device to run on: with `mandatory` it ends the program, with "
                "the others it runs on the host."},
    [GHCOMP_SET_TOOL] =
        {.name = "OMP_TOOL", .scope = GHCOMP_SCOPE_GLOBAL, .shown = GHCOMP_SHOW_VERBOSE, TAKE(tool),
         .words = tool_words, SETTING(tool), PRINT(word), ALL, .warn = ghcomp_env_warn_tool,
         .expects = "`enabled` or `disabled`",
         .fallback = "enabled",
         .doc = "Whether a tool may watch the program by OMPT: one that the program or a preloaded library brings with "
                "it, or one of OMP_TOOL_LIBRARIES. With any other value none may, as on libomp."},
    [GHCOMP_SET_TOOL_LIBRARIES] =
        {.name = "OMP_TOOL_LIBRARIES", .scope = GHCOMP_SCOPE_GLOBAL, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(string), SETTING(tool_libraries), PRINT(string), ALL,
         .expects = "paths of shared libraries, separated by colons", .fallback = "unset",
         .doc = "Tools: the first of these libraries whose `ompt_start_tool` answers watches the program, if the "
                "program has none of its own. Not read in set-user-ID programs."},
    [GHCOMP_SET_TOOL_VERBOSE_INIT] =
        {.name = "OMP_TOOL_VERBOSE_INIT", .scope = GHCOMP_SCOPE_GLOBAL, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(string), SETTING(tool_verbose), PRINT(string), ALL,
         .expects = "`disabled`, `stdout`, `stderr` or the name of a file", .fallback = "disabled",
         .doc = "Where to write how a tool was looked for. Not read in set-user-ID programs."},
    [GHCOMP_SET_DISPLAY_ENV] =
        {.name = "OMP_DISPLAY_ENV", .scope = GHCOMP_SCOPE_GLOBAL, .shown = GHCOMP_SHOW_NEVER, TAKE(display),
         .words = display_words, VALUE(display_env), PRINT(word), .expects = "`true`, `false` or `verbose`",
         .fallback = "false",
         .doc = "Prints these settings on stderr when the program starts, or, as libomp does, at the first call if all "
                "code of the process that uses OpenMP is clang's or flang's; `verbose` includes the settings that are "
                "not OpenMP's. libomp's words for `true` and `false` (`1`, `yes`, `on` and others) are accepted."},
    [GHCOMP_SET_CPU_AFFINITY] =
        {.name = "GOMP_CPU_AFFINITY", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(string), SETTING(cpu_affinity), PRINT(string),
         .expects = "CPU numbers and ranges such as `0 3 4-10:2`", .fallback = "unset",
         .doc = "The CPU of each thread, in order; each CPU is a place. OMP_PLACES takes precedence."},
    [GHCOMP_SET_SPINCOUNT] =
        {.name = "GOMP_SPINCOUNT", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(count),
         VALUE(spincount), PRINT(spincount),
         .expects = "an integer that is not negative, with suffix `k`, `M`, `G` or `T`; `infinite` or `infinity`",
         .fallback = "what OMP_WAIT_POLICY says",
         .doc = "How many CPU pauses a waiting thread spins before it sleeps; takes precedence over OMP_WAIT_POLICY. "
                "While it is unset, the verbose display shows the count that libgomp has for the wait policy."},
    [GHCOMP_SET_DEBUG] =
        {.name = "GOMP_DEBUG", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(switch),
         VALUE(debug), PRINT(bool), .expects = "an integer that is not negative", .fallback = "0",
         .doc = "Any value but 0 prints these settings as OMP_DISPLAY_ENV=verbose does."},
    [GHCOMP_SET_HOST] =
        {.name = "GHCOMP_HOST", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(string),
         SETTING(host), PRINT(string), .expects = "`auto`, `ghc` or `posix`",
         .fallback = "auto; ghc in libghcomp.so",
         .doc = "The host of the threads. `auto`: the GHC runtime system of the process, or plain POSIX threads if it "
                "has none; `ghc`: the same, but a runtime system is started if the process has none (if that cannot "
                "be done, a line on stderr says so); `posix`: always POSIX threads. Not read in set-user-ID programs."},
    [GHCOMP_SET_CPU_QUOTA] =
        {.name = "GHCOMP_CPU_QUOTA", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(word),
         .words = quota_words, VALUE(ignore_quota), PRINT(word), .expects = "`honour` or `ignore`",
         .fallback = "honour",
         .doc = "Whether the CPU quota of the process's control groups (a container's limit) bounds the number of "
                "CPUs, and so the default number of threads. Not read in set-user-ID programs."},
    [GHCOMP_SET_SHARE] =
        {.name = "GHCOMP_SHARE", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(word),
         .words = share_words, SETTING(share), PRINT(word), .expects = "`auto`, `sticky` or `all`", .fallback = "auto",
         .doc = "Whether idle workers of one thread's team may serve another thread that opens regions. `sticky`: "
                "never, so that a worker's threadprivate data lasts from one region of its thread to the next; `all`: "
                "always; `auto`: always in a Haskell program, whose callers change their OS threads anyway, else only "
                "if dyn-var is on. Not read in set-user-ID programs."},
    [GHCOMP_SET_ADMISSION] =
        {.name = "GHCOMP_ADMISSION", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(word),
         .words = admission_words, SETTING(admission), PRINT(word), .expects = "`wait` or `off`", .fallback = "wait",
         .doc = "What an outermost region of fixed size does where workers are shared, while regions of other threads "
                "occupy all CPUs. `wait`: it waits: 2 ms, and then until for 5 ms those that it waits for have "
                "not become fewer; `off`: it gets new threads at once. Not read in set-user-ID programs."},
    [GHCOMP_SET_FAVOUR] =
        {.name = "GHCOMP_FAVOUR", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(word),
         .words = favour_words, SETTING(favour), PRINT(word), .expects = "`fair` or `haskell`", .fallback = "fair",
         .doc = "`haskell`: a region that begins while GHC's garbage collector runs first yields its CPU once. Not "
                "read in set-user-ID programs."},
    [GHCOMP_SET_COLLECTOR_THREADS] =
        {.name = "GHCOMP_COLLECTOR_THREADS", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(word), .words = collector_words, SETTING(collector), PRINT(word),
         .expects = "`adapt` or `keep`", .fallback = "adapt",
         .doc = "`adapt`: while regions run, GHC's parallel garbage collector uses as many threads as there are CPUs "
                "that they leave free, at least one. This is done for GHC before 9.4, whose collector spins. `keep`: "
                "the collector is left alone. Not read in set-user-ID programs."},
    [GHCOMP_SET_TRACE] =
        {.name = "GHCOMP_TRACE", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(word),
         .words = trace_words, SETTING(trace), PRINT(word), .expects = "`on` or `off`", .fallback = "on",
         .doc = "`on`: while GHC's runtime system writes an eventlog with user messages (`+RTS -l`), the log shows "
                "what the threads do. `off`: it does not. Not read in set-user-ID programs."},
    [GHCOMP_SET_TSAN] =
        {.name = "GHCOMP_TSAN", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(word),
         .words = tsan_words, SETTING(tsan), PRINT(word), .expects = "`auto` or `off`", .fallback = "auto",
         .doc = "`auto`: in a program compiled with `-fsanitize=thread` the runtime tells ThreadSanitizer what orders "
                "the threads, so that correct programs give no report. `off`: it does not. Not read in set-user-ID "
                "programs."},
    [GHCOMP_SET_BARRIER] =
        {.name = "GHCOMP_BARRIER", .alias = "GOMP_BARRIER_TYPE", .scope = GHCOMP_SCOPE_RUNTIME,
         .shown = GHCOMP_SHOW_VERBOSE, TAKE(word), .words = barrier_words, SETTING(barrier), PRINT(barrier),
         .expects = "`auto`, `flat`, `centralized` or `tree`", .fallback = "auto",
         .doc = "How teams begin, end and wait at barriers. `flat`: all threads share a line, in teams of up to "
                "eight by a flag for each, in larger ones by a counter and a word, which is fastest for few "
                "threads; `centralized` is another name for it. `tree`: each group of threads has a counter and a "
                "word of its own, and a region is passed on from thread to thread. `auto`: `tree` in teams of 32 "
                "threads or more (128 on fewer than 16 CPUs), if the default team is as large (CPUs, "
                "OMP_NUM_THREADS, OMP_THREAD_LIMIT) and waiting threads sleep in the end (OMP_WAIT_POLICY, "
                "GOMP_SPINCOUNT, KMP_BLOCKTIME, KMP_LIBRARY), and none of KMP_FORKJOIN_BARRIER, "
                "KMP_FORKJOIN_BARRIER_PATTERN and their kin is set, else `flat`. The verbose display shows which it "
                "is. GHCOMP_BARRIER is not read in set-user-ID programs."},
    [GHCOMP_SET_KMP_FORKJOIN_BARRIER] =
        BRANCHES(GHCOMP_KMP_FORKJOIN, "KMP_FORKJOIN_BARRIER",
                 "In libomp, the logarithm of how many branches the tree has by which a region's threads end, and the "
                 "one by which they begin. The trees here have a fixed shape: if the variable is set, GHCOMP_BARRIER's "
                 "`auto` is `flat` in teams of any size."),
    [GHCOMP_SET_KMP_FORKJOIN_BARRIER_PATTERN] =
        PATTERNS(GHCOMP_KMP_FORKJOIN, "KMP_FORKJOIN_BARRIER_PATTERN",
                 "How the threads of a region end, and how they begin; a single name is for the end, and libomp begins "
                 "by `hyper` then. `linear,linear` is GHCOMP_BARRIER's `flat`, any other pair `tree` in each team: a "
                 "team has one kind for its beginning, its barriers and its end, so this variable counts before "
                 "KMP_PLAIN_BARRIER_PATTERN, and that before KMP_REDUCTION_BARRIER_PATTERN. GHCOMP_BARRIER and "
                 "GOMP_BARRIER_TYPE count before all three, if they are not `auto`."),
    [GHCOMP_SET_KMP_PLAIN_BARRIER] =
        BRANCHES(GHCOMP_KMP_PLAIN, "KMP_PLAIN_BARRIER", "The same as KMP_FORKJOIN_BARRIER, of barriers."),
    [GHCOMP_SET_KMP_PLAIN_BARRIER_PATTERN] =
        PATTERNS(GHCOMP_KMP_PLAIN, "KMP_PLAIN_BARRIER_PATTERN",
                 "The same as KMP_FORKJOIN_BARRIER_PATTERN, of barriers."),
    [GHCOMP_SET_KMP_REDUCTION_BARRIER] =
        BRANCHES(GHCOMP_KMP_REDUCTION, "KMP_REDUCTION_BARRIER", "The same as KMP_FORKJOIN_BARRIER, of reductions."),
    [GHCOMP_SET_KMP_REDUCTION_BARRIER_PATTERN] =
        PATTERNS(GHCOMP_KMP_REDUCTION, "KMP_REDUCTION_BARRIER_PATTERN",
                 "The same as KMP_FORKJOIN_BARRIER_PATTERN, of reductions; KMP_FORCE_REDUCTION says how values are "
                 "combined."),
    [GHCOMP_SET_KMP_HW_SUBSET] =
        {.name = "KMP_HW_SUBSET", .alias = "KMP_PLACE_THREADS", .scope = GHCOMP_SCOPE_RUNTIME,
         .shown = GHCOMP_SHOW_VERBOSE, TAKE(hw_subset), SETTING(hw_subset), PRINT(hw_subset),
         .expects = "a list of parts such as `2s,4c@1,1t`: a number or `*`, a level (socket, numa_domain, l3_cache, "
                    "core, thread), `@` and an offset",
         .fallback = "all CPUs",
         .doc = "The part of the machine that the process uses, for omp_get_num_procs, the default team and the "
                "places: of each socket, or whatever the level before it in the list is, so many cores behind the "
                "first `@` ones, and so on; a level that the list does not have counts with all its parts. With a "
                "colon in front the first level is counted in the whole machine. A level may be shortened (`1c`), `x` "
                "separates as a comma does, and a level without a number stands for all of it. If no other variable "
                "makes places, there is one of all these CPUs, to which all threads are bound, whatever OMP_PROC_BIND "
                "says. A part that the machine does not have, or a level that this runtime does not know (die, module, "
                "tile, l1_cache, l2_cache), is named in a line, and the variable has no effect; neither has it with "
                "KMP_AFFINITY=disabled. A kind of core (`4c:intel_core`, `4c:eff0`) is named in a line and not looked "
                "at. KMP_PLACE_THREADS is an older name."},
    [GHCOMP_SET_KMP_AFFINITY] =
        {.name = "KMP_AFFINITY", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(kmp_affinity), SETTING(kmp_affinity), PRINT(kmp_affinity),
         .expects = "a type, `none`, `disabled`, `compact`, `scatter`, `balanced` or `explicit`, with modifiers "
                    "such as `verbose`, `granularity=core` and `proclist=[0,2-4,{6,7}]` and a permutation and an "
                    "offset behind it, separated by commas",
         .fallback = "what OMP_PROC_BIND and OMP_PLACES say",
         .doc = "Where threads are bound. `compact`: thread i + 1 as near to thread i as can be; `scatter`: as far "
                "away as can be; a number behind them moves that many levels (thread of a core, core, socket) to the "
                "other end; `balanced`: the threads shared evenly among the cores; `explicit`: as the list says; the "
                "last number is the place of thread 0. A place is a core unless `granularity` says `fine`, `thread`, "
                "`ll_cache`, `numa` or `socket`. `none` and `disabled` bind no thread. `verbose` prints a line for "
                "each thread that is bound. `reset` gives an initial thread its own CPUs back at the end of its "
                "outermost region, as it is in Haskell programs without it; `noreset` does not, nor does it give them "
                "to a child by fork. The process's own mask is respected in any case."},
    [GHCOMP_SET_KMP_BLOCKTIME] =
        {.name = "KMP_BLOCKTIME", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(kmp_time),
         VALUE(blocktime), PRINT(blocktime),
         .expects = "an integer that is not negative, with suffix `us` or `ms` (none means `ms`); `infinite` or "
                    "`infinity`",
         .fallback = "what GOMP_SPINCOUNT and OMP_WAIT_POLICY say",
         .doc = "How long a waiting thread spins on a free CPU before it sleeps."},
    [GHCOMP_SET_KMP_LIBRARY] =
        {.name = "KMP_LIBRARY", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(word),
         .words = library_words, VALUE(library), PRINT(word), .expects = "`serial`, `turnaround` or `throughput`",
         .fallback = "throughput",
         .doc = "`serial`: all regions have one thread; `turnaround`: threads wait as with OMP_WAIT_POLICY=active; "
                "`throughput`: as the other variables say. `dedicated` is another name of `turnaround`, `multiuser` of "
                "`throughput`."},
    [GHCOMP_SET_KMP_STACKSIZE] =
        {.name = "KMP_STACKSIZE", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(kmp_size),
         .low = 16384, VALUE(kmp_stacksize), PRINT(size),
         .expects = "a size of at least 16k, with suffix `B`, `K`, `M`, `G` or `T` (also `KB` and so on); none "
                    "means `B`",
         .fallback = "what OMP_STACKSIZE says", .doc = "The stack size of the threads that the runtime creates."},
    [GHCOMP_SET_KMP_DEVICE_THREAD_LIMIT] =
        {.name = "KMP_DEVICE_THREAD_LIMIT", .alias = "KMP_ALL_THREADS", .scope = GHCOMP_SCOPE_RUNTIME,
         .shown = GHCOMP_SHOW_VERBOSE, TAKE(kmp_threads), .low = 1, .high = INT_MAX, .clip = true,
         VALUE(device_threads), PRINT(number), .expects = "a positive integer or `all`",
         .fallback = "0, which stands for unset",
         .doc = "The greatest number of threads that work for one initial thread at a time; the smaller of it and "
                "OMP_THREAD_LIMIT counts. `all` is the number of CPUs."},
    [GHCOMP_SET_KMP_TEAMS_THREAD_LIMIT] =
        {.name = "KMP_TEAMS_THREAD_LIMIT", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(number), .low = 1, .high = INT_MAX, .clip = true, VALUE(league_threads), PRINT(number),
         .expects = "a positive integer", .fallback = "0, which stands for unset",
         .doc = "For clang's and flang's code: the greatest number of threads of all teams of a teams construct "
                "together. It bounds the number of teams, and the threads of each."},
    [GHCOMP_SET_KMP_TEAMS_PROC_BIND] =
        {.name = "KMP_TEAMS_PROC_BIND", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(word), .words = league_bind_words, SETTING(teams_bind), PRINT(word),
         .expects = "`spread`, `close`, `primary`, `master`, `true` or `false`", .fallback = "spread",
         .doc = "Where threads are bound: how the teams of a teams construct in clang's and flang's code share the "
                "places, as the threads of a parallel region would; `true` is `spread`, `false` is `primary`."},
    [GHCOMP_SET_KMP_FORCE_REDUCTION] =
        {.name = "KMP_FORCE_REDUCTION", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(word), .words = reduction_words, SETTING(force_reduction), PRINT(reduction),
         .expects = "`critical`, `atomic` or `tree`", .fallback = "chosen for each reduction",
         .doc = "How clang's and flang's code combines the values of a reduction: one thread after the other, by "
                "atomic instructions, or by a tree. What the code does not have is not forced."},
    [GHCOMP_SET_KMP_DETERMINISTIC_REDUCTION] =
        {.name = "KMP_DETERMINISTIC_REDUCTION", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(bool), SETTING(deterministic_reduction), PRINT(bool),
         .expects = "`true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`", .fallback = "false",
         .doc = "Whether clang's and flang's code always combines the values of a reduction in the same order, so that "
                "a sum of floating-point numbers is the same in each run with as many threads and a static schedule. "
                "It takes precedence over KMP_FORCE_REDUCTION. It has no effect on gcc's code, which combines the "
                "values without the runtime."},
    [GHCOMP_SET_KMP_ENABLE_TASK_THROTTLING] =
        {.name = "KMP_ENABLE_TASK_THROTTLING", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(bool), SETTING(task_throttling), PRINT(bool),
         .expects = "`true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`", .fallback = "true",
         .doc = "Whether a thread runs the tasks that it makes at once when many wait already. Without it the tasks "
                "are kept, and memory is their only bound."},
    [GHCOMP_SET_KMP_TASKLOOP_MIN_TASKS] =
        {.name = "KMP_TASKLOOP_MIN_TASKS", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE,
         TAKE(number), .low = 0, .high = INT_MAX, .clip = true, SETTING(taskloop_few), PRINT(number),
         .expects = "an integer that is not negative", .fallback = "0, which stands for twice the team's size",
         .doc = "A taskloop construct with more tasks than this is shared among the threads in parts that are halved; "
                "one with fewer is created task by task."},
    [GHCOMP_SET_KMP_SETTINGS] =
        {.name = "KMP_SETTINGS", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(bool),
         VALUE(kmp_settings), PRINT(bool),
         .expects = "`true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`", .fallback = "false",
         .doc = "Prints on stderr, when OMP_DISPLAY_ENV does, the variables that are set, and all settings in force."},
    [GHCOMP_SET_KMP_VERSION] =
        {.name = "KMP_VERSION", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(bool),
         VALUE(kmp_version), PRINT(bool),
         .expects = "`true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`", .fallback = "false",
         .doc = "Prints the runtime's name and version on stderr when OMP_DISPLAY_ENV prints."},
    [GHCOMP_SET_KMP_WARNINGS] =
        {.name = "KMP_WARNINGS", .scope = GHCOMP_SCOPE_RUNTIME, .shown = GHCOMP_SHOW_VERBOSE, TAKE(bool),
         VALUE(kmp_warnings), PRINT(bool),
         .expects = "`true`, `1`, `yes`, `on` or `false`, `0`, `no`, `off`", .fallback = "true",
         .doc = "`false`: no warnings are printed, neither of the environment nor of calls."},
};
