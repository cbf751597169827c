/* Places: the parser of OMP_PLACES and GOMP_CPU_AFFINITY.
 *
 *   OMP_PLACES         name [ '(' count ')' ]  |  interval { ',' interval }
 *   interval           '!' place  |  place [ ':' count [ ':' stride ] ]
 *   place              '{' resources { ',' resources } '}'  |  number
 *   resources          '!' number  |  number [ ':' count [ ':' stride ] ]
 *   GOMP_CPU_AFFINITY  range { ( ',' | space ) range };   range = number [ '-' number [ ':' stride ] ]
 *
 * where name is one of threads, cores, ll_caches, sockets, numa_domains. White space may stand between any two tokens.
 * A `!` excludes the number from its place, or the place from the list, at any position. The text comes from outside:
 * counts, list lengths and CPU numbers are bounded before anything is computed from them.
 *
 * Called by affinity.c. Covered by test/unit/places.c.
 */
#include "core/affinity/places.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/check.h"

/* A text of MOST_TEXT bytes can name MOST_PLACES places. Linux passes no longer one to a program, but the program
   itself may set one. */
enum { MOST_PLACES = 16384, MOST_NUMBER = 65535, MOST_TEXT = 1 << 17 };

/* --- the list ------------------------------------------------------------------------------------------- */

void ghcomp_places_free(struct ghcomp_places *places)
{
    free(places->list);
    *places = (struct ghcomp_places){0};
}

static bool append(struct ghcomp_places *places, const struct ghcomp_cpus *cpus)
{
    if (places->count == MOST_PLACES)
        return false;
    if ((places->count & (places->count - 1)) == 0) {
        uint32_t capacity = places->count ? places->count * 2 : 1;
        struct ghcomp_cpus *list = ghcomp_alloc(capacity * sizeof *list);
        if (places->count > 0)
            memcpy(list, places->list, places->count * sizeof *list);
        free(places->list);
        places->list = list;
    }
    places->list[places->count++] = *cpus;
    return true;
}

/* Keeps only the CPUs that may be used, and the places that have any. */
static const char *keep_usable(struct ghcomp_places *places, const struct ghcomp_topology *topology)
{
    struct ghcomp_cpus usable = {{0}};
    for (uint32_t i = 0; i < topology->count; i++)
        ghcomp_cpus_add(&usable, topology->cpus[i].cpu);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < places->count; i++) {
        struct ghcomp_cpus place = places->list[i];
        for (uint32_t word = 0; word < GHCOMP_CPU_WORDS; word++)
            place.bits[word] &= usable.bits[word];
        if (ghcomp_cpus_next(&place, 0) < GHCOMP_MAX_CPUS)
            places->list[kept++] = place;
    }
    places->dropped = places->count - kept;
    places->count = kept;
    return kept > 0 ? NULL : "none of its places has a CPU that this process may use";
}

/* --- the parser ----------------------------------------------------------------------------------------- */

static void skip_space(const char **at)
{
    while (isspace((unsigned char)**at))
        ++*at;
}

static bool eat(const char **at, char wanted)
{
    skip_space(at);
    if (**at != wanted)
        return false;
    ++*at;
    return true;
}

/* A number of at most MOST_NUMBER, with a sign where `is_signed`. */
static bool eat_number(const char **at, bool is_signed, long *number)
{
    skip_space(at);
    bool negative = false;
    if (is_signed && (**at == '-' || **at == '+'))
        negative = *(*at)++ == '-';
    if (!isdigit((unsigned char)**at))
        return false;
    long value = 0;
    for (; isdigit((unsigned char)**at); ++*at) {
        value = value * 10 + (**at - '0');
        if (value > MOST_NUMBER)
            return false;
    }
    *number = negative ? -value : value;
    return true;
}

/* [ ':' count [ ':' stride ] ] */
static bool eat_repeat(const char **at, long *count, long *stride)
{
    *count = *stride = 1;
    if (!eat(at, ':'))
        return true;
    if (!eat_number(at, false, count) || *count == 0)
        return false;
    return !eat(at, ':') || eat_number(at, true, stride);
}

