/* The parsers of libomp's variables: what they accept, what they refuse, and that a refused text leaves the value
   unchanged. */
#include "unit.h"

#include <stdint.h>
#include <string.h>

#include "core/env/env_parse.h"
#include "core/env/env_parse_kmp.h"

static void booleans(void)
{
    static const char *const truths[] = {"true", "1", "TRUE", " yes ", "on", "t", ".T.", ".true.", "Enabled", "y\n"};
    static const char *const lies[] = {"false", "0", "No", "off", "f", ".f.", ".FALSE.", "disabled", "n", " False "};
    static const char *const neither[] = {"", " ", "2", "01", "tru", "true false", "true,", "-1", "on=", "oui",
                                          "\xff", "truee", "10", ".true"};
    bool value;
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++) {
        value = false;
        CHECK(ghcomp_env_parse_kmp_bool(truths[i], &value) && value);
    }
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        value = true;
        CHECK(ghcomp_env_parse_kmp_bool(lies[i], &value) && !value);
    }
    for (size_t i = 0; i < sizeof neither / sizeof *neither; i++) {
        value = true;
        CHECK(!ghcomp_env_parse_kmp_bool(neither[i], &value) && value);
    }
}

static void times(void)
{
    static const struct {
        const char *text;
        uint64_t time; /* 7 = refused */
    } cases[] = {
        {"0", 0}, {"200", 200000000}, {" 3 ms ", 3000000}, {"3ms", 3000000}, {"3US", 3000}, {"infinite", UINT64_MAX},
        {" Infinity ", UINT64_MAX}, {"2147483647", UINT64_C(2147483647000000)},
        {"", 7}, {"ms", 7}, {"-1", 7}, {"+1", 7}, {"3s", 7}, {"3 ms 4", 7}, {"3,", 7}, {"1e3", 7}, {"infinite 3", 7},
        {"99999999999", 7}, {"0x3", 7}, {"3m", 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t time = 7;
        CHECK_EQUAL(cases[i].time != 7, ghcomp_env_parse_kmp_time(cases[i].text, &time));
        CHECK_EQUAL(cases[i].time, time);
    }
}

static void sizes(void)
{
    size_t size = 7;
    CHECK(ghcomp_env_parse_bytes("16384", 16384, &size) && size == 16384);
    CHECK(ghcomp_env_parse_bytes(" 2 M ", 16384, &size) && size == 2 << 20);
    CHECK(!ghcomp_env_parse_bytes("16383", 16384, &size) && !ghcomp_env_parse_bytes("2MBB", 0, &size));
    CHECK_EQUAL(2 << 20, size);
}

enum { OTHERS, NONE, DISABLED, COMPACT, SCATTER, BALANCED, EXPLICIT, REFUSED };

static void affinities(void)
{
    static const struct {
        const char *text;
        int type, granularity;
        uint32_t permute, offset;
        bool verbose;
        const char *places;
    } cases[] = {
        {"none", NONE, GHCOMP_KMP_CORE, 0, 0, false, NULL},
        {"disabled", DISABLED, GHCOMP_KMP_CORE, 0, 0, false, NULL},
        {"verbose", OTHERS, GHCOMP_KMP_CORE, 0, 0, true, NULL},
        {"verbose,noverbose,respect", OTHERS, GHCOMP_KMP_CORE, 0, 0, false, NULL},
        {"compact", COMPACT, GHCOMP_KMP_CORE, 0, 0, false, NULL},
        {"Granularity=Fine,Compact,1,3", COMPACT, GHCOMP_KMP_THREAD, 1, 3, false, NULL},
        {"compact,granularity=thread", COMPACT, GHCOMP_KMP_THREAD, 0, 0, false, NULL},
        {" scatter , 2 , verbose ", SCATTER, GHCOMP_KMP_CORE, 2, 0, true, NULL},
        {"granularity=socket,balanced", BALANCED, GHCOMP_KMP_SOCKET, 0, 0, false, NULL},
        {"balanced,4", BALANCED, GHCOMP_KMP_CORE, 0, 4, false, NULL},
        {"granularity=ll_cache,physical,reset", SCATTER, GHCOMP_KMP_CACHE, 0, 0, false, NULL},
        {"explicit,proclist=[3]", EXPLICIT, GHCOMP_KMP_CORE, 0, 0, false, "{3}"},
        {"proclist=[3,0-2,{4,5},6-0:-2,1-7:3]", EXPLICIT, GHCOMP_KMP_CORE, 0, 0, false,
         "{3},{0}:3:1,{4,5},{6}:4:-2,{1}:3:3"},
        {"granularity=numa,proclist=[ { 0 , 1 } , 2 - 3 : 1 ],explicit,1", EXPLICIT, GHCOMP_KMP_NODE, 0, 1, false,
         "{0,1},{2}:2:1"},
        {"", REFUSED, 0, 0, 0, false, NULL},
        {"compac", REFUSED, 0, 0, 0, false, NULL},
        {"compact,scatter", REFUSED, 0, 0, 0, false, NULL},
        {"1,compact", REFUSED, 0, 0, 0, false, NULL},
        {"compact,1,2,3", REFUSED, 0, 0, 0, false, NULL},
        {"compact,-1", REFUSED, 0, 0, 0, false, NULL},
        {"compact,", REFUSED, 0, 0, 0, false, NULL},
        {"compact 1", REFUSED, 0, 0, 0, false, NULL},
        {"none,1", REFUSED, 0, 0, 0, false, NULL},
        {"balanced,1,2", REFUSED, 0, 0, 0, false, NULL},
        {"verbose,1", REFUSED, 0, 0, 0, false, NULL},
        {"granularity,compact", REFUSED, 0, 0, 0, false, NULL},
        {"granularity=room,compact", REFUSED, 0, 0, 0, false, NULL},
        {"explicit", REFUSED, 0, 0, 0, false, NULL},
        {"compact,proclist=[1]", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[]", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[1", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=1", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[1,]", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[{1]", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[{}]", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[3-1]", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[1-3:-1]", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[1-3:0]", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[100000]", REFUSED, 0, 0, 0, false, NULL},
        {"proclist=[1] [2]", REFUSED, 0, 0, 0, false, NULL},
        {"\xff", REFUSED, 0, 0, 0, false, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_kmp_affinity affinity = {.type = REFUSED};
        CHECK_EQUAL(cases[i].type != REFUSED, ghcomp_env_parse_kmp_affinity(cases[i].text, &affinity));
        CHECK_EQUAL(cases[i].type, affinity.type);
        CHECK_EQUAL(cases[i].granularity, affinity.granularity);
        CHECK_EQUAL(cases[i].permute, affinity.permute);
        CHECK_EQUAL(cases[i].offset, affinity.offset);
        CHECK_EQUAL(cases[i].verbose, affinity.verbose);
        CHECK((cases[i].places == NULL) == (affinity.places == NULL));
        CHECK(affinity.places == NULL || strcmp(cases[i].places, affinity.places) == 0);
        free(affinity.places);
    }
}

static void resets(void)
{
    static const struct {
        const char *text;
        bool reset, noreset;
    } cases[] = {{"compact", false, false},
                 {"reset,compact", true, false},
                 {"scatter,reset", true, false},
                 {"noreset,compact,reset", true, false},
                 {"reset,compact,noreset", false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_kmp_affinity affinity;
        CHECK(ghcomp_env_parse_kmp_affinity(cases[i].text, &affinity));
        CHECK_EQUAL(cases[i].reset, affinity.reset);
        CHECK_EQUAL(cases[i].noreset, affinity.noreset);
        free(affinity.places);
    }
}

int main(void)
{
    booleans();
    times();
    sizes();
    affinities();
    resets();
    return 0;
}
