/* The parsers of setting values: what they accept, what they refuse, and that a refused text leaves the value
   unchanged. */
#include "unit.h"

#include <limits.h>
#include <string.h>

#include "core/env/env_parse.h"
#include "core/state/icv.h"
#include "core/state/settings.h"

/* No value in the cases is this one. */
static const uint64_t untouched = 0x5a5a5a5a5a5a5a5au;

static char long_digits[5000], long_list[9000];

static void numbers(void)
{
    static const struct {
        const char *text;
        uint64_t low, high;
        bool clip;
        uint64_t value; /* untouched = refused */
    } cases[] = {
        {"7", 1, 9, false, 7},
        {" \t\n7\v\f\r ", 1, 9, false, 7},
        {"+7", 1, 9, false, 7},
        {"007", 1, 9, false, 7},
        {"010", 1, 100, false, 10},
        {"1", 1, 9, false, 1},
        {"9", 1, 9, false, 9},
        {"0", 0, 9, false, 0},
        {"10", 1, 9, true, 9},
        {"18446744073709551615", 0, UINT64_MAX, false, UINT64_MAX},
        {"18446744073709551615", 0, 9, true, 9},
        {"10", 1, 9, false, untouched},
        {"0", 1, 9, true, untouched},
        {"18446744073709551616", 0, 9, true, untouched},
        {"99999999999999999999999", 0, 9, true, untouched},
        {"-1", 0, 9, true, untouched},
        {"-0", 0, 9, true, untouched},
        {"+-1", 0, 9, true, untouched},
        {"++1", 0, 9, true, untouched},
        {"+ 1", 0, 9, true, untouched},
        {"", 0, 9, true, untouched},
        {" ", 0, 9, true, untouched},
        {"+", 0, 9, true, untouched},
        {"1x", 0, 9, true, untouched},
        {"1 2", 0, 9, true, untouched},
        {"1,", 0, 9, true, untouched},
        {"0x1", 0, 9, true, untouched},
        {"1e0", 0, 9, true, untouched},
        {"1.0", 0, 9, true, untouched},
        {"\xd9\xa1", 0, 9, true, untouched},
        {"1\xa0", 0, 9, true, untouched},
        {"%n", 0, 9, true, untouched},
        {long_digits, 0, UINT64_MAX, true, untouched},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = untouched;
        bool good = ghcomp_env_parse_number(cases[i].text, cases[i].low, cases[i].high, cases[i].clip, &value);
        CHECK_EQUAL(cases[i].value != untouched, good);
        CHECK_EQUAL(cases[i].value, value);
    }
}

/* A list as text again; "" when refused. */
static const char *list_again(bool good, struct ghcomp_env_list *list)
{
    static char text[256];
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; good && i < list->length; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%u", i > 0 ? "," : "", list->items[i]);
    if (good)
        free(list->items);
    else
        CHECK(list->items == NULL && list->length == 0);
    return text;
}

