/* core/affinity/places.c and the slots of core/affinity/affinity.c: the grammar on machines other than this one,
 * malformed text, the reader of the topology, and how places are assigned.
 */
#include "core/affinity/places.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/affinity/affinity.h"
#include "unit.h"

/* Two sockets of four CPUs: two cores of two threads each, numbered as Linux does it, a NUMA node for each socket, and
   a cache for each core of the second socket only. */
static struct ghcomp_topology_cpu machine_cpus[] = {
    {.cpu = 0, .core = 0, .socket = 0, .cache = 0, .node = 0},
    {.cpu = 1, .core = 1, .socket = 1, .cache = 1, .node = 1},
    {.cpu = 2, .core = 2, .socket = 0, .cache = 0, .node = 0},
    {.cpu = 3, .core = 3, .socket = 1, .cache = 3, .node = 1},
    {.cpu = 4, .core = 0, .socket = 0, .cache = 0, .node = 0},
    {.cpu = 5, .core = 1, .socket = 1, .cache = 1, .node = 1},
    {.cpu = 6, .core = 2, .socket = 0, .cache = 0, .node = 0},
    {.cpu = 7, .core = 3, .socket = 1, .cache = 3, .node = 1},
};
static struct ghcomp_topology machine = {.count = 8, .cpus = machine_cpus};

/* "0-1|2" for the places {0,1},{2}; "!" and the reason for a text that is refused. */
static const char *in_words(const char *wrong, struct ghcomp_places *places)
{
    static char text[8192];
    size_t used = 0;
    text[0] = '\0';
    if (wrong != NULL) {
        CHECK_EQUAL(0, places->count);
        snprintf(text, sizeof text, "! %s", wrong);
        return text;
    }
    for (uint32_t i = 0; i < places->count; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, i > 0 ? "|" : "");
        used += ghcomp_cpus_print(&places->list[i], GHCOMP_CPUS_RANGE, text + used, sizeof text - used);
    }
    ghcomp_places_free(places);
    return text;
}

static void expect(const char *input, const char *expected, const char *found)
{
    if (strncmp(expected, found, expected[0] == '!' ? 1 : strlen(expected) + 1) != 0) {
        fprintf(stderr, "'%.80s' gives '%s', not '%s'\n", input, found, expected);
        exit(1);
    }
}

