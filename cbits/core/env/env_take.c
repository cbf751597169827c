/* The parsers of the table's rows: from a row's columns to env_parse.c and env_parse_kmp.c. Used by env_table.c.
 * Covered by test/conformance/env and test/scripts/environment.sh (a bad value for every row). */
#include "core/env/env_take.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/affinity/display_affinity.h"
#include "core/env/env_read.h"
#include "core/state/icv.h"
#include "host/os.h"

bool ghcomp_env_take_bool(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    return ghcomp_env_parse_kmp_bool(text, into);
}

bool ghcomp_env_take_number(const struct ghcomp_setting *row, const char *text, void *into)
{
    return ghcomp_env_parse_number(text, row->low, row->high, row->clip, into);
}

bool ghcomp_env_take_word(const struct ghcomp_setting *row, const char *text, void *into)
{
    return ghcomp_env_parse_word(text, row->words, into);
}

bool ghcomp_env_take_numbers(const struct ghcomp_setting *row, const char *text, void *into)
{
    return ghcomp_env_parse_numbers(text, row->low, row->high, into);
}

bool ghcomp_env_take_size(const struct ghcomp_setting *row, const char *text, void *into)
{
    return ghcomp_env_parse_size(text, (size_t)row->low, into);
}

bool ghcomp_env_take_count(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    return ghcomp_env_parse_count(text, into);
}

bool ghcomp_env_take_devices(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    return ghcomp_env_parse_devices(text, into);
}

bool ghcomp_env_take_schedule(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    return ghcomp_env_parse_schedule(text, into);
}

/* A copy, because setenv and putenv may change the environment's own strings. */
bool ghcomp_env_take_string(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    size_t size = strlen(text) + 1;
    *(char **)into = memcpy(ghcomp_alloc(size), text, size);
    return true;
}

/* Malformed fields have a meaning in clang's code alone. */
bool ghcomp_env_take_format(const struct ghcomp_setting *row, const char *text, void *into)
{
    char wrong[512];
    return (ghcomp_affinity_format_check(text, wrong, sizeof wrong) || ghcomp_env_is_for_libomp()) &&
           ghcomp_env_take_string(row, text, into);
}

void ghcomp_env_warn_format(const struct ghcomp_setting *row, const char *name, const char *text, const char *expects,
                            const char *instead)
{
    char wrong[512];
    (void)row, (void)expects;
    ghcomp_invariant(!ghcomp_affinity_format_check(text, wrong, sizeof wrong));
    ghcomp_warn("%s='%s' %s; using the default, %s", name, ghcomp_shown(text).text, wrong, instead);
}

bool ghcomp_env_take_allocator(const struct ghcomp_setting *row, const char *text, void *into)
{
    struct ghcomp_env_named_allocator *allocator = into;
    const char *wrong;
    return ghcomp_env_parse_allocator(text, row->words, &allocator->is, &wrong) &&
           ghcomp_env_take_string(row, text, &allocator->text);
}

/* The messages begin as libgomp's do, because GCC's tests match them. */
void ghcomp_env_warn_allocator(const struct ghcomp_setting *row, const char *name, const char *text,
                               const char *expects, const char *instead)
{
    struct ghcomp_env_allocator allocator;
    const char *wrong;
    ghcomp_invariant(!ghcomp_env_parse_allocator(text, row->words, &allocator, &wrong));
    if (wrong == NULL)
        ghcomp_warn_compat("Allocator of environment variable %s cannot be created, using %s instead; an alignment is "
                           "a power of two, not as in '%s'", name, instead, ghcomp_shown(text).text);
    else if (*wrong == '\0')
        ghcomp_warn_compat("Missing value at the end of environment variable %s=%s; it takes %s; using %s", name,
                           ghcomp_shown(text).text, expects, instead);
    else
        ghcomp_warn_compat("Invalid value for environment variable %s when parsing: %s; it takes %s; using %s", name,
                           ghcomp_shown(wrong).text, expects, instead);
}

