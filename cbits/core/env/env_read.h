/* The environment's texts, and the values that they give (env_read.c). Used by env.c, env_first.c, env_set.c. */
#pragma once

#include "core/env/env_table.h"
#include "core/state/icv.h"

/* Fills ghcomp_env, ghcomp_settings and ghcomp_device_settings, and reports bad texts on stderr. `again`: from the
 * environment as it is now, but for GHCOMP_* and NAME_DEV. The constructor's thread, or the one in env_first.c. */
void ghcomp_env_read(bool again);
/* Whether the environment has changed since it was read. */
bool ghcomp_env_changed(void);
/* The setting has got a good value by a call. */
void ghcomp_env_is_given(enum ghcomp_setting_id id);

/* The values of the first reading, when there has been a second one. */
extern struct ghcomp_env ghcomp_env_before;
extern struct ghcomp_settings ghcomp_settings_before;
extern struct ghcomp_icvs ghcomp_icvs_before; /* env.c */

/* Whether `entry` is "NAME=..." (suffix "") or "NAME_ALL=...": its text, or NULL. */
const char *ghcomp_env_text_of(const char *entry, const char *name, const char *suffix);
/* Documentation marks literal text with backquotes; messages do without. */
void ghcomp_env_plain(const char *text, char *plain, size_t size);

/* env.c: the initial ICVs and ghcomp_global from the values; the first two also after kmp_set_defaults. */
void ghcomp_env_set_for_regions(struct ghcomp_icvs *icv);
void ghcomp_env_set_waiting(void);
void ghcomp_env_set_all(bool again);
