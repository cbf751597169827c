/* Parsers of setting values; contract in env_parse.h.
 *
 * They accept the same texts as libgomp, so that a job script means the same under both: white space around words and
 * numbers, either case, a plus sign, a leading zero (which does not mean octal), but no trailing comma and no second
 * word. The words that only libomp accepts have libomp's meaning: those for true and false, kinds of schedules. Numbers
 * are bounded here instead of being truncated to the width of their field later.
 *
 * Called by env_take.c. Covered by test/unit/env_parse.c.
 */
#include "core/env/env_parse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/env/env_scan.h"
#include "core/state/icv.h"
#include "core/state/settings.h"

/* --- scanning: with env_scan.h ------------------------------------------------------------------------------------ */

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool take_number(const char **at, uint64_t *value)
{
    ghcomp_scan_space(at);
    if (**at == '+' && (*at)[1] >= '0' && (*at)[1] <= '9')
        ++*at;
    return ghcomp_scan_digits(at, SIZE_MAX, value);
}

static bool take_word(const char **at, const struct ghcomp_env_word *words, int *value)
{
    ghcomp_scan_space(at);
    size_t length = 0;
    while (is_word_char((*at)[length]))
        length++;
    return ghcomp_scan_word(at, length, words, value);
}

/* Takes an optional suffix: a letter of `letters` multiplies *value by unit^(its position), no letter by
   unit^(default_power). */
