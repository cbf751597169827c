/* Parsers of libomp's values; contract in env_parse_kmp.h.
 *
 *   KMP_AFFINITY   part { ',' part } [ ',' permute [ ',' offset ] ]
 *   part           a type, a modifier, granularity=LEVEL, proclist=[ item { ',' item } ]
 *   item           '{' cpu { ',' cpu } '}'  |  cpu [ '-' cpu [ ':' stride ] ]
 *
 * The numbers come after the type; a type without permutation has only one, the offset. A list of CPUs is turned into
 * the same list in OMP_PLACES' grammar, whose parser (places.c) bounds its size.
 *
 * Called by env_take.c. Covered by test/unit/env_parse_kmp.c.
 */
#include "core/env/env_parse_kmp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/env/env_scan.h"

/* --- scanning: with env_scan.h ------------------------------------------------------------------------------------ */

/* Takes one of the words, up to a separator. */
static bool take_word(const char **at, const struct ghcomp_env_word *words, int *value)
{
    ghcomp_scan_space(at);
    return ghcomp_scan_word(at, strcspn(*at, ",= \t\n\v\f\r[]{}"), words, value);
}

/* At most five digits: no CPU, level or permutation has more. */
static bool take_number(const char **at, uint32_t *value)
{
    uint64_t number;
    if (!ghcomp_scan_digits(at, 5, &number))
        return false;
    *value = (uint32_t)number;
    return true;
}

/* --- truth and time ----------------------------------------------------------------------------------------------- */

bool ghcomp_env_parse_kmp_bool(const char *text, bool *value)
{
    static const struct ghcomp_env_word words[] = {
        {"true", 1},  {"t", 1},  {".true.", 1},  {".t.", 1}, {"yes", 1}, {"y", 1}, {"on", 1},  {"1", 1},
        {"false", 0}, {"f", 0},  {".false.", 0}, {".f.", 0}, {"no", 0},  {"n", 0}, {"off", 0}, {"0", 0},
        {"enabled", 1}, {"disabled", 0},
        {NULL, 0}};
    int found;
    if (!take_word(&text, words, &found) || !ghcomp_scan_end(&text))
        return false;
    *value = found;
    return true;
}

bool ghcomp_env_parse_kmp_time(const char *text, uint64_t *nanoseconds)
{
    static const struct ghcomp_env_word endless[] = {{"infinite", 0}, {"infinity", 0}, {NULL, 0}};
    static const struct ghcomp_env_word units[] = {{"ms", 1000000}, {"us", 1000}, {NULL, 0}};
    int unit = 1000000;
    if (take_word(&text, endless, &unit)) {
        if (!ghcomp_scan_end(&text))
            return false;
        *nanoseconds = UINT64_MAX;
        return true;
    }
    uint64_t number;
    if (!ghcomp_scan_digits(&text, 10, &number))
        return false;
    if (!ghcomp_scan_end(&text) && (!take_word(&text, units, &unit) || !ghcomp_scan_end(&text)))
        return false;
    *nanoseconds = number * (uint64_t)unit;
    return true;
}

/* --- affinity ----------------------------------------------------------------------------------------------------- */

enum part { TYPE, VERBOSE, NOVERBOSE, RESET, NORESET, ACCEPTED, GRANULARITY, PROCLIST };

static const struct ghcomp_env_word types[] = {{"none", GHCOMP_KMP_AFFINITY_NONE},
                                               {"disabled", GHCOMP_KMP_AFFINITY_DISABLED},
                                               {"compact", GHCOMP_KMP_AFFINITY_COMPACT},
                                               {"logical", GHCOMP_KMP_AFFINITY_COMPACT},
                                               {"scatter", GHCOMP_KMP_AFFINITY_SCATTER},
                                               {"physical", GHCOMP_KMP_AFFINITY_SCATTER},
                                               {"balanced", GHCOMP_KMP_AFFINITY_BALANCED},
                                               {"explicit", GHCOMP_KMP_AFFINITY_EXPLICIT},
                                               {NULL, 0}};

/* ACCEPTED: no effect, because the runtime always behaves so or has nothing similar. */
static const struct ghcomp_env_word modifiers[] = {
    {"verbose", VERBOSE},     {"noverbose", NOVERBOSE},    {"warnings", ACCEPTED}, {"nowarnings", ACCEPTED},
    {"respect", ACCEPTED},    {"norespect", ACCEPTED},     {"duplicates", ACCEPTED}, {"noduplicates", ACCEPTED},
    {"reset", RESET},         {"noreset", NORESET},        {"granularity", GRANULARITY},
    {"proclist", PROCLIST},   {NULL, 0}};

static const struct ghcomp_env_word levels[] = {
    {"fine", GHCOMP_KMP_THREAD},   {"thread", GHCOMP_KMP_THREAD},   {"core", GHCOMP_KMP_CORE},
    {"tile", GHCOMP_KMP_CORE},     {"l1_cache", GHCOMP_KMP_CORE},   {"l2_cache", GHCOMP_KMP_CORE},
    {"l3_cache", GHCOMP_KMP_CACHE}, {"ll_cache", GHCOMP_KMP_CACHE}, {"numa", GHCOMP_KMP_NODE},
    {"numa_domain", GHCOMP_KMP_NODE}, {"node", GHCOMP_KMP_NODE},    {"die", GHCOMP_KMP_SOCKET},
    {"socket", GHCOMP_KMP_SOCKET}, {"package", GHCOMP_KMP_SOCKET},  {NULL, 0}};