static const char *const lists[][2] = {
    {"threads", "0|4|2|6|1|5|3|7"},
    {"cores", "0,4|2,6|1,5|3,7"},
    {" Cores ( 3 ) ", "0,4|2,6|1,5"},
    {"SOCKETS", "0,2,4,6|1,3,5,7"},
    {"ll_caches", "0,2,4,6|1,5|3,7"},
    {"numa_domains", "0,2,4,6|1,3,5,7"},
    {"threads(1)", "0"},
    {"threads(100)", "0|4|2|6|1|5|3|7"},
    {"{0}", "0"},
    {"{0,1},{2}", "0-1|2"},
    {" { 0 , 1 } , { 2 } ", "0-1|2"},
    {"{0:4}", "0-3"},
    {"{0:3:2}", "0,2,4"},
    {"{6:3:-2}", "2,4,6"},
    {"{0:8,!3}", "0-2,4-7"},
    {"{!3,0:8}", "0-2,4-7"},
    {"{0:2}:4:2", "0-1|2-3|4-5|6-7"},
    {"{0:2}:2", "0-1|1-2"},
    {"{6:2}:4:-2", "6-7|4-5|2-3|0-1"},
    {"{0}:4,!{2}", "0|1|3"},
    {"!{2},{0}:4", "0|1|3"},
    {"0,1", "0|1"},
    {"0:4:2", "0|2|4|6"},
    {"{0},{0}", "0|0"},
    {"{0}:2:0", "0|0"},
    {"{7}:3", "7"},          /* 8 and 9 do not exist on this machine */
    {"{6,7,8,9}", "6-7"},
    {"{0},{65535},{7}", "0|7"},
    {"", "!"},
    {" ", "!"},
    {"{}", "!"},
    {"{0", "!"},
    {"0}", "!"},
    {"{0}}", "!"},
    {"{0},", "!"},
    {",{0}", "!"},
    {"{0}{1}", "!"},
    {"{0 1}", "!"},
    {"{-1}", "!"},
    {"{0}:", "!"},
    {"{0}:0", "!"},
    {"{0}:-1", "!"},
    {"{0}:2:-1", "!"},
    {"{0:0}", "!"},
    {"{0:3:-1}", "!"},
    {"{0:}", "!"},
    {"{0:1:1:1}", "!"},
    {"!{0}", "!"},
    {"{0,!0}", "!"},
    {"{8}", "!"},
    {"{100000}", "!"},
    {"{99999999999999999999999999}", "!"},
    {"{0:99999999999999999999}", "!"},
    {"{0}:60000:1,{0}:60000:1", "!"},
    {"{0:65535:65535}", "0"},
    {"{0:65535:0}", "0"},
    {"{65534:65535:-1}", "0-7"},
    {"{65:2}:2:-64", "1-2"},   /* from one word of the set to another */
    {"{127,128}:2:-121", "6-7"},
    {"{8191}:2:-8190", "1"},
    {"{0}:3,!{2},!{0},!{5}", "1"},
    {"{0}:16000:65535", "0"},
    {"core", "!"},
    {"coress", "!"},
    {"cores(", "!"},
    {"cores()", "!"},
    {"cores(0)", "!"},
    {"cores(-1)", "!"},
    {"cores(2", "!"},
    {"cores(2)x", "!"},
    {"cores,threads", "!"},
    {"threads\n", "0|4|2|6|1|5|3|7"},
    {"%n%n%s", "!"},
};

static const char *const cpu_lists[][2] = {
    {"0 3 1-2", "0|3|1|2"}, {"0,3,1-2", "0|3|1|2"},   {" 0 , 3 ", "0|3"},  {"1-7:2", "1|3|5|7"},
    {"0-100:3", "0|3|6"},
    {"0 0", "0|0"},         {"5-", "!"},              {"-5", "!"},         {"3-1", "!"},
    {"1-3:0", "!"},
    {"", "!"},              {"0 x", "!"},             {"8", "!"},          {"0-65535", "!"},
    {"0,,1", "!"},          {"1-99999999999", "!"},   {"0,", "!"},         {"0 , ", "!"},
};

static void test_parser(void)
{
    struct ghcomp_places places;
    ghcomp_topology_sort(&machine);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        expect(lists[i][0], lists[i][1],
               in_words(ghcomp_places_parse(lists[i][0], &machine, &places), &places));
    for (size_t i = 0; i < sizeof cpu_lists / sizeof *cpu_lists; i++)
        expect(cpu_lists[i][0], cpu_lists[i][1],
               in_words(ghcomp_places_parse_cpus(cpu_lists[i][0], &machine, &places), &places));
    CHECK(ghcomp_places_parse("{0},{9},{1}", &machine, &places) == NULL);
    CHECK_EQUAL(1, places.dropped);
    ghcomp_places_free(&places);
    /* A place that moves from one word of the set to the next is the one that is excluded. */
    CHECK(ghcomp_places_parse("{60:8}:2:4,!{64:8},{0}", &machine, &places) == NULL);
    CHECK_EQUAL(1, places.dropped);
    ghcomp_places_free(&places);
}

/* Every prefix of a long valid list, and every such text with one byte changed, gets an answer and does no harm. */
static void test_damaged(void)
{
    static const char good[] = "{0:2,!1}:3:2,!{4},7,{1,3:2:-2}:2:1";
    static const char junk[] = "{}!:,-+ 9a(\x80";
    char text[sizeof good];
    struct ghcomp_places places;
    for (size_t length = 0; length < sizeof good; length++) {
        memcpy(text, good, length);
        text[length] = '\0';
        in_words(ghcomp_places_parse(text, &machine, &places), &places);
        for (size_t k = 0; length > 0 && k < sizeof junk - 1; k++) {
            memcpy(text, good, sizeof good);
            text[length - 1] = junk[k];
            in_words(ghcomp_places_parse(text, &machine, &places), &places);
            in_words(ghcomp_places_parse_cpus(text, &machine, &places), &places);
        }
    }
}