static bool eat_resources(const char **at, struct ghcomp_cpus *cpus, struct ghcomp_cpus *excluded)
{
    long number, count, stride;
    if (eat(at, '!')) {
        if (!eat_number(at, false, &number))
            return false;
        ghcomp_cpus_add(excluded, (uint32_t)number);
        return true;
    }
    if (!eat_number(at, false, &number) || !eat_repeat(at, &count, &stride) ||
        number + (count - 1) * stride < 0)
        return false;
    if (stride < 0) {
        number += (count - 1) * stride;
        stride = -stride;
    }
    /* Stops at numbers that no CPU has, and does not repeat a number: a text may ask for millions of them. */
    for (; count > 0 && number < (long)GHCOMP_MAX_CPUS; count = stride != 0 ? count - 1 : 0, number += stride)
        ghcomp_cpus_add(cpus, (uint32_t)number);
    return true;
}

static bool eat_place(const char **at, struct ghcomp_cpus *cpus)
{
    struct ghcomp_cpus excluded = {{0}};
    long number;
    memset(cpus, 0, sizeof *cpus);
    if (!eat(at, '{')) {
        if (!eat_number(at, false, &number))
            return false;
        ghcomp_cpus_add(cpus, (uint32_t)number);
        return true;
    }
    do
        if (!eat_resources(at, cpus, &excluded))
            return false;
    while (eat(at, ','));
    for (uint32_t word = 0; word < GHCOMP_CPU_WORDS; word++)
        cpus->bits[word] &= ~excluded.bits[word];
    return eat(at, '}');
}

/* Each CPU's number plus `by`; false when one becomes negative. Word by word: a text may ask for many large places. */
static bool shifted(const struct ghcomp_cpus *cpus, long by, struct ghcomp_cpus *result)
{
    memset(result, 0, sizeof *result);
    uint32_t first = ghcomp_cpus_next(cpus, 0);
    if (first < GHCOMP_MAX_CPUS && (long)first + by < 0)
        return false;
    uint64_t distance = (uint64_t)(by < 0 ? -by : by);
    if (distance >= GHCOMP_MAX_CPUS)
        return true;
    uint32_t words = (uint32_t)distance / 64, bits = (uint32_t)distance % 64;
    for (uint32_t i = words; i < GHCOMP_CPU_WORDS; i++) {
        /* `i` is the higher of the two words, of the result if the numbers grow. */
        uint32_t to = by >= 0 ? i : i - words, from = by >= 0 ? i - words : i;
        uint64_t word = cpus->bits[from];
        if (bits == 0) {
            result->bits[to] = word;
        } else if (by >= 0) {
            uint64_t carried = from > 0 ? cpus->bits[from - 1] >> (64 - bits) : 0;
            result->bits[to] = word << bits | carried;
        } else {
            uint64_t carried = from + 1 < GHCOMP_CPU_WORDS ? cpus->bits[from + 1] << (64 - bits) : 0;
            result->bits[to] = word >> bits | carried;
        }
    }
    return true;
}

static int by_bits(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct ghcomp_cpus));
}

static const char *const not_a_list =
    "it is neither a name such as cores or threads(4) nor a list such as {0:2},{2:2}";
static const char *const too_many = "it has more than 16384 places";
static const char *const too_long = "it is longer than 131072 bytes";

static const char *eat_interval(const char **at, struct ghcomp_places *places, struct ghcomp_places *excluded)
{
    struct ghcomp_cpus place, moved;
    long count, stride;
    if (eat(at, '!')) {
        if (!eat_place(at, &place))
            return not_a_list;
        return append(excluded, &place) ? NULL : too_many;
    }
    if (!eat_place(at, &place) || !eat_repeat(at, &count, &stride))
        return not_a_list;
    for (long i = 0; i < count; i++) {
        if (!shifted(&place, i * stride, &moved))
            return "a place has a negative CPU number";
        if (!append(places, &moved))
            return too_many;
    }
    return NULL;
}

static const char *parse_list(const char *text, struct ghcomp_places *places)
{
    struct ghcomp_places excluded = {0};
    const char *wrong;
    do
        wrong = eat_interval(&text, places, &excluded);
    while (wrong == NULL && eat(&text, ','));
    skip_space(&text);
    if (wrong == NULL && *text != '\0')
        wrong = not_a_list;
    uint32_t kept = 0;
    if (wrong == NULL && excluded.count > 0)
        qsort(excluded.list, excluded.count, sizeof *excluded.list, by_bits);
    for (uint32_t i = 0; wrong == NULL && i < places->count; i++)
        if (excluded.count == 0 ||
            bsearch(&places->list[i], excluded.list, excluded.count, sizeof *excluded.list, by_bits) == NULL)
            places->list[kept++] = places->list[i];
    places->count = kept;
    ghcomp_places_free(&excluded);
    return wrong;
}