static void lists(void)
{
    static const struct {
        const char *text, *again;
    } cases[] = {
        {"4", "4"},       {" 4 , 2,3 ", "4,2,3"}, {"+1,2", "1,2"},     {"2147483647", "2147483647"},
        {"", ""},         {",", ""},              {"4,", ""},          {",4", ""},
        {"4,,2", ""},     {"4 2", ""},            {"0", ""},           {"4,0", ""},
        {"4,-1", ""},     {"2147483648", ""},     {"4,2147483648", ""}, {"4;2", ""},
        {"4,2 x", ""},    {long_digits, ""},      {"99999999999999999999,1", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_env_list list = {NULL, 0};
        bool good = ghcomp_env_parse_numbers(cases[i].text, 1, INT_MAX, &list);
        const char *again = list_again(good, &list);
        if (strcmp(again, cases[i].again) != 0) {
            fprintf(stderr, "\"%s\" gives \"%s\", not \"%s\"\n", cases[i].text, again, cases[i].again);
            exit(1);
        }
    }
    struct ghcomp_env_list list = {NULL, 0};
    CHECK(ghcomp_env_parse_numbers(long_list, 1, INT_MAX, &list));
    CHECK_EQUAL(sizeof long_list / 2, list.length);
    CHECK_EQUAL(1, list.items[list.length - 1]);
    free(list.items);
}

static void words(void)
{
    static const struct ghcomp_env_word table[] = {{"close", 3}, {"spread", 4}, {"closer", 5}, {NULL, 0}};
    static const struct {
        const char *text, *again;
    } cases[] = {
        {"close", "3"},  {"CLOSE , Spread", "3,4"}, {" closer,close ", "5,3"},
        {"", ""},        {"clos", ""},              {"closest", ""},
        {"close,", ""},  {"close spread", ""},      {"close,,spread", ""},
        {"close,1", ""}, {",close", ""},            {"close;", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_env_list list = {NULL, 0};
        bool good = ghcomp_env_parse_words(cases[i].text, table, &list);
        CHECK(strcmp(list_again(good, &list), cases[i].again) == 0);
        int word = -1;
        bool single = ghcomp_env_parse_word(cases[i].text, table, &word);
        CHECK_EQUAL(strchr(cases[i].again, ',') == NULL && cases[i].again[0] != '\0', single);
        CHECK_EQUAL(single ? atoi(cases[i].again) : -1, word);
    }
}

static void sizes(void)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"16", 16384},
        {"16k", 16384},
        {"16K", 16384},
        {"16384b", 16384},
        {" 3 M ", 3u << 20},
        {"+1G", 1u << 30},
        {"16KB", 16384},
        {"64 mb ", 64u << 20},
        {"1Gb", 1u << 30},
        {"1T", (uint64_t)1 << 40},
        {"15", untouched},
        {"16383B", untouched},
        {"16384BB", untouched},
        {"16KBB", untouched},
        {"16kk", untouched},
        {"0", untouched},
        {"", untouched},
        {"M", untouched},
        {"10X", untouched},
        {"10KB", untouched},
        {"10K B", untouched},
        {"-1", untouched},
        {"1.5M", untouched},
        {"17179869184G", untouched},
        {"18014398509481984", untouched},
        {"99999999999999999999", untouched},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t bytes = untouched;
        bool good = ghcomp_env_parse_size(cases[i].text, 16384, &bytes);
        CHECK_EQUAL(cases[i].bytes != untouched, good);
        CHECK_EQUAL(cases[i].bytes, bytes);
    }
}

static void counts(void)
{
    static const struct {
        const char *text;
        uint64_t count;
    } cases[] = {
        {"0", 0},
        {"7", 7},
        {"7k", 7000},
        {" 7 K ", 7000},
        {"1M", 1000000},
        {"2g", 2000000000},
        {"3T", 3000000000000},
        {"infinite", UINT64_MAX},
        {" INFINITY ", UINT64_MAX},
        {"-1", UINT64_MAX},
        {"18446744073709551615", UINT64_MAX},
        {"18446744073709551616", untouched},
        {"18446744073709552k", untouched},
        {"-2", untouched},
        {"- 1x", untouched},
        {"infinit", untouched},
        {"infinite 1", untouched},
        {"7kb", untouched},
        {"7_", untouched},
        {"7B", untouched},
        {"", untouched},
        {"k", untouched},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t count = untouched;
        bool good = ghcomp_env_parse_count(cases[i].text, &count);
        CHECK_EQUAL(cases[i].count != untouched, good);
        CHECK_EQUAL(cases[i].count, count);
    }
}

