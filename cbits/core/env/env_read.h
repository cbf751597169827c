/* The environment's texts, and the values that they give (env_read.c). Used by env.c, env_first.c, env_set.c. */
#pragma once

#include "core/env/env_table.h"
#include "core/state/icv.h"

/* Fills ghcomp_env, ghcomp_settings and ghcomp_device_settings, and reports bad texts on stderr. `again`: reads the
 * environment as it is now, except GHCOMP_* and NAME_DEV. Called by the constructor's thread, or by the one in
 * env_first.c. */
void ghcomp_env_read(bool again);
/* Whether the environment has changed since it was read. */
bool ghcomp_env_changed(void);
/* Records that a call has given the setting a good value. */
void ghcomp_env_is_given(enum ghcomp_setting_id id);

/* The values of the first reading, when there has been a second one. */
extern struct ghcomp_env ghcomp_env_before;
extern struct ghcomp_settings ghcomp_settings_before;
extern struct ghcomp_icvs ghcomp_icvs_before; /* env.c */

/* The text of `entry` behind "NAME=" (suffix "") or "NAME_ALL="; NULL: it is another variable. */
const char *ghcomp_env_text_of(const char *entry, const char *name, const char *suffix);
/* Copies the text without backquotes, by which documentation, but not messages, marks literals. */
void ghcomp_env_plain(const char *text, char *plain, size_t size);

/* In env.c: set the initial ICVs and ghcomp_global from the values. kmp_set_defaults calls the first two as well. */
void ghcomp_env_set_for_regions(struct ghcomp_icvs *icv);
void ghcomp_env_set_waiting(void);
void ghcomp_env_set_all(bool again);
/* Prints what OMP_DISPLAY_ENV, GOMP_DEBUG, KMP_VERSION and KMP_SETTINGS ask for, unless it is printed already and not
   `again`. */
void ghcomp_env_show(bool again);
/* Whether they ask for anything. */
bool ghcomp_env_to_show(void);
