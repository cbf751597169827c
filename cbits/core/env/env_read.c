/* From the environment to the values of settings: the first steps of env.c's list.
 *
 * The environment is read when the library is loaded, and once more where code for libomp makes the process's first
 * call and something has changed since (env_first.c). `kept` has copies of the texts that the values in force come
 * from. GHCOMP_* variables are read at load alone, since parts of the runtime act on them there. A bad text is reported
 * once, at load.
 *
 * Covered by test/conformance/env, test/scripts/environment.sh and test/clang/environment_late.c.
 */
#include "core/env/env_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/check.h"

/* The spellings of a setting's name, in order of precedence. */
enum form { FORM_NAME, FORM_ALIAS, FORM_ALL, FORMS };

/* Bounds the time that these settings take; no program has so many devices. */
enum { MOST_DEVICE_SETTINGS = 4096 };

struct ghcomp_device_setting *ghcomp_device_settings;

/* Written by one thread at a time: the constructor's, later the one in env_first.c's pthread_once. */
static bool good[GHCOMP_SETTINGS];
static char *kept[GHCOMP_SETTINGS][FORMS]; /* NULL: the variable was not there */

bool ghcomp_env_given(enum ghcomp_setting_id id)
{
    return good[id];
}

void ghcomp_env_is_given(enum ghcomp_setting_id id)
{
    good[id] = true;
}

/* The text of `entry` behind "NAME=" (suffix "") or "NAME_ALL="; NULL: it is another variable. */
const char *ghcomp_env_text_of(const char *entry, const char *name, const char *suffix)
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
            [FORM_NAME] = ghcomp_env_text_of(entry, row->name, ""),
            [FORM_ALIAS] = row->alias != NULL ? ghcomp_env_text_of(entry, row->alias, "") : NULL,
            [FORM_ALL] = ghcomp_setting_has_device_forms(row) ? ghcomp_env_text_of(entry, row->name, "_ALL") : NULL,
        };
        for (int form = 0; form < FORMS; form++)
            if (found[form] != NULL && texts[id][form] == NULL)
                texts[id][form] = found[form];
    }
}

static void note_texts(const char *texts[GHCOMP_SETTINGS][FORMS])
{
    bool privileged = getauxval(AT_SECURE) != 0; /* a set-user-ID program, say: the test of secure_getenv */
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
        if (strncmp(*entry, "OMP_", 4) == 0 || strncmp(*entry, "GOMP_", 5) == 0 || strncmp(*entry, "KMP_", 4) == 0 ||
            (strncmp(*entry, "GHCOMP_", 7) == 0 && !privileged))
            if (!privileged || strncmp(*entry, "OMP_TOOL_", 9) != 0) /* OMP_TOOL_* name code to load and files to
                                                                        write */
                note_entry(*entry, texts);
}

static void full_name(const struct ghcomp_setting *row, int form, char *name, size_t size)
{
    snprintf(name, size, "%s%s", form == FORM_ALIAS ? row->alias : row->name, form == FORM_ALL ? "_ALL" : "");
}

/* Copies the text without backquotes, by which documentation, but not messages, marks literals. */
void ghcomp_env_plain(const char *text, char *plain, size_t size)
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
    ghcomp_env_plain(row->expects, expects, sizeof expects);
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
    static uint32_t count;
    if (count == MOST_DEVICE_SETTINGS) {
        ghcomp_warn("%.*s: there are more than %d settings for devices; it and the rest of them are ignored",
                    (int)strcspn(entry, "="), entry, MOST_DEVICE_SETTINGS);
        count++;
    }
    if (count > MOST_DEVICE_SETTINGS)
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
        count++;
        return;
    }
    free(set);
    /* read_settings has reported a bad NAME_ALL, unless it stopped before that at the good value of an earlier name. */
    if (strcmp(device, "all") != 0 || good[row - ghcomp_setting_table]) {
        char expects[256];
        ghcomp_env_plain(row->expects, expects, sizeof expects);
        ghcomp_warn("%.*s='%s' is not %s; it is ignored", (int)(text - 1 - entry), entry, ghcomp_shown(text).text,
                    expects);
    }
}

