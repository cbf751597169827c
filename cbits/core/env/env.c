/* Reads the environment and sets the initial ICVs from it.
 *
 *   1. One pass over `environ` notes the text of every variable that names a setting (env_table.c).
 *   2. The texts of a setting are tried in order (the name, its alias, NAME_ALL); the first good one counts. Each bad
 *      one is named on stderr, with what is used instead, and affects nothing else.
 *   3. `ghcomp_global` is set from the values: several variables may concern one ICV.
 *   4. affinity.c makes the places from KMP_AFFINITY, OMP_PLACES, GOMP_CPU_AFFINITY and OMP_PROC_BIND.
 *
 * Where a variable of libomp's and one of OpenMP's or libgomp's set the same, libomp's counts: it is the more specific
 * one, and so it is in libomp. They apply whichever compiler made the program's code, since a process has one pool.
 *
 * NAME_DEV and NAME_DEV_n are for devices other than the host. There are none, so their values, and NAME_ALL's, are
 * only checked and kept for the display.
 *
 * Called by the library's constructor (thread.c), so it does little: no thread, no files but the control groups', no
 * measurement unless GOMP_SPINCOUNT asks for one. Covered by test/conformance/env and test/scripts/environment.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "core/cpu/wait.h"
#include "core/env/env_table.h"
#include "core/state/icv.h"
#include "core/state/types.h"
#include "core/team/barrier_policy.h"
#include "core/team/target.h"
#include "core/trace/observers.h"
#include "host/cgroup.h"
#include "host/os.h"

/* The spellings of a setting's name, in order of precedence. */
enum form { FORM_NAME, FORM_ALIAS, FORM_ALL, FORMS };

/* A bound on the time that each more of them takes; no program has so many devices. */
enum { MOST_DEVICE_SETTINGS = 4096 };

struct ghcomp_device_setting *ghcomp_device_settings;
static bool good[GHCOMP_SETTINGS]; /* immutable after ghcomp_env_init, but for ghcomp_env_set */
static char *at_start[GHCOMP_SETTINGS]; /* copies of the texts of settings that may change; NULL: none */