static void schedules(void)
{
    enum { MONOTONIC = GHCOMP_SCHED_MONOTONIC, REFUSED = -77 };
    static const struct {
        const char *text;
        int kind, chunk;
    } cases[] = {
        {"static", GHCOMP_SCHED_STATIC | MONOTONIC, 0},
        {"STATIC,4", GHCOMP_SCHED_STATIC | MONOTONIC, 4},
        {"static,0", GHCOMP_SCHED_STATIC | MONOTONIC, 0},
        {"dynamic", GHCOMP_SCHED_DYNAMIC, 0},
        {" guided , 7 ", GHCOMP_SCHED_GUIDED, 7},
        {"auto", GHCOMP_SCHED_AUTO, 0},
        {"auto,3", GHCOMP_SCHED_AUTO, 3},
        {"dynamic,2147483647", GHCOMP_SCHED_DYNAMIC, INT_MAX},
        {"monotonic:dynamic", GHCOMP_SCHED_DYNAMIC | MONOTONIC, 0},
        {"Monotonic : guided,2", GHCOMP_SCHED_GUIDED | MONOTONIC, 2},
        {"nonmonotonic:static,3", GHCOMP_SCHED_STATIC, 3},
        {"nonmonotonic:dynamic", GHCOMP_SCHED_DYNAMIC, 0},
        {"trapezoidal", GHCOMP_SCHED_TRAPEZOIDAL, 0},
        {"Static_Steal,5", GHCOMP_SCHED_DYNAMIC, 5},
        {"monotonic:static_steal", GHCOMP_SCHED_DYNAMIC | MONOTONIC, 0},
        {"", REFUSED, REFUSED},
        {"bogus", REFUSED, REFUSED},
        {"static_", REFUSED, REFUSED},
        {"dynamics", REFUSED, REFUSED},
        {"dynamic,", REFUSED, REFUSED},
        {"dynamic 4", REFUSED, REFUSED},
        {"dynamic,4x", REFUSED, REFUSED},
        {"dynamic,-1", REFUSED, REFUSED},
        {"dynamic,2147483648", REFUSED, REFUSED},
        {"dynamic,4,4", REFUSED, REFUSED},
        {"monotonic:", REFUSED, REFUSED},
        {"monotonic", REFUSED, REFUSED},
        {"monotonic dynamic", REFUSED, REFUSED},
        {":dynamic", REFUSED, REFUSED},
        {"monotonic:nonmonotonic:dynamic", REFUSED, REFUSED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_env_schedule schedule = {REFUSED, REFUSED, false};
        bool good = ghcomp_env_parse_schedule(cases[i].text, &schedule);
        CHECK_EQUAL(cases[i].chunk != REFUSED, good);
        CHECK_EQUAL(cases[i].kind, schedule.kind);
        CHECK_EQUAL(cases[i].chunk, schedule.chunk);
        CHECK_EQUAL(good && strchr(cases[i].text, ':') != NULL, schedule.modified);
    }
}

/* What a text makes: an allocator's handle, or a space and traits, of which `key` has `value`. For a refused text
   `wrong` is the part that is wrong, NULL when none is. */
static void devices(void)
{
    static const struct {
        const char *text;
        int value; /* -1: refused */
    } row[] = {
        {"*", GHCOMP_DEVICES_ALL},
        {" * , kind(gpu)", GHCOMP_DEVICES_ALL},
        {"kind(gpu),*", GHCOMP_DEVICES_SELECTED},
        {"*[0]", GHCOMP_DEVICES_SELECTED},
        {"uid(GPU-1 2), KIND ( gpu )[:2]", GHCOMP_DEVICES_SELECTED},
        {"!(kind(gpu)||kind(cpu)) && arch(x86_64)[1:]", GHCOMP_DEVICES_SELECTED},
        {"((isa(a)&&isa(b))||vendor(c))[ : ]", GHCOMP_DEVICES_SELECTED},
        {"", -1}, {",", -1}, {"*,", -1}, {"* *", -1}, {"gpu", -1}, {"kind", -1}, {"kind()", -1}, {"kind( )", -1},
        {"kind(Host)", -1}, {"kind(gpu", -1}, {"kind(a)&kind(b)", -1}, {"kind(a)&&", -1}, {"!*", -1}, {"(*)", -1},
        {"kind(a)&&kind(b)||kind(c)", -1}, {"*[]", -1}, {"*[1", -1}, {"*[x]", -1}, {"*[1][2]", -1},
        {"device_num(1)", -1},
        {"((((((((((((((((((((((((((((((((((((((((kind(a)", -1},
    };
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        int value = -1;
        bool taken = ghcomp_env_parse_devices(row[i].text, &value);
        CHECK_EQUAL(row[i].value, taken ? value : -1);
        CHECK(taken || value == -1);
    }
}