/* Takes an item of a list, and writes it as one place or several in OMP_PLACES' grammar. */
static bool take_item(const char **at, FILE *out)
{
    uint32_t first, last, stride = 1;
    if (ghcomp_scan_char(at, '{')) {
        for (const char *before = "{"; ; before = ",") {
            if (!take_number(at, &first))
                return false;
            fprintf(out, "%s%u", before, first);
            if (ghcomp_scan_char(at, '}'))
                break;
            if (!ghcomp_scan_char(at, ','))
                return false;
        }
        return fputc('}', out) != EOF;
    }
    if (!take_number(at, &first))
        return false;
    fprintf(out, "{%u}", first);
    if (!ghcomp_scan_char(at, '-'))
        return true;
    if (!take_number(at, &last))
        return false;
    bool down = false;
    if (ghcomp_scan_char(at, ':')) {
        down = ghcomp_scan_char(at, '-');
        if (!take_number(at, &stride) || stride == 0)
            return false;
    }
    if (down ? last > first : last < first)
        return false;
    fprintf(out, ":%u:%s%u", (down ? first - last : last - first) / stride + 1, down ? "-" : "", stride);
    return true;
}

/* =[item,...] */
static bool take_list(const char **at, FILE *out)
{
    if (!ghcomp_scan_char(at, '=') || !ghcomp_scan_char(at, '['))
        return false;
    for (;;) {
        if (!take_item(at, out))
            return false;
        if (ghcomp_scan_char(at, ']'))
            return true;
        if (!ghcomp_scan_char(at, ','))
            return false;
        fputc(',', out);
    }
}

static bool take_places(const char **at, char **places)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        ghcomp_fatal("out of memory: the places of KMP_AFFINITY cannot be kept");
    bool good = take_list(at, out), whole = !ferror(out);
    if (fclose(out) != 0 || !whole)
        ghcomp_fatal("out of memory: the places of KMP_AFFINITY cannot be kept");
    free(*places);
    *places = text;
    return good;
}

static bool take_modifier(const char **at, struct ghcomp_kmp_affinity *affinity)
{
    int modifier;
    if (!take_word(at, modifiers, &modifier))
        return false;
    switch (modifier) {
    case VERBOSE:
    case NOVERBOSE:
        affinity->verbose = modifier == VERBOSE;
        return true;
    case RESET:
    case NORESET:
        affinity->reset = modifier == RESET;
        affinity->noreset = modifier == NORESET;
        return true;
    case GRANULARITY:
        return ghcomp_scan_char(at, '=') && take_word(at, levels, &affinity->granularity);
    case PROCLIST:
        return take_places(at, &affinity->places);
    default:
        return true;
    }
}

/* Stores the numbers after the type: its permutation, if it has one, then the offset. False: the type cannot have so
   many. */
static bool put_numbers(struct ghcomp_kmp_affinity *affinity, const uint32_t *numbers, int count)
{
    bool permutes = affinity->type == GHCOMP_KMP_AFFINITY_COMPACT || affinity->type == GHCOMP_KMP_AFFINITY_SCATTER;
    if (count == 0)
        return true;
    if (affinity->type < GHCOMP_KMP_AFFINITY_COMPACT || count > (permutes ? 2 : 1))
        return false;
    affinity->permute = permutes ? numbers[0] : 0;
    affinity->offset = permutes ? (count == 2 ? numbers[1] : 0) : numbers[0];
    return true;
}

static bool parse_parts(const char *text, struct ghcomp_kmp_affinity *affinity)
{
    uint32_t numbers[2];
    int count = 0;
    do {
        int type;
        if (take_word(&text, types, &type)) {
            if (affinity->type != GHCOMP_KMP_AFFINITY_OTHERS || count > 0)
                return false;
            affinity->type = type;
        } else if (count < 2 && take_number(&text, &numbers[count])) {
            count++;
        } else if (!take_modifier(&text, affinity)) {
            return false;
        }
    } while (ghcomp_scan_char(&text, ','));
    if (affinity->places != NULL && affinity->type == GHCOMP_KMP_AFFINITY_OTHERS)
        affinity->type = GHCOMP_KMP_AFFINITY_EXPLICIT;
    return ghcomp_scan_end(&text) && put_numbers(affinity, numbers, count) &&
           (affinity->type == GHCOMP_KMP_AFFINITY_EXPLICIT) == (affinity->places != NULL);
}

bool ghcomp_env_parse_kmp_affinity(const char *text, struct ghcomp_kmp_affinity *value)
{
    struct ghcomp_kmp_affinity affinity = {.type = GHCOMP_KMP_AFFINITY_OTHERS, .granularity = GHCOMP_KMP_CORE};
    if (!parse_parts(text, &affinity)) {
        free(affinity.places);
        return false;
    }
    *value = affinity;
    return true;
}