bool ghcomp_env_given(enum ghcomp_setting_id id)
{
    return good[id];
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* Whether `entry` is "NAME=..." (suffix "") or "NAME_ALL=...": its text, or NULL. */
static const char *text_of(const char *entry, const char *name, const char *suffix)
{
    size_t length = strlen(name), more = strlen(suffix);
    if (strncmp(entry, name, length) != 0 || strncmp(entry + length, suffix, more) != 0 ||
        entry[length + more] != '=')
        return NULL;
    return entry + length + more + 1;
}

static void note_entry(const char *entry, const char *texts[GHCOMP_SETTINGS][FORMS])
{
    for (int id = 0; id < GHCOMP_SETTINGS; id++) {
        const struct ghcomp_setting *row = &ghcomp_setting_table[id];
        const char *found[FORMS] = {
            [FORM_NAME] = text_of(entry, row->name, ""),
            [FORM_ALIAS] = row->alias != NULL ? text_of(entry, row->alias, "") : NULL,
            [FORM_ALL] = ghcomp_setting_has_device_forms(row) ? text_of(entry, row->name, "_ALL") : NULL,
        };
        for (int form = 0; form < FORMS; form++)
            if (found[form] != NULL && texts[id][form] == NULL)
                texts[id][form] = found[form];
    }
}

static void note_texts(const char *texts[GHCOMP_SETTINGS][FORMS])
{
    bool privileged = getauxval(AT_SECURE) != 0; /* a set-user-ID program, say: what secure_getenv asks */
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
        if (strncmp(*entry, "OMP_", 4) == 0 || strncmp(*entry, "GOMP_", 5) == 0 || strncmp(*entry, "KMP_", 4) == 0 ||
            (strncmp(*entry, "GHCOMP_", 7) == 0 && !privileged))
            if (!privileged || strncmp(*entry, "OMP_TOOL_", 9) != 0) /* code from elsewhere, files to write */
                note_entry(*entry, texts);
}

static void full_name(const struct ghcomp_setting *row, int form, char *name, size_t size)
{
    snprintf(name, size, "%s%s", form == FORM_ALIAS ? row->alias : row->name, form == FORM_ALL ? "_ALL" : "");
}

/* Documentation marks literal text with backquotes; messages do without. */
static void without_quotes(const char *text, char *plain, size_t size)
{
    size_t length = 0;
    for (; *text != '\0' && length + 1 < size; text++)
        if (*text != '`')
            plain[length++] = *text;
    plain[length] = '\0';
}

static void warn_bad(const struct ghcomp_setting *row, int bad, int used, const char *text)
{
    char name[64], other[64], expects[256];
    bool by_default = used == FORMS;
    full_name(row, bad, name, sizeof name);
    full_name(row, used, other, sizeof other);
    without_quotes(row->expects, expects, sizeof expects);
    const char *instead = by_default ? row->fallback : other;
    if (row->warn != NULL)
        row->warn(row, name, text, expects, instead);
    else
        ghcomp_warn("%s='%s' is not %s; using %s%s", name, ghcomp_shown(text).text, expects,
                    by_default ? "the default, " : "", instead);
}

/* Whether the text after NAME_DEV_ is a device's number as libgomp accepts it: no sign, no leading zero, an int. */
static bool is_device_number(const char *text, size_t length)
{
    if (length == 0 || length > 10 || strspn(text, "0123456789") < length || (text[0] == '0' && length > 1))
        return false;
    return strtoull(text, NULL, 10) <= INT32_MAX;
}

static void keep_device_setting(const struct ghcomp_setting *row, const char *entry, const char *device,
                                size_t length)
{
    static struct ghcomp_device_setting **end = &ghcomp_device_settings; /* the constructor's thread only */
    static uint32_t kept;
    if (kept == MOST_DEVICE_SETTINGS) {
        ghcomp_warn("%.*s: there are more than %d settings for devices; it and the rest of them are ignored",
                    (int)strcspn(entry, "="), entry, MOST_DEVICE_SETTINGS);
        kept++;
    }
    if (kept > MOST_DEVICE_SETTINGS)
        return;
    for (const struct ghcomp_device_setting *set = ghcomp_device_settings; set != NULL; set = set->next)
        if (set->row == row && strlen(set->device) == length && memcmp(set->device, device, length) == 0)
            return; /* the variable is there twice: the first counts */
    const char *text = strchr(entry, '=') + 1;
    struct ghcomp_device_setting *set = ghcomp_alloc(sizeof *set);
    memset(set, 0, sizeof *set);
    set->row = row;
    memcpy(set->device, device, length);
    if (row->parse(row, text, &set->value)) {
        *end = set;
        end = &set->next;
        kept++;
        return;
    }
    free(set);
    /* read_settings has named a bad NAME_ALL, unless it stopped before that at the good value of an earlier name. */
    if (strcmp(device, "all") != 0 || good[row - ghcomp_setting_table]) {
        char expects[256];
        without_quotes(row->expects, expects, sizeof expects);
        ghcomp_warn("%.*s='%s' is not %s; it is ignored", (int)(text - 1 - entry), entry, ghcomp_shown(text).text,
                    expects);
    }
}

/* NAME_ALL, NAME_DEV and NAME_DEV_n. */
static void note_device_entry(const char *entry)
{
    size_t name_length = strcspn(entry, "=");
    for (const struct ghcomp_setting *row = ghcomp_setting_table; row < ghcomp_setting_table + GHCOMP_SETTINGS; row++) {
        size_t length = strlen(row->name);
        if (!ghcomp_setting_has_device_forms(row) || strncmp(entry, row->name, length) != 0)
            continue;
        const char *number = entry + length + strlen("_DEV_");
        if (text_of(entry, row->name, "_ALL") != NULL) {
            keep_device_setting(row, entry, "all", strlen("all"));
        } else if (text_of(entry, row->name, "_DEV") != NULL) {
            keep_device_setting(row, entry, "device", strlen("device"));
        } else if (strncmp(entry + length, "_DEV_", strlen("_DEV_")) == 0 && entry[name_length] == '=') {
            size_t digits = (size_t)(entry + name_length - number);
            if (is_device_number(number, digits))
                keep_device_setting(row, entry, number, digits);
            else
                ghcomp_warn("%s: '%s' is not the number of a device; it is ignored",
                            ghcomp_shown_part(entry, name_length).text, ghcomp_shown_part(number, digits).text);
        }
    }
}

static void read_device_settings(void)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
        if (strncmp(*entry, "OMP_", 4) == 0)
            note_device_entry(*entry);
}