/* A place of an abstract name contains the CPUs that have the same value in the field at this offset. */
static const struct {
    const char *name;
    size_t field;
} abstract_names[] = {
    {"threads", offsetof(struct ghcomp_topology_cpu, cpu)},
    {"cores", offsetof(struct ghcomp_topology_cpu, core)},
    {"sockets", offsetof(struct ghcomp_topology_cpu, socket)},
    {"ll_caches", offsetof(struct ghcomp_topology_cpu, cache)},
    {"numa_domains", offsetof(struct ghcomp_topology_cpu, node)},
};

static const char *parse_name(const char *text, const struct ghcomp_topology *topology,
                              struct ghcomp_places *places)
{
    enum { NAMES = sizeof abstract_names / sizeof *abstract_names };
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"), name = 0;
    while (name < NAMES && (strlen(abstract_names[name].name) != length ||
                            strncasecmp(abstract_names[name].name, text, length) != 0))
        name++;
    if (name == NAMES)
        return not_a_list;
    long limit = MOST_PLACES;
    text += length;
    if (eat(&text, '(') && (!eat_number(&text, false, &limit) || limit == 0 || !eat(&text, ')')))
        return "the number of places in parentheses is not a positive number";
    skip_space(&text);
    if (*text != '\0')
        return not_a_list;
    /* Neighbours in the topology's order share most, but a group need not be contiguous in it. */
    uint32_t *group = ghcomp_alloc(topology->count * sizeof *group);
    for (uint32_t i = 0; i < topology->count; i++) {
        uint32_t mine, k = 0;
        memcpy(&mine, (const char *)&topology->cpus[i] + abstract_names[name].field, sizeof mine);
        while (k < places->count && group[k] != mine)
            k++;
        if (k == places->count) {
            if ((long)k == limit)
                continue;
            append(places, &(struct ghcomp_cpus){{0}});
            group[k] = mine;
        }
        ghcomp_cpus_add(&places->list[k], topology->cpus[i].cpu);
    }
    free(group);
    return NULL;
}

const char *ghcomp_places_parse(const char *text, const struct ghcomp_topology *topology,
                                struct ghcomp_places *places)
{
    *places = (struct ghcomp_places){0};
    const char *wrong = strnlen(text, MOST_TEXT + 1) > MOST_TEXT ? too_long : NULL;
    skip_space(&text);
    if (wrong == NULL)
        wrong = isalpha((unsigned char)*text) ? parse_name(text, topology, places) : parse_list(text, places);
    if (wrong == NULL)
        wrong = keep_usable(places, topology);
    if (wrong != NULL)
        ghcomp_places_free(places);
    return wrong;
}

static const char *const not_ranges = "it is not a list of CPU numbers and ranges such as 0 3 4-10:2";

static const char *eat_range(const char **at, struct ghcomp_places *places)
{
    long first, last, stride = 1;
    if (!eat_number(at, false, &first))
        return not_ranges;
    last = first;
    if (**at == '-') {
        ++*at;
        if (!eat_number(at, false, &last) || last < first)
            return not_ranges;
        if (**at == ':') {
            ++*at;
            if (!eat_number(at, false, &stride) || stride == 0)
                return not_ranges;
        }
    }
    for (; first <= last; first += stride) {
        struct ghcomp_cpus one = {{0}};
        ghcomp_cpus_add(&one, (uint32_t)first);
        if (!append(places, &one))
            return too_many;
    }
    return NULL;
}

const char *ghcomp_places_parse_cpus(const char *text, const struct ghcomp_topology *topology,
                                     struct ghcomp_places *places)
{
    *places = (struct ghcomp_places){0};
    const char *wrong = strnlen(text, MOST_TEXT + 1) > MOST_TEXT ? too_long : NULL;
    if (wrong == NULL)
        do {
            wrong = eat_range(&text, places);
            bool comma = eat(&text, ',');
            skip_space(&text);
            if (wrong == NULL && comma && *text == '\0')
                wrong = not_ranges;
        } while (wrong == NULL && *text != '\0');
    if (wrong == NULL)
        wrong = keep_usable(places, topology);
    if (wrong != NULL)
        ghcomp_places_free(places);
    return wrong;
}