static void allocators(void)
{
    enum { REFUSED = -77 };
    static const struct ghcomp_env_word words[] = {{"omp_pteam_mem_alloc", 7}, {NULL, 0}};
    static const struct {
        const char *text;
        int handle, space, count, key;
        uintptr_t value;
        const char *wrong;
    } cases[] = {
        {"omp_pteam_mem_alloc", 7, 0, 0, 0, 0, NULL},
        {" OMP_PTEAM_MEM_ALLOC\t", 7, 0, 0, 0, 0, NULL},
        {"omp_default_mem_space", GHCOMP_ALLOCATOR_DEFAULT, 0, 0, 0, 0, NULL},
        {"omp_low_lat_mem_space ", GHCOMP_ALLOCATOR_LOW_LAT, GHCOMP_SPACE_LOW_LAT, 0, 0, 0, NULL},
        {"ompx_gnu_managed_mem_space", GHCOMP_ALLOCATOR_MANAGED, GHCOMP_SPACE_MANAGED, 0, 0, 0, NULL},
        {"omp_high_bw_mem_space:pinned=true", 0, GHCOMP_SPACE_HIGH_BW, 1, GHCOMP_ATK_PINNED, 1, NULL},
        {"omp_const_mem_space : Alignment = 64 , access=THREAD", 0, GHCOMP_SPACE_CONST, 2, GHCOMP_ATK_ALIGNMENT, 64,
         NULL},
        {"omp_default_mem_space:alignment=64,alignment=8", 0, 0, 1, GHCOMP_ATK_ALIGNMENT, 8, NULL},
        {"omp_default_mem_space:pool_size=9223372036854775807", 0, 0, 1, GHCOMP_ATK_POOL_SIZE, INT64_MAX, NULL},
        {"omp_default_mem_space:fallback=allocator_fb", 0, 0, 1, GHCOMP_ATK_FALLBACK, GHCOMP_ATV_ALLOCATOR_FB, NULL},
        {"omp_default_mem_space:partition=interleaved,sync_hint=serialized,access=cgroup,pinned=false,"
         "fallback=abort_fb,"
         "alignment=1,pool_size=1",
         0, 0, 7, GHCOMP_ATK_PARTITION, GHCOMP_ATV_INTERLEAVED, NULL},
        {"", REFUSED, 0, 0, 0, 0, ""},
        {"omp_null_allocator", REFUSED, 0, 0, 0, 0, "omp_null_allocator"},
        {"omp_pteam_mem_alloc omp_pteam_mem_alloc", REFUSED, 0, 0, 0, 0, "omp_pteam_mem_alloc"},
        {"omp_pteam_mem_alloc:pinned=true", REFUSED, 0, 0, 0, 0, ":pinned=true"},
        {"omp_default_mem_space:", REFUSED, 0, 0, 0, 0, ""},
        {"omp_default_mem_space,pinned=true", REFUSED, 0, 0, 0, 0, ",pinned=true"},
        {"omp_default_mem_space:pinned", REFUSED, 0, 0, 0, 0, ""},
        {"omp_default_mem_space:pinned=", REFUSED, 0, 0, 0, 0, ""},
        {"omp_default_mem_space:pinned=1", REFUSED, 0, 0, 0, 0, "1"},
        {"omp_default_mem_space:pinned=all", REFUSED, 0, 0, 0, 0, "all"},
        {"omp_default_mem_space:access= none,pinned=true", REFUSED, 0, 0, 0, 0, "none,pinned=true"},
        {"omp_default_mem_space:pinned=true,", REFUSED, 0, 0, 0, 0, ""},
        {"omp_default_mem_space:pinned=true:access=all", REFUSED, 0, 0, 0, 0, ":access=all"},
        {"omp_default_mem_space:fb_data=1", REFUSED, 0, 0, 0, 0, "fb_data=1"},
        {"omp_default_mem_space:alignment=0", REFUSED, 0, 0, 0, 0, "0"},
        {"omp_default_mem_space:alignment=48", REFUSED, 0, 0, 0, 0, NULL},
        {"omp_default_mem_space:alignment=48,alignment=16", REFUSED, 0, 0, 0, 0, NULL},
        {"omp_default_mem_space:alignment=48,pinned=", REFUSED, 0, 0, 0, 0, ""},
        {"omp_default_mem_space:alignment=9223372036854775808", REFUSED, 0, 0, 0, 0, "9223372036854775808"},
        {"omp_default_mem_space:alignment=64k", REFUSED, 0, 0, 0, 0, "k"},
        {"omp_default_mem_space:pool_size=0", REFUSED, 0, 0, 0, 0, "0"},
        {"omp_default_mem_space:pool_size=-1", REFUSED, 0, 0, 0, 0, "-1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_env_allocator is = {.handle = REFUSED};
        const char *wrong;
        CHECK_EQUAL(cases[i].handle != REFUSED, ghcomp_env_parse_allocator(cases[i].text, words, &is, &wrong));
        CHECK(cases[i].wrong == NULL ? wrong == NULL : wrong != NULL && strcmp(cases[i].wrong, wrong) == 0);
        CHECK_EQUAL(cases[i].handle, is.handle);
        CHECK_EQUAL(cases[i].space, is.space);
        CHECK_EQUAL(cases[i].count, is.count);
        bool found = cases[i].count == 0;
        for (int t = 0; t < is.count; t++)
            found |= is.traits[t].key == cases[i].key && is.traits[t].value == cases[i].value;
        CHECK(found);
        if (is.count == 0)
            continue;
        uintptr_t made = ghcomp_allocator_create((uintptr_t)is.space, is.count, is.traits);
        CHECK(made != GHCOMP_ALLOCATOR_NULL); /* what is accepted can be made */
        ghcomp_allocator_destroy(made);
    }
}

static void reservations(void)
{
    static const struct {
        const char *text;
        bool good;
        uint32_t structured, agents;
    } cases[] = {
        {"4", true, 4, 0},
        {"0", true, 1, 0},
        {" structured ( 4 ) ", true, 4, 0},
        {"STRUCTURED", true, GHCOMP_RESERVED_ALL, 0},
        {"free_agent", true, 1, GHCOMP_RESERVED_ALL},
        {"free_agent(0)", true, 1, 0},
        {"structured(2),free_agent(3)", true, 2, 3},
        {"free_agent(3) , structured(0)", true, 1, 3},
        {"", false, 0, 0},
        {"-1", false, 0, 0},
        {"4,", false, 0, 0},
        {"4 structured", false, 0, 0},
        {"structured,free_agent", false, 0, 0},
        {"structured(2),", false, 0, 0},
        {"structured(2),structured(2)", false, 0, 0},
        {"structured()", false, 0, 0},
        {"structured(2", false, 0, 0},
        {"structured(x)", false, 0, 0},
        {"agents(2)", false, 0, 0},
        {"free_agent(99999999999)", false, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_threads_reserve reserve = {77, 77};
        CHECK_EQUAL(cases[i].good, ghcomp_env_parse_reserve(cases[i].text, &reserve));
        CHECK_EQUAL(cases[i].good ? cases[i].structured : 77, reserve.structured);
        CHECK_EQUAL(cases[i].good ? cases[i].agents : 77, reserve.agents);
    }
}

int main(void)
{
    reservations();
    memset(long_digits, '9', sizeof long_digits - 1);
    for (size_t i = 0; i < sizeof long_list; i++)
        long_list[i] = i % 2 == 0 ? '1' : ',';
    long_list[sizeof long_list - 1] = '\0';
    numbers();
    lists();
    words();
    sizes();
    counts();
    schedules();
    devices();
    allocators();
    return 0;
}