/* Keeps the setting if the entry is NAME_ALL, NAME_DEV or NAME_DEV_n of a row. */
static void note_device_entry(const char *entry)
{
    size_t name_length = strcspn(entry, "=");
    for (const struct ghcomp_setting *row = ghcomp_setting_table; row < ghcomp_setting_table + GHCOMP_SETTINGS; row++) {
        size_t length = strlen(row->name);
        if (!ghcomp_setting_has_device_forms(row) || strncmp(entry, row->name, length) != 0)
            continue;
        const char *number = entry + length + strlen("_DEV_");
        if (ghcomp_env_text_of(entry, row->name, "_ALL") != NULL) {
            keep_device_setting(row, entry, "all", strlen("all"));
        } else if (ghcomp_env_text_of(entry, row->name, "_DEV") != NULL) {
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

/* Fills `texts` from the environment as it is now, but for GHCOMP_* as it was at load. */
static void note_now(const char *texts[GHCOMP_SETTINGS][FORMS], bool again)
{
    note_texts(texts);
    for (int id = 0; again && id < GHCOMP_SETTINGS; id++)
        if (strncmp(ghcomp_setting_table[id].name, "GHCOMP_", 7) == 0)
            memcpy(texts[id], kept[id], sizeof texts[id]);
}

static bool same(const char *one, const char *other)
{
    return one == NULL || other == NULL ? one == other : strcmp(one, other) == 0;
}

bool ghcomp_env_changed(void)
{
    const char *texts[GHCOMP_SETTINGS][FORMS] = {{NULL}};
    note_now(texts, true);
    for (int id = 0; id < GHCOMP_SETTINGS; id++)
        for (int form = 0; form < FORMS; form++)
            if (!same(texts[id][form], kept[id][form]))
                return true;
    return false;
}

/* The first reading's allocations stay, and leak checkers find them here. */
struct ghcomp_env ghcomp_env_before;
struct ghcomp_settings ghcomp_settings_before;

/* Keeps the defaults before the first reading; restores them, and keeps the first reading's values, before the
   second. */
static void start_from_defaults(bool again)
{
    static struct ghcomp_env env_defaults;
    static struct ghcomp_settings defaults;
    if (again) {
        ghcomp_env_before = ghcomp_env;
        ghcomp_settings_before = ghcomp_settings;
        ghcomp_env = env_defaults;
        ghcomp_settings = defaults;
    } else {
        env_defaults = ghcomp_env;
        defaults = ghcomp_settings;
    }
}

static void keep(const char *texts[GHCOMP_SETTINGS][FORMS])
{
    for (int id = 0; id < GHCOMP_SETTINGS; id++)
        for (int form = 0; form < FORMS; form++)
            if (!same(texts[id][form], kept[id][form])) {
                free(kept[id][form]);
                kept[id][form] = NULL;
                if (texts[id][form] != NULL)
                    kept[id][form] = strcpy(ghcomp_alloc(strlen(texts[id][form]) + 1), texts[id][form]);
            }
}

static void read_settings(bool again)
{
    const char *texts[GHCOMP_SETTINGS][FORMS] = {{NULL}};
    int used[GHCOMP_SETTINGS] = {0};
    note_now(texts, again);
    start_from_defaults(again);
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
            if (texts[id][form] != NULL && !same(texts[id][form], kept[id][form]))
                warn_bad(&ghcomp_setting_table[id], form, used[id], texts[id][form]);
    keep(texts);
}

/* Warns, in one line, of libomp's variables that the runtime does not have. */
static void warn_others(void)
{
    /* Not warned of, because the runtime always behaves as these variables ask. */
    static const char *const always[] = {"KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "KMP_DISP_NUM_BUFFERS"};
    static char before[600];
    char names[sizeof before] = "";
    size_t length = 0;
    for (char **entry = environ; entry != NULL && *entry != NULL && length < sizeof names - 300; entry++) {
        if (strncmp(*entry, "KMP_", 4) != 0)
            continue;
        bool known = false;
        for (int id = 0; id < GHCOMP_SETTINGS; id++) {
            const struct ghcomp_setting *row = &ghcomp_setting_table[id];
            known |= ghcomp_env_text_of(*entry, row->name, "") ||
                     (row->alias != NULL && ghcomp_env_text_of(*entry, row->alias, ""));
        }
        for (size_t i = 0; i < sizeof always / sizeof *always; i++)
            known |= ghcomp_env_text_of(*entry, always[i], "") != NULL;
        if (!known)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                                       ghcomp_shown_part(*entry, strcspn(*entry, "=")).text);
    }
    if (length > 0 && strcmp(names, before) != 0)
        ghcomp_warn("%s: such a variable of libomp's has no effect here", names);
    memcpy(before, names, sizeof before);
}

void ghcomp_env_read(bool again)
{
    read_settings(again);
    if (!again)
        read_device_settings();
    warn_others();
}