static bool take_suffix(const char **at, const char *letters, uint64_t unit, int default_power, uint64_t *value)
{
    ghcomp_scan_space(at);
    int power = default_power;
    if (**at != '\0') {
        const char *found = strchr(letters, **at >= 'A' && **at <= 'Z' ? **at - 'A' + 'a' : **at);
        if (found == NULL)
            return false;
        power = (int)(found - letters);
        ++*at;
    }
    for (; power > 0; power--)
        if (__builtin_mul_overflow(*value, unit, value))
            return false;
    return true;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

bool ghcomp_env_parse_number(const char *text, uint64_t low, uint64_t high, bool clip, uint64_t *value)
{
    uint64_t number;
    if (!take_number(&text, &number) || !ghcomp_scan_end(&text) || number < low)
        return false;
    if (number > high) {
        if (!clip)
            return false;
        number = high;
    }
    *value = number;
    return true;
}

bool ghcomp_env_parse_word(const char *text, const struct ghcomp_env_word *words, int *value)
{
    int found;
    if (!take_word(&text, words, &found) || !ghcomp_scan_end(&text))
        return false;
    *value = found;
    return true;
}

/* Parses a list of words if `words` is not NULL, else of numbers in [low, high]. */
static bool parse_list(const char *text, const struct ghcomp_env_word *words, uint64_t low, uint64_t high,
                       struct ghcomp_env_list *value)
{
    uint32_t length = 1;
    for (const char *c = text; *c != '\0'; c++)
        length += *c == ',';
    uint32_t *items = ghcomp_alloc(length * sizeof *items);
    for (uint32_t i = 0; i < length; i++) {
        uint64_t number = 0;
        int word = 0;
        bool good = words != NULL ? take_word(&text, words, &word) : take_number(&text, &number);
        good = good && (words != NULL || (number >= low && number <= high));
        if (!good || !(i + 1 < length ? ghcomp_scan_char(&text, ',') : ghcomp_scan_end(&text))) {
            free(items);
            return false;
        }
        items[i] = words != NULL ? (uint32_t)word : (uint32_t)number;
    }
    *value = (struct ghcomp_env_list){items, length};
    return true;
}

bool ghcomp_env_parse_numbers(const char *text, uint64_t low, uint64_t high, struct ghcomp_env_list *value)
{
    return parse_list(text, NULL, low, high, value);
}

bool ghcomp_env_parse_words(const char *text, const struct ghcomp_env_word *words, struct ghcomp_env_list *value)
{
    return parse_list(text, words, 0, 0, value);
}

/* Takes the B of KB, MB and so on, which is optional, and which only libomp knows. */
static void take_byte(const char **at)
{
    if ((**at == 'b' || **at == 'B') && strchr("bB", (*at)[-1]) == NULL)
        ++*at;
}

/* `power`: the power of 1024 for a number without a suffix. */
static bool parse_size(const char *text, size_t low, int power, size_t *bytes)
{
    uint64_t number;
    if (!take_number(&text, &number) || !take_suffix(&text, "bkmgt", 1024, power, &number))
        return false;
    take_byte(&text);
    if (!ghcomp_scan_end(&text) || number < low || number > SIZE_MAX)
        return false;
    *bytes = (size_t)number;
    return true;
}

bool ghcomp_env_parse_size(const char *text, size_t low, size_t *bytes)
{
    return parse_size(text, low, 1, bytes);
}

bool ghcomp_env_parse_bytes(const char *text, size_t low, size_t *bytes)
{
    return parse_size(text, low, 0, bytes);
}

bool ghcomp_env_parse_count(const char *text, uint64_t *value)
{
    static const struct ghcomp_env_word words[] = {{"infinite", 0}, {"infinity", 0}, {NULL, 0}};
    int found;
    if (ghcomp_env_parse_word(text, words, &found)) {
        *value = UINT64_MAX;
        return true;
    }
    const char *minus = text;
    uint64_t number;
    if (ghcomp_scan_char(&minus, '-') && ghcomp_env_parse_number(minus, 1, 1, false, &number)) {
        *value = UINT64_MAX;
        return true;
    }
    /* No suffix means 1000^0. The line feed fills that position: it cannot occur, since white space has been
       skipped. */
    if (!take_number(&text, &number) || !take_suffix(&text, "\nkmgt", 1000, 0, &number) || !ghcomp_scan_end(&text))
        return false;
    *value = number;
    return true;
}

bool ghcomp_env_parse_schedule(const char *text, struct ghcomp_env_schedule *value)
{
    static const struct ghcomp_env_word modifiers[] = {{"monotonic", 1}, {"nonmonotonic", 0}, {NULL, 0}};
    static const struct ghcomp_env_word kinds[] = {{"static", GHCOMP_SCHED_STATIC},
                                                   {"dynamic", GHCOMP_SCHED_DYNAMIC},
                                                   {"guided", GHCOMP_SCHED_GUIDED},
                                                   {"auto", GHCOMP_SCHED_AUTO},
                                                   {"trapezoidal", GHCOMP_SCHED_TRAPEZOIDAL},
                                                   {"static_steal", GHCOMP_SCHED_DYNAMIC},
                                                   {NULL, 0}};
    struct ghcomp_env_schedule schedule = {0, 0, false};
    int monotonic;
    bool modified = take_word(&text, modifiers, &monotonic);
    if ((modified && !ghcomp_scan_char(&text, ':')) || !take_word(&text, kinds, &schedule.kind))
        return false;
    uint64_t chunk = 0;
    if (!ghcomp_scan_end(&text) &&
        (!ghcomp_scan_char(&text, ',') || !ghcomp_env_parse_number(text, 0, INT_MAX, false, &chunk)))
        return false;
    /* Without a modifier static is monotonic and the others are not (OpenMP 5.2, section 11.5.3). */
    if (modified ? monotonic : schedule.kind == GHCOMP_SCHED_STATIC)
        schedule.kind |= GHCOMP_SCHED_MONOTONIC;
    schedule.chunk = (int)chunk;
    schedule.modified = modified;
    *value = schedule;
    return true;
}

/* --- allocators --------------------------------------------------------------------------------------------------- */

/* Takes a memory space; *handle: the predefined allocator that it means without traits. */
static bool take_space(const char **at, int *space, int *handle)
{
    static const struct ghcomp_env_word spaces[] = {{"omp_default_mem_space", GHCOMP_SPACE_DEFAULT},
                                                    {"omp_large_cap_mem_space", GHCOMP_SPACE_LARGE_CAP},
                                                    {"omp_const_mem_space", GHCOMP_SPACE_CONST},
                                                    {"omp_high_bw_mem_space", GHCOMP_SPACE_HIGH_BW},
                                                    {"omp_low_lat_mem_space", GHCOMP_SPACE_LOW_LAT},
                                                    {"ompx_gnu_managed_mem_space", GHCOMP_SPACE_MANAGED},
                                                    {NULL, 0}};
    if (!take_word(at, spaces, space))
        return false;
    *handle = *space == GHCOMP_SPACE_MANAGED ? (int)GHCOMP_ALLOCATOR_MANAGED : *space + GHCOMP_ALLOCATOR_DEFAULT;
    return true;
}

/* Takes a number of bytes, at least 1. False: there is none, and *at has not moved. */
static bool take_bytes(const char **at, uintptr_t *bytes)
{
    ghcomp_scan_space(at);
    const char *after = *at;
    uint64_t number;
    if (!take_number(&after, &number) || number == 0 || number > INT64_MAX)
        return false;
    *bytes = (uintptr_t)number;
    *at = after;
    return true;
}

/* Takes NAME=VALUE. There is no fb_data: its value would be a handle, which the environment cannot contain. */
static bool take_trait(const char **at, struct ghcomp_trait *trait)
{
    static const struct ghcomp_env_word keys[] = {
        {"sync_hint", GHCOMP_ATK_SYNC_HINT}, {"alignment", GHCOMP_ATK_ALIGNMENT}, {"access", GHCOMP_ATK_ACCESS},
        {"pool_size", GHCOMP_ATK_POOL_SIZE}, {"fallback", GHCOMP_ATK_FALLBACK},   {"pinned", GHCOMP_ATK_PINNED},
        {"partition", GHCOMP_ATK_PARTITION}, {NULL, 0}};
    static const struct ghcomp_env_word values[][5] = {
        [GHCOMP_ATK_SYNC_HINT] = {{"contended", GHCOMP_ATV_CONTENDED},
                                  {"uncontended", GHCOMP_ATV_UNCONTENDED},
                                  {"serialized", GHCOMP_ATV_SERIALIZED},
                                  {"private", GHCOMP_ATV_PRIVATE}},
        [GHCOMP_ATK_ACCESS] = {{"all", GHCOMP_ATV_ALL},
                               {"cgroup", GHCOMP_ATV_CGROUP},
                               {"pteam", GHCOMP_ATV_PTEAM},
                               {"thread", GHCOMP_ATV_THREAD}},
        [GHCOMP_ATK_FALLBACK] = {{"default_mem_fb", GHCOMP_ATV_DEFAULT_MEM_FB},
                                 {"null_fb", GHCOMP_ATV_NULL_FB},
                                 {"abort_fb", GHCOMP_ATV_ABORT_FB},
                                 {"allocator_fb", GHCOMP_ATV_ALLOCATOR_FB}},
        [GHCOMP_ATK_PINNED] = {{"true", GHCOMP_ATV_TRUE}, {"false", GHCOMP_ATV_FALSE}},
        [GHCOMP_ATK_PARTITION] = {{"environment", GHCOMP_ATV_ENVIRONMENT},
                                  {"nearest", GHCOMP_ATV_NEAREST},
                                  {"blocked", GHCOMP_ATV_BLOCKED},
                                  {"interleaved", GHCOMP_ATV_INTERLEAVED}},
    };
    if (!take_word(at, keys, &trait->key) || !ghcomp_scan_char(at, '='))
        return false;
    if (trait->key == GHCOMP_ATK_ALIGNMENT || trait->key == GHCOMP_ATK_POOL_SIZE)
        return take_bytes(at, &trait->value);
    int word;
    if (!take_word(at, values[trait->key], &word))
        return false;
    trait->value = (uintptr_t)word;
    return true;
}

/* Takes [:TRAIT=VALUE,...] up to the end of the text. *possible: all alignments are powers of two. */
static bool take_traits(const char **at, struct ghcomp_env_allocator *allocator, bool *possible)
{
    *possible = true;
    while (!ghcomp_scan_end(at)) {
        struct ghcomp_trait trait;
        if (!ghcomp_scan_char(at, allocator->count == 0 ? ':' : ',') || !take_trait(at, &trait))
            return false;
        if (trait.key == GHCOMP_ATK_ALIGNMENT && (trait.value & (trait.value - 1)) != 0)
            *possible = false;
        int i = 0; /* the last value of a repeated trait counts */
        while (i < allocator->count && allocator->traits[i].key != trait.key)
            i++;
        allocator->traits[i] = trait;
        allocator->count += i == allocator->count;
        allocator->handle = GHCOMP_ALLOCATOR_NULL;
    }
    return true;
}

bool ghcomp_env_parse_allocator(const char *text, const struct ghcomp_env_word *words,
                                struct ghcomp_env_allocator *value, const char **wrong)
{
    struct ghcomp_env_allocator allocator = {.count = 0};
    bool fits, possible = true;
    if (take_word(&text, words, &allocator.handle))
        fits = ghcomp_scan_end(&text);
    else
        fits = take_space(&text, &allocator.space, &allocator.handle) && take_traits(&text, &allocator, &possible);
    *wrong = fits ? NULL : text;
    if (!fits || !possible)
        return false;
    *value = allocator;
    return true;
}

/* --- reservations ------------------------------------------------------------------------------------------------- */

enum { RESERVED_MOST = 1 << 30 };

static bool take_reserved(const char **at, uint32_t *number)
{
    uint64_t value;
    if (!take_number(at, &value) || value > RESERVED_MOST)
        return false;
    *number = (uint32_t)value;
    return true;
}

/* Takes words with numbers, each word at most once. */
static bool take_reservations(const char **at, const struct ghcomp_env_word *words,
                              struct ghcomp_threads_reserve *reserve)
{
    int word, seen = 0;
    do {
        if (!take_word(at, words, &word) || (seen & word) || !ghcomp_scan_char(at, '(') ||
            !take_reserved(at, word == 1 ? &reserve->structured : &reserve->agents) || !ghcomp_scan_char(at, ')'))
            return false;
        seen |= word;
    } while (ghcomp_scan_char(at, ','));
    return true;
}

bool ghcomp_env_parse_reserve(const char *text, struct ghcomp_threads_reserve *value)
{
    static const struct ghcomp_env_word words[] = {{"structured", 1}, {"free_agent", 2}, {NULL, 0}};
    struct ghcomp_threads_reserve reserve = {1, 0};
    const char *at = text, *alone = text;
    int word;
    if (take_word(&alone, words, &word) && ghcomp_scan_end(&alone)) {
        *(word == 1 ? &reserve.structured : &reserve.agents) = GHCOMP_RESERVED_ALL;
        at = alone;
    } else if (!take_reserved(&at, &reserve.structured)) {
        at = text;
        if (!take_reservations(&at, words, &reserve))
            return false;
    }
    if (!ghcomp_scan_end(&at))
        return false;
    if (reserve.structured == 0)
        reserve.structured = 1;
    *value = reserve;
    return true;
}