/* Settings that can change when the program runs already: ICVs that are read again with each region. */
static bool may_change(int id)
{
    switch (id) {
    case GHCOMP_SET_DYNAMIC:
    case GHCOMP_SET_NESTED:
    case GHCOMP_SET_NUM_THREADS:
    case GHCOMP_SET_SCHEDULE:
    case GHCOMP_SET_MAX_ACTIVE_LEVELS:
    case GHCOMP_SET_NUM_TEAMS:
    case GHCOMP_SET_TEAMS_THREAD_LIMIT:
    case GHCOMP_SET_DEFAULT_DEVICE:
    case GHCOMP_SET_TARGET_OFFLOAD:
    case GHCOMP_SET_STACKSIZE:
    case GHCOMP_SET_KMP_BLOCKTIME:
    case GHCOMP_SET_KMP_STACKSIZE:
    case GHCOMP_SET_KMP_TEAMS_THREAD_LIMIT:
    case GHCOMP_SET_KMP_WARNINGS:
        return true;
    default:
        return false;
    }
}

static void read_settings(void)
{
    const char *texts[GHCOMP_SETTINGS][FORMS] = {{NULL}};
    int used[GHCOMP_SETTINGS] = {0};
    note_texts(texts);
    for (int id = 0; id < GHCOMP_SETTINGS; id++)
        if (may_change(id) && texts[id][FORM_NAME] != NULL)
            at_start[id] = strdup(texts[id][FORM_NAME]);
    for (int id = 0; id < GHCOMP_SETTINGS; id++) {
        const struct ghcomp_setting *row = &ghcomp_setting_table[id];
        while (used[id] < FORMS && (texts[id][used[id]] == NULL ||
                                    !row->parse(row, texts[id][used[id]], row->value)))
            used[id]++;
        good[id] = used[id] < FORMS;
    }
    ghcomp_warn_quietly(!ghcomp_env.kmp_warnings);
    for (int id = 0; id < GHCOMP_SETTINGS; id++)
        for (int form = 0; form < used[id]; form++)
            if (texts[id][form] != NULL)
                warn_bad(&ghcomp_setting_table[id], form, used[id], texts[id][form]);
}

/* libomp's other variables: one line names them. */
static void warn_others(void)
{
    /* What these ask for is so in any case. */
    static const char *const always[] = {"KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "KMP_DISP_NUM_BUFFERS"};
    char names[600] = "";
    size_t length = 0;
    for (char **entry = environ; entry != NULL && *entry != NULL && length < sizeof names - 300; entry++) {
        if (strncmp(*entry, "KMP_", 4) != 0)
            continue;
        bool known = false;
        for (int id = 0; id < GHCOMP_SETTINGS; id++) {
            const struct ghcomp_setting *row = &ghcomp_setting_table[id];
            known |= text_of(*entry, row->name, "") || (row->alias != NULL && text_of(*entry, row->alias, ""));
        }
        for (size_t i = 0; i < sizeof always / sizeof *always; i++)
            known |= text_of(*entry, always[i], "") != NULL;
        if (!known)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                                       ghcomp_shown_part(*entry, strcspn(*entry, "=")).text);
    }
    if (length > 0)
        ghcomp_warn("%s: such a variable of libomp's has no effect here", names);
}