/* GOMP_DEBUG is a number in libgomp: 0 is off. */
bool ghcomp_env_take_switch(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    uint64_t number;
    if (!ghcomp_env_parse_number(text, 0, INT_MAX, true, &number))
        return false;
    *(bool *)into = number != 0;
    return true;
}

/* A list of policies; `true` and `false` are not allowed in a list with others. */
bool ghcomp_env_take_proc_bind(const struct ghcomp_setting *row, const char *text, void *into)
{
    struct ghcomp_env_list list;
    if (!ghcomp_env_parse_words(text, row->words, &list))
        return false;
    for (uint32_t i = 0; list.length > 1 && i < list.length; i++)
        if (list.items[i] == GHCOMP_BIND_FALSE || list.items[i] == GHCOMP_BIND_TRUE) {
            free(list.items);
            return false;
        }
    *(struct ghcomp_env_list *)into = list;
    return true;
}

bool ghcomp_env_take_kmp_time(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    return ghcomp_env_parse_kmp_time(text, into);
}

bool ghcomp_env_take_kmp_affinity(const struct ghcomp_setting *row, const char *text, void *into)
{
    return ghcomp_env_parse_kmp_affinity(text, into) &&
           ghcomp_env_take_string(row, text, &ghcomp_settings.kmp_affinity_text);
}

bool ghcomp_env_take_reserve(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    return ghcomp_env_parse_reserve(text, into);
}

/* `row->low` is a size in bytes, and a number without a suffix is one, too. */
bool ghcomp_env_take_kmp_size(const struct ghcomp_setting *row, const char *text, void *into)
{
    return ghcomp_env_parse_bytes(text, (size_t)row->low, into);
}

/* A number, or `all`: one thread for each CPU. */
bool ghcomp_env_take_kmp_threads(const struct ghcomp_setting *row, const char *text, void *into)
{
    static const struct ghcomp_env_word words[] = {{"all", 0}, {NULL, 0}};
    int all;
    if (!ghcomp_env_parse_word(text, words, &all))
        return ghcomp_env_take_number(row, text, into);
    *(uint64_t *)into = ghcomp_os_cpus();
    return true;
}

bool ghcomp_env_take_hw_subset(const struct ghcomp_setting *row, const char *text, void *into)
{
    return ghcomp_env_parse_hw_subset(text, into) &&
           ghcomp_env_take_string(row, text, &ghcomp_settings.hw_subset_text);
}

bool ghcomp_env_take_kmp_branches(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    return ghcomp_env_parse_kmp_branches(text, into);
}

bool ghcomp_env_take_kmp_patterns(const struct ghcomp_setting *row, const char *text, void *into)
{
    (void)row;
    return ghcomp_env_parse_kmp_patterns(text, into);
}

/* One of the row's words, or one of libomp's for true and false. */
bool ghcomp_env_take_display(const struct ghcomp_setting *row, const char *text, void *into)
{
    bool truth;
    if (ghcomp_env_parse_word(text, row->words, into))
        return true;
    if (!ghcomp_env_parse_kmp_bool(text, &truth))
        return false;
    *(int *)into = truth;
    return true;
}

/* As in libomp, an empty text is the default, and any text that is not one of the words disables tools. */
bool ghcomp_env_take_tool(const struct ghcomp_setting *row, const char *text, void *into)
{
    if (*text == '\0' || ghcomp_env_parse_word(text, row->words, into))
        return true;
    *(int *)into = GHCOMP_TOOL_DISABLED;
    return false;
}

void ghcomp_env_warn_tool(const struct ghcomp_setting *row, const char *name, const char *text, const char *expects,
                          const char *instead)
{
    (void)row, (void)instead;
    ghcomp_warn("%s='%s' is not %s; no tool runs", name, ghcomp_shown(text).text, expects);
}
