/* Parsers of libomp's variables for the machine's parts and for barriers; contract in env_parse_kmp.h.
 *
 *   KMP_HW_SUBSET               [ ':' ] part { ( ',' | 'x' ) part }
 *   part                        [ number | '*' ] [ level ] [ '@' offset ] { ':' attribute }
 *   KMP_PLAIN_BARRIER           number [ ',' number ]
 *   KMP_PLAIN_BARRIER_PATTERN   name [ ',' name ]
 *
 * A level may be shortened to its first letters, and may be a plural. A part without a level means sockets, as in
 * libomp, but no part may be empty. An attribute names the kind of a core; only its form is checked.
 *
 * Called by env_take.c. Covered by test/unit/env_parse_machine.c.
 */
#include <stdint.h>
#include <string.h>

#include "core/env/env_parse_kmp.h"
#include "core/env/env_scan.h"

/* --- KMP_HW_SUBSET ------------------------------------------------------------------------------------------------ */

/* A shortened name means the first row that begins with it. */
static const struct ghcomp_env_word levels[] = {
    {"socket", GHCOMP_HW_SOCKET},   {"numa_domain", GHCOMP_HW_NODE}, {"node", GHCOMP_HW_NODE},
    {"core", GHCOMP_HW_CORE},       {"thread", GHCOMP_HW_THREAD},    {"l3_cache", GHCOMP_HW_CACHE},
    {"ll_cache", GHCOMP_HW_CACHE},  {"l1_cache", GHCOMP_HW_OTHER},   {"l2_cache", GHCOMP_HW_OTHER},
    {"die", GHCOMP_HW_OTHER},       {"module", GHCOMP_HW_OTHER},     {"tile", GHCOMP_HW_OTHER},
    {"proc_group", GHCOMP_HW_OTHER}, {NULL, 0}};

/* The length of the word at `at`: letters, digits and _, but no x, which separates parts. */
static size_t word_length(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ_0123456789");
}

static bool take_level(const char **at, int *level)
{
    ghcomp_scan_space(at);
    size_t length = word_length(*at), singular = length;
    if (length == 0) {
        *level = GHCOMP_HW_SOCKET;
        return true;
    }
    if (length > 1 && ((*at)[length - 1] == 's' || (*at)[length - 1] == 'S'))
        singular--;
    if (singular == 1 && (**at == 'l' || **at == 'L'))
        return false; /* ambiguous: it could be any cache level */
    for (const struct ghcomp_env_word *word = levels; word->name != NULL; word++)
        if (strlen(word->name) >= singular && strncasecmp(word->name, *at, singular) == 0) {
            *at += length;
            *level = word->value;
            return true;
        }
    return false;
}

/* Takes what follows a colon: `intel_core`, `intel_atom`, or `eff` with a number. */
static bool take_attribute(const char **at)
{
    static const struct ghcomp_env_word kinds[] = {{"intel_core", 0}, {"intel_atom", 0}, {NULL, 0}};
    int kind;
    ghcomp_scan_space(at);
    size_t length = word_length(*at);
    if (ghcomp_scan_word(at, length, kinds, &kind))
        return true;
    if (length < 4 || strncasecmp(*at, "eff", 3) != 0 || strspn(*at + 3, "0123456789") != length - 3)
        return false;
    *at += length;
    return true;
}

/* At most five digits: no machine has more of anything. */
static bool take_count(const char **at, uint32_t *count)
{
    uint64_t number;
    if (!ghcomp_scan_digits(at, 5, &number))
        return false;
    *count = (uint32_t)number;
    return true;
}

static bool take_part(const char **at, struct ghcomp_hw_subset *subset)
{
    uint32_t number = UINT32_MAX, offset = 0;
    int level;
    ghcomp_scan_space(at);
    const char *start = *at;
    if (!ghcomp_scan_char(at, '*') && take_count(at, &number) && number == 0)
        return false;
    if (!take_level(at, &level) || *at == start)
        return false;
    if (ghcomp_scan_char(at, '@') && !take_count(at, &offset))
        return false;
    while (ghcomp_scan_char(at, ':')) {
        if (level != GHCOMP_HW_CORE || !take_attribute(at))
            return false;
        subset->attributes = true;
    }
    if (level == GHCOMP_HW_OTHER) {
        subset->other = true;
        return true;
    }
    if (subset->levels[level].given)
        return false;
    subset->levels[level].given = true;
    subset->levels[level].number = number;
    subset->levels[level].offset = offset;
    return true;
}

bool ghcomp_env_parse_hw_subset(const char *text, struct ghcomp_hw_subset *value)
{
    struct ghcomp_hw_subset subset = {.absolute = ghcomp_scan_char(&text, ':')};
    do
        if (!take_part(&text, &subset))
            return false;
    while (ghcomp_scan_char(&text, ',') || ghcomp_scan_char(&text, 'x') || ghcomp_scan_char(&text, 'X'));
    if (!ghcomp_scan_end(&text))
        return false;
    *value = subset;
    return true;
}

/* --- barriers ----------------------------------------------------------------------------------------------------- */

static bool take_branches(const char **at, uint8_t *bits)
{
    uint64_t number;
    if (!ghcomp_scan_digits(at, 2, &number) || number > 31)
        return false;
    *bits = (uint8_t)number;
    return true;
}

static bool take_pattern(const char **at, uint8_t *pattern)
{
    static const struct ghcomp_env_word names[] = {
        {"linear", GHCOMP_PATTERN_LINEAR}, {"tree", GHCOMP_PATTERN_TREE},
        {"hyper", GHCOMP_PATTERN_HYPER},   {"hierarchical", GHCOMP_PATTERN_HIERARCHICAL},
        {"hier", GHCOMP_PATTERN_HIERARCHICAL}, {"dist", GHCOMP_PATTERN_DIST}, {NULL, 0}};
    int found;
    ghcomp_scan_space(at);
    if (!ghcomp_scan_word(at, word_length(*at), names, &found))
        return false;
    *pattern = (uint8_t)found;
    return true;
}

static bool take_pair(const char *text, bool (*take)(const char **, uint8_t *), struct ghcomp_kmp_pair *value)
{
    struct ghcomp_kmp_pair pair = {.release = value->release, .given = true};
    if (!take(&text, &pair.gather) || (ghcomp_scan_char(&text, ',') && !take(&text, &pair.release)) ||
        !ghcomp_scan_end(&text))
        return false;
    *value = pair;
    return true;
}

bool ghcomp_env_parse_kmp_branches(const char *text, struct ghcomp_kmp_pair *value)
{
    return take_pair(text, take_branches, value);
}

/* libomp's distributed barrier always serves both halves. */
bool ghcomp_env_parse_kmp_patterns(const char *text, struct ghcomp_kmp_pair *value)
{
    if (!take_pair(text, take_pattern, value))
        return false;
    if (value->gather == GHCOMP_PATTERN_DIST || value->release == GHCOMP_PATTERN_DIST)
        value->gather = value->release = GHCOMP_PATTERN_DIST;
    return true;
}