/* --- from values to ICVs ------------------------------------------------------------------------------------------ */

static void set_binding(struct ghcomp_icvs *icv)
{
    if (!good[GHCOMP_SET_PROC_BIND])
        return;
    const struct ghcomp_env_list *list = &ghcomp_env.proc_bind;
    icv->bind = (uint8_t)list->items[0];
    if (list->length == 1)
        return;
    uint8_t *rest = ghcomp_alloc(list->length - 1);
    for (uint32_t i = 1; i < list->length; i++)
        rest[i - 1] = (uint8_t)list->items[i];
    icv->bind_rest = rest;
    icv->bind_rest_len = list->length - 1;
}

static uint32_t max_active_levels(void)
{
    if (good[GHCOMP_SET_MAX_ACTIVE_LEVELS])
        return (uint32_t)ghcomp_env.max_active_levels;
    if (good[GHCOMP_SET_NESTED])
        return ghcomp_env.nested ? GHCOMP_MAX_LEVELS : 1;
    return ghcomp_env.num_threads.length > 1 || ghcomp_env.proc_bind.length > 1 ? GHCOMP_MAX_LEVELS : 1;
}

static void set_for_regions(struct ghcomp_icvs *icv)
{
    const struct ghcomp_env_list *threads = &ghcomp_env.num_threads;
    ghcomp_global.nthreads_set = good[GHCOMP_SET_NUM_THREADS];
    icv->nthreads = ghcomp_global.num_cpus;
    if (ghcomp_global.nthreads_set) {
        icv->nthreads = threads->items[0];
        icv->nthreads_rest = threads->items + 1;
        icv->nthreads_rest_len = threads->length - 1;
    }
    icv->dynamic = ghcomp_env.dynamic;
    icv->max_active_levels = max_active_levels();
    /* omp_get_thread_limit can return no more than INT_MAX, so a greater limit counts as none. */
    icv->thread_limit = good[GHCOMP_SET_THREAD_LIMIT] && ghcomp_env.thread_limit <= INT32_MAX
                            ? (uint32_t)ghcomp_env.thread_limit
                            : GHCOMP_NO_LIMIT;
    if (good[GHCOMP_SET_KMP_DEVICE_THREAD_LIMIT] && ghcomp_env.device_threads < icv->thread_limit)
        icv->thread_limit = (uint32_t)ghcomp_env.device_threads;
    if (ghcomp_env.library == GHCOMP_LIBRARY_SERIAL)
        icv->thread_limit = 1;
    icv->sched = GHCOMP_SCHED_DYNAMIC;
    icv->sched_by = GHCOMP_SCHED_BY_NOBODY;
    if (good[GHCOMP_SET_SCHEDULE]) {
        icv->sched = ghcomp_env.schedule.kind;
        icv->sched_by = ghcomp_env.schedule.modified ? GHCOMP_SCHED_IN_FULL : GHCOMP_SCHED_BY_USER_PLAINLY;
        icv->sched_chunk = ghcomp_env.schedule.chunk;
    }
    if (icv->sched_chunk == 0 && (icv->sched & ~GHCOMP_SCHED_MONOTONIC) != GHCOMP_SCHED_STATIC)
        icv->sched_chunk = 1;
    icv->default_device = (int)ghcomp_env.default_device;
    if (ghcomp_env.target_offload == GHCOMP_OFFLOAD_MANDATORY && !good[GHCOMP_SET_DEFAULT_DEVICE])
        icv->default_device = GHCOMP_DEVICE_INVALID; /* the program requires one (OpenMP 5.2) */
}