static void test_sets(void)
{
    struct ghcomp_cpus cpus;
    char text[64];
    ghcomp_cpus_scan("0-3,8,10-11,63-64,8191,9000\n", &cpus);
    CHECK_EQUAL(10, ghcomp_cpus_count(&cpus));
    CHECK_EQUAL(22, ghcomp_cpus_print(&cpus, GHCOMP_CPUS_RANGE, text, sizeof text));
    CHECK(strcmp(text, "0-3,8,10-11,63-64,8191") == 0);
}

/* --- topology ----------------------------------------------------------------------------------------------------- */

static void put(const char *root, int cpu, const char *folder, const char *name, const char *content)
{
    char path[512];
    snprintf(path, sizeof path, "%s/cpu%d", root, cpu);
    mkdir(path, 0700);
    if (folder[0] != '\0') {
        /* One level or two. */
        char part[128];
        snprintf(part, sizeof part, "%s", folder);
        char *slash = strchr(part, '/');
        if (slash != NULL) {
            *slash = '\0';
            snprintf(path, sizeof path, "%s/cpu%d/%s", root, cpu, part);
            mkdir(path, 0700);
        }
        snprintf(path, sizeof path, "%s/cpu%d/%s", root, cpu, folder);
        mkdir(path, 0700);
    }
    if (name == NULL)
        return;
    snprintf(path, sizeof path, "%s/cpu%d/%s/%s", root, cpu, folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    CHECK(fputs(content, file) >= 0);
    CHECK_EQUAL(0, fclose(file));
}

static void test_topology(void)
{
    char root[] = "/tmp/ghcomp-places-XXXXXX";
    CHECK(mkdtemp(root) != NULL);
    for (int cpu = 0; cpu < 4; cpu++) {
        put(root, cpu, "topology", "thread_siblings_list", cpu % 2 ? "1,3\n" : "0,2\n");
        put(root, cpu, "topology", "core_siblings_list", "0-3\n");
        put(root, cpu, "cache/index0", "level", "1\n");
        put(root, cpu, "cache/index0", "shared_cpu_list", "0-3\n");
        put(root, cpu, "cache/index1", "level", "3\n");
        put(root, cpu, "cache/index1", "shared_cpu_list", cpu % 2 ? "1,3\n" : "0,2\n");
        put(root, cpu, cpu % 2 ? "node1" : "node0", NULL, NULL);
    }
    struct ghcomp_cpus usable;
    struct ghcomp_topology topology;
    struct ghcomp_places places;
    ghcomp_cpus_scan("0-2,5", &usable); /* 3 may not be used; of 5 nothing is known */
    ghcomp_topology_read(root, &usable, &topology);
    CHECK_EQUAL(4, topology.count);
    expect("cores", "0,2|5|1", in_words(ghcomp_places_parse("cores", &topology, &places), &places));
    expect("sockets", "0-2,5", in_words(ghcomp_places_parse("sockets", &topology, &places), &places));
    expect("ll_caches", "0,2,5|1", in_words(ghcomp_places_parse("ll_caches", &topology, &places), &places));
    expect("numa_domains", "0,2,5|1",
           in_words(ghcomp_places_parse("numa_domains", &topology, &places), &places));
    ghcomp_topology_free(&topology);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK_EQUAL(0, system(command));
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

static void slots(enum ghcomp_bind bind, uint32_t threads, struct ghcomp_slot master, const char *expected)
{
    char text[512];
    size_t used = 0;
    for (uint32_t tid = 0; tid < threads; tid++) {
        struct ghcomp_slot slot = ghcomp_affinity_slot(bind, threads, tid, master);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u(%u+%u)", tid ? " " : "",
                                 slot.place, slot.first, slot.length);
    }
    if (strcmp(text, expected) != 0) {
        fprintf(stderr, "bind %d, %u threads, master at %u of %u+%u: '%s', not '%s'\n", bind, threads,
                master.place, master.first, master.length, text, expected);
        exit(1);
    }
}

static void test_slots(void)
{
    struct ghcomp_slot all = {.place = 0, .first = 0, .length = 8};
    struct ghcomp_slot inner = {.place = 5, .first = 4, .length = 3};
    slots(GHCOMP_BIND_PRIMARY, 3, inner, "5(4+3) 5(4+3) 5(4+3)");
    slots(GHCOMP_BIND_CLOSE, 3, all, "0(0+8) 1(0+8) 2(0+8)");
    slots(GHCOMP_BIND_TRUE, 3, inner, "5(4+3) 6(4+3) 4(4+3)");
    slots(GHCOMP_BIND_CLOSE, 5, inner, "5(4+3) 6(4+3) 4(4+3) 5(4+3) 6(4+3)");
    slots(GHCOMP_BIND_CLOSE, 7, inner, "5(4+3) 5(4+3) 6(4+3) 6(4+3) 4(4+3) 4(4+3) 5(4+3)");
    slots(GHCOMP_BIND_SPREAD, 1, all, "0(0+8)");
    slots(GHCOMP_BIND_SPREAD, 2, all, "0(0+4) 4(4+4)");
    slots(GHCOMP_BIND_SPREAD, 3, all, "0(0+3) 3(3+3) 6(6+2)");
    slots(GHCOMP_BIND_SPREAD, 8, all, "0(0+1) 1(1+1) 2(2+1) 3(3+1) 4(4+1) 5(5+1) 6(6+1) 7(7+1)");
    all.place = 4;
    slots(GHCOMP_BIND_SPREAD, 3, all, "4(3+3) 6(6+2) 0(0+3)");
    slots(GHCOMP_BIND_SPREAD, 2, inner, "5(4+2) 6(6+1)");
    slots(GHCOMP_BIND_SPREAD, 4, inner, "5(5+1) 6(6+1) 4(4+1) 5(5+1)");
}

/* What the rules promise for any team: slots lie in the master's partition; a spread team's parts cover it without
   overlap when there are enough places; and no place has more than one thread more than another. */
static void test_laws(void)
{
    for (uint32_t length = 1; length <= 12; length++)
        for (uint32_t offset = 0; offset < length; offset++)
            for (uint32_t threads = 1; threads <= 30; threads++)
                for (int bind = GHCOMP_BIND_TRUE; bind <= GHCOMP_BIND_SPREAD; bind++) {
                    struct ghcomp_slot master = {.place = 3 + offset, .first = 3, .length = length};
                    uint32_t threads_at[16] = {0}, parts_over[16] = {0};
                    for (uint32_t tid = 0; tid < threads; tid++) {
                        struct ghcomp_slot slot = ghcomp_affinity_slot(bind, threads, tid, master);
                        CHECK(slot.first >= 3 && slot.length >= 1 && slot.first + slot.length <= 3 + length);
                        CHECK(slot.place >= slot.first && slot.place < slot.first + slot.length);
                        CHECK(tid != 0 || slot.place == master.place);
                        threads_at[slot.place]++;
                        for (uint32_t i = 0; i < slot.length; i++)
                            parts_over[slot.first + i]++;
                    }
                    for (uint32_t place = 3; place < 3 + length && bind != GHCOMP_BIND_PRIMARY; place++) {
                        CHECK(threads_at[place] <= threads / length + 1);
                        CHECK(threads < length || threads_at[place] >= threads / length);
                        if (bind == GHCOMP_BIND_SPREAD && threads <= length)
                            CHECK_EQUAL(1, parts_over[place]);
                    }
                }
}

int main(void)
{
    test_sets();
    test_parser();
    test_damaged();
    test_topology();
    test_slots();
    test_laws();
    return 0;
}
