/* kmp_set_defaults: changes a setting while the program runs, as if it had been in the environment.
 *
 * The value is parsed into its place (env_table.c), ghcomp_global is updated from it, and the calling task's ICVs
 * change where the initial ones have. No other thread may be in the runtime meanwhile: this is a condition of the
 * routine. Called by abi/kmp/kmp_settings.c. Covered by test/clang/settings.c.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "core/affinity/display_affinity.h"
#include "core/cpu/wait.h"
#include "core/env/env_read.h"
#include "core/observe/observers.h"
#include "core/state/icv.h"
#include "core/state/types.h"

/* Whether the setting can change while the program runs. */
static bool may_change(int id)
{
    switch (id) {
    case GHCOMP_SET_DYNAMIC:
    case GHCOMP_SET_NESTED:
    case GHCOMP_SET_NUM_THREADS:
    case GHCOMP_SET_SCHEDULE:
    case GHCOMP_SET_MAX_ACTIVE_LEVELS:
    case GHCOMP_SET_THREAD_LIMIT:
    case GHCOMP_SET_CANCELLATION:
    case GHCOMP_SET_MAX_TASK_PRIORITY:
    case GHCOMP_SET_WAIT_POLICY:
    case GHCOMP_SET_AFFINITY_FORMAT:
    case GHCOMP_SET_KMP_LIBRARY:
    case GHCOMP_SET_KMP_DEVICE_THREAD_LIMIT:
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

static void set_cancellation(void)
{
    ghcomp_global.cancel = ghcomp_env.cancel;
    if (ghcomp_global.cancel)
        ghcomp_observers_add(GHCOMP_CANCELLABLE);
    else
        ghcomp_observers_remove(GHCOMP_CANCELLABLE);
}

/* Updates ghcomp_global for a setting that is not an ICV of a task. */
static void set_global(int id)
{
    switch (id) {
    case GHCOMP_SET_STACKSIZE:
        ghcomp_global.stacksize = ghcomp_env.stacksize;
        break;
    case GHCOMP_SET_KMP_STACKSIZE:
        ghcomp_global.stacksize = ghcomp_env.kmp_stacksize;
        break;
    case GHCOMP_SET_KMP_BLOCKTIME:
        ghcomp_wait_set_budget(ghcomp_env.blocktime);
        break;
    case GHCOMP_SET_WAIT_POLICY:
    case GHCOMP_SET_KMP_LIBRARY:
        ghcomp_env_set_waiting();
        ghcomp_wait_init();
        break;
    case GHCOMP_SET_CANCELLATION:
        set_cancellation();
        break;
    case GHCOMP_SET_MAX_TASK_PRIORITY:
        ghcomp_global.max_task_priority = (int)ghcomp_env.max_task_priority;
        break;
    case GHCOMP_SET_AFFINITY_FORMAT:
        ghcomp_affinity_format_set(ghcomp_settings.affinity_format);
        break;
    case GHCOMP_SET_KMP_WARNINGS:
        ghcomp_warn_quietly(!ghcomp_env.kmp_warnings);
        break;
    case GHCOMP_SET_KMP_TEAMS_THREAD_LIMIT:
        ghcomp_store_relaxed(&ghcomp_global.league_threads, (uint32_t)ghcomp_env.league_threads);
        break;
    case GHCOMP_SET_TARGET_OFFLOAD:
        ghcomp_global.target_offload = (enum ghcomp_offload)ghcomp_env.target_offload;
        break;
    case GHCOMP_SET_NUM_TEAMS:
        ghcomp_store_relaxed(&ghcomp_global.num_teams, (int)ghcomp_env.num_teams);
        break;
    case GHCOMP_SET_TEAMS_THREAD_LIMIT:
        ghcomp_store_relaxed(&ghcomp_global.teams_thread_limit, (uint32_t)ghcomp_env.teams_thread_limit);
        break;
    default:
        break;
    }
}

/* Sets the calling task's ICVs where the new initial ones differ from the old. */
static void adopt_changes(const struct ghcomp_icvs *old)
{
    const struct ghcomp_icvs *now = &ghcomp_global.initial;
    struct ghcomp_icvs *own = ghcomp_icv_own(ghcomp_self()->task);
    if (now->nthreads != old->nthreads || now->nthreads_rest != old->nthreads_rest) {
        own->nthreads = now->nthreads;
        own->nthreads_rest = now->nthreads_rest;
        own->nthreads_rest_len = now->nthreads_rest_len;
    }
    if (now->dynamic != old->dynamic)
        own->dynamic = now->dynamic;
    if (now->max_active_levels != old->max_active_levels)
        own->max_active_levels = now->max_active_levels;
    if (now->thread_limit != old->thread_limit)
        own->thread_limit = now->thread_limit;
    if (now->sched != old->sched || now->sched_chunk != old->sched_chunk || now->sched_by != old->sched_by) {
        own->sched = now->sched;
        own->sched_by = now->sched_by;
        own->sched_chunk = now->sched_chunk;
    }
    if (now->default_device != old->default_device)
        own->default_device = now->default_device;
}

static bool set_now(int id, const char *text)
{
    const struct ghcomp_setting *row = &ghcomp_setting_table[id];
    if (!row->parse(row, text, row->value)) {
        char expects[256];
        ghcomp_env_plain(row->expects, expects, sizeof expects);
        ghcomp_warn("kmp_set_defaults: %s='%s' is not %s; it stays as it was", row->name, ghcomp_shown(text).text,
                    expects);
        return false;
    }
    ghcomp_env_is_given(id);
    struct ghcomp_icvs old = ghcomp_global.initial;
    set_global(id);
    ghcomp_env_set_for_regions(&ghcomp_global.initial);
    adopt_changes(&old);
    return true;
}

bool ghcomp_env_set(const char *entry)
{
    size_t length = strcspn(entry, "=");
    for (int id = 0; id < GHCOMP_SETTINGS; id++) {
        const struct ghcomp_setting *row = &ghcomp_setting_table[id];
        const char *text = ghcomp_env_text_of(entry, row->name, "");
        if (text == NULL)
            continue;
        if (may_change(id))
            return set_now(id, text);
        ghcomp_warn("kmp_set_defaults: %s is read at the first call alone; set it in the environment", row->name);
        return false;
    }
    ghcomp_warn("kmp_set_defaults: %s is no setting of the form NAME=VALUE; nothing is set",
                ghcomp_shown_part(entry, length).text);
    return false;
}