static void set_initial(struct ghcomp_icvs *icv)
{
    set_for_regions(icv);
    ghcomp_global.bind_set = good[GHCOMP_SET_PROC_BIND];
    struct ghcomp_env_allocator *allocator = &ghcomp_env.allocator.is;
    if (!good[GHCOMP_SET_ALLOCATOR])
        allocator->handle = GHCOMP_ALLOCATOR_DEFAULT;
    icv->default_allocator =
        allocator->count > 0 ? ghcomp_allocator_create((uintptr_t)allocator->space, allocator->count, allocator->traits)
                             : (uintptr_t)allocator->handle;
    ghcomp_invariant(icv->default_allocator != GHCOMP_ALLOCATOR_NULL); /* the parser accepts only what can be made */
    set_binding(icv);
}

static void set_global(void)
{
    ghcomp_global.dynamic_set = good[GHCOMP_SET_DYNAMIC];
    ghcomp_global.cancel = ghcomp_env.cancel;
    if (ghcomp_global.cancel)
        ghcomp_observers_add(GHCOMP_CANCELLABLE);
    ghcomp_global.display_affinity = ghcomp_env.display_affinity;
    ghcomp_global.wait_policy = ghcomp_env.library == GHCOMP_LIBRARY_TURNAROUND
                                    ? GHCOMP_WAIT_ACTIVE
                                    : (enum ghcomp_wait_policy)ghcomp_env.wait_policy;
    ghcomp_global.blocktime_set = good[GHCOMP_SET_KMP_BLOCKTIME];
    ghcomp_global.blocktime = ghcomp_env.blocktime;
    ghcomp_global.spincount_set = good[GHCOMP_SET_SPINCOUNT];
    ghcomp_global.spincount = ghcomp_env.spincount;
    ghcomp_global.stacksize = good[GHCOMP_SET_KMP_STACKSIZE] ? ghcomp_env.kmp_stacksize : ghcomp_env.stacksize;
    ghcomp_global.max_task_priority = (int)ghcomp_env.max_task_priority;
    ghcomp_global.target_offload = (enum ghcomp_offload)ghcomp_env.target_offload;
    ghcomp_store_relaxed(&ghcomp_global.num_teams, (int)ghcomp_env.num_teams);
    ghcomp_store_relaxed(&ghcomp_global.teams_thread_limit, (uint32_t)ghcomp_env.teams_thread_limit);
    ghcomp_store_relaxed(&ghcomp_global.league_threads, (uint32_t)ghcomp_env.league_threads);
}

static void init(void)
{
    ghcomp_os_start();
    read_settings();
    read_device_settings();
    warn_others();
    uint32_t quota = ghcomp_env.ignore_quota ? 0 : ghcomp_cgroup_quota("");
    ghcomp_global.cpu_quota = quota != 0 ? quota : UINT32_MAX;
    ghcomp_global.num_cpus = ghcomp_os_cpus() < ghcomp_global.cpu_quota ? ghcomp_os_cpus() : ghcomp_global.cpu_quota;
    set_global();
    set_initial(&ghcomp_global.initial);
    ghcomp_wait_init();
    ghcomp_affinity_env_init();
    ghcomp_barrier_policy_init();
    if (ghcomp_env.display_env > 0 || ghcomp_env.debug)
        ghcomp_env_display(ghcomp_env.display_env == 2 || ghcomp_env.debug);
    if (ghcomp_env.kmp_version)
        ghcomp_env_display_version();
    if (ghcomp_env.kmp_settings)
        ghcomp_env_display_kmp();
}

static void set_again(int id)
{
    if (id == GHCOMP_SET_STACKSIZE)
        ghcomp_global.stacksize = ghcomp_env.stacksize;
    if (id == GHCOMP_SET_KMP_STACKSIZE)
        ghcomp_global.stacksize = ghcomp_env.kmp_stacksize;
    if (id == GHCOMP_SET_KMP_BLOCKTIME)
        ghcomp_wait_set_budget(ghcomp_env.blocktime);
    if (id == GHCOMP_SET_KMP_WARNINGS)
        ghcomp_warn_quietly(!ghcomp_env.kmp_warnings);
    ghcomp_store_relaxed(&ghcomp_global.league_threads, (uint32_t)ghcomp_env.league_threads);
    ghcomp_global.target_offload = (enum ghcomp_offload)ghcomp_env.target_offload;
    if (id == GHCOMP_SET_NUM_TEAMS)
        ghcomp_store_relaxed(&ghcomp_global.num_teams, (int)ghcomp_env.num_teams);
    if (id == GHCOMP_SET_TEAMS_THREAD_LIMIT)
        ghcomp_store_relaxed(&ghcomp_global.teams_thread_limit, (uint32_t)ghcomp_env.teams_thread_limit);
    set_for_regions(&ghcomp_global.initial);
}

/* The calling task's ICVs, where the new initial ones differ from the old; `all`, or only those that it has not changed
   since. */
static void adopt_changes(const struct ghcomp_icvs *old, bool all)
{
    const struct ghcomp_icvs *now = &ghcomp_global.initial;
    struct ghcomp_icvs *own = ghcomp_icv_own(ghcomp_self()->task);
    if ((now->nthreads != old->nthreads || now->nthreads_rest != old->nthreads_rest) &&
        (all || own->nthreads == old->nthreads)) {
        own->nthreads = now->nthreads;
        own->nthreads_rest = now->nthreads_rest;
        own->nthreads_rest_len = now->nthreads_rest_len;
    }
    if (now->dynamic != old->dynamic && (all || own->dynamic == old->dynamic))
        own->dynamic = now->dynamic;
    if (now->max_active_levels != old->max_active_levels && (all || own->max_active_levels == old->max_active_levels))
        own->max_active_levels = now->max_active_levels;
    if ((now->sched != old->sched || now->sched_chunk != old->sched_chunk || now->sched_by != old->sched_by) &&
        (all || own->sched_by == old->sched_by)) {
        own->sched = now->sched;
        own->sched_by = now->sched_by;
        own->sched_chunk = now->sched_chunk;
    }
    if (now->default_device != old->default_device && (all || own->default_device == old->default_device))
        own->default_device = now->default_device;
}

/* `who`: a program's routine has asked for it; NULL: the environment. */
static bool set_now(int id, const char *text, const char *who)
{
    const struct ghcomp_setting *row = &ghcomp_setting_table[id];
    if (!row->parse(row, text, row->value)) {
        char expects[256];
        without_quotes(row->expects, expects, sizeof expects);
        ghcomp_warn("%s%s='%s' is not %s; it stays as it was", who != NULL ? who : "", row->name,
                    ghcomp_shown(text).text, expects);
        return false;
    }
    good[id] = true;
    struct ghcomp_icvs old = ghcomp_global.initial;
    set_again(id);
    adopt_changes(&old, who != NULL);
    return true;
}

/* A variable that the program has taken away leaves its setting as it was. */
void ghcomp_env_read_again(void)
{
    const char *texts[GHCOMP_SETTINGS][FORMS] = {{NULL}};
    note_texts(texts);
    for (int id = 0; id < GHCOMP_SETTINGS; id++) {
        const char *text = texts[id][FORM_NAME];
        if (text != NULL && may_change(id) && (at_start[id] == NULL || strcmp(text, at_start[id]) != 0))
            set_now(id, text, NULL);
        free(at_start[id]);
        at_start[id] = NULL;
    }
}

bool ghcomp_env_set(const char *entry)
{
    size_t length = strcspn(entry, "=");
    for (int id = 0; id < GHCOMP_SETTINGS; id++) {
        const struct ghcomp_setting *row = &ghcomp_setting_table[id];
        const char *text = text_of(entry, row->name, "");
        if (text == NULL)
            continue;
        if (may_change(id))
            return set_now(id, text, "kmp_set_defaults: ");
        ghcomp_warn("kmp_set_defaults: %s is read when the program starts; set it in the environment", row->name);
        return false;
    }
    ghcomp_warn("kmp_set_defaults: %s is no setting of the form NAME=VALUE; nothing is set",
                ghcomp_shown_part(entry, length).text);
    return false;
}

void ghcomp_env_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, init);
}
