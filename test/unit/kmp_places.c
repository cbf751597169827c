/* KMP_AFFINITY's types on two machines that are made up: the order of places, their sizes, permutations and offsets. */
#include "unit.h"

#include <string.h>

#include "core/affinity/kmp_places.h"
#include "core/env/env_parse_kmp.h"

/* Two sockets of two cores with two threads; a core's threads are 4 apart. A cache and a node for each socket. */
static struct ghcomp_topology_cpu two_sockets[] = {
    {0, 0, 0, 0, 0}, {4, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {5, 1, 0, 0, 0},
    {2, 2, 2, 2, 1}, {6, 2, 2, 2, 1}, {3, 3, 2, 2, 1}, {7, 3, 2, 2, 1},
};
/* One socket; the second core has one usable thread. */
static struct ghcomp_topology_cpu uneven[] = {{0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {2, 2, 0, 0, 0}};

static const struct ghcomp_topology machines[] = {{8, two_sockets}, {3, uneven}};

static const struct {
    int machine;
    const char *affinity, *places; /* "!": refused */
} cases[] = {
    {0, "granularity=fine,compact", "0|4|1|5|2|6|3|7"},
    {0, "granularity=fine,compact,1", "0|1|2|3|4|5|6|7"},
    {0, "granularity=fine,compact,2", "0|2|1|3|4|6|5|7"},
    {0, "granularity=fine,compact,9", "0|2|1|3|4|6|5|7"},
    {0, "granularity=fine,scatter", "0|2|1|3|4|6|5|7"},
    {0, "granularity=fine,scatter,1", "0|1|2|3|4|5|6|7"},
    {0, "granularity=fine,scatter,2", "0|4|1|5|2|6|3|7"},
    {0, "granularity=fine,compact,0,3", "5|2|6|3|7|0|4|1"},
    {0, "granularity=fine,compact,0,11", "5|2|6|3|7|0|4|1"},
    {0, "compact", "0,4|0,4|1,5|1,5|2,6|2,6|3,7|3,7"},
    {0, "scatter", "0,4|2,6|1,5|3,7|0,4|2,6|1,5|3,7"},
    {0, "granularity=socket,scatter", "0-1,4-5|2-3,6-7|0-1,4-5|2-3,6-7|0-1,4-5|2-3,6-7|0-1,4-5|2-3,6-7"},
    {0, "balanced", "0,4|1,5|2,6|3,7"},
    {0, "granularity=fine,balanced", "0,4|1,5|2,6|3,7"},
    {0, "balanced,1", "1,5|2,6|3,7|0,4"},
    {0, "granularity=fine,proclist=[3,0-1,{2,5}]", "3|0|1|2,5"},
    {0, "proclist=[3,0-1,{2,5}]", "3,7|0,4|1,5|1-2,5-6"},
    {0, "granularity=numa,proclist=[6]", "2-3,6-7"},
    {0, "granularity=fine,proclist=[6-0:-3],1", "3|0|6"},
    {0, "granularity=fine,proclist=[7,8]", "7"},
    {0, "proclist=[8]", "!"},
    {1, "compact", "0-1|0-1|2"},
    {1, "scatter", "0-1|2|0-1"},
    {1, "balanced", "0-1|2"},
    {1, "granularity=ll_cache,compact", "0-2|0-2|0-2"},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_kmp_affinity affinity;
        struct ghcomp_places places;
        char text[512] = "";
        CHECK(ghcomp_env_parse_kmp_affinity(cases[i].affinity, &affinity));
        const char *wrong = ghcomp_kmp_places_make(&affinity, &machines[cases[i].machine], &places);
        if (wrong != NULL)
            strcpy(text, "!");
        for (uint32_t p = 0; wrong == NULL && p < places.count; p++) {
            size_t used = strlen(text);
            used += (size_t)snprintf(text + used, sizeof text - used, "%s", p > 0 ? "|" : "");
            ghcomp_cpus_print(&places.list[p], GHCOMP_CPUS_RANGE, text + used, sizeof text - used);
        }
        if (strcmp(text, cases[i].places) != 0) {
            fprintf(stderr, "%s: %s, not %s\n", cases[i].affinity, text, cases[i].places);
            return 1;
        }
        ghcomp_places_free(&places);
        free(affinity.places);
    }
    struct ghcomp_kmp_affinity compact = {.type = GHCOMP_KMP_AFFINITY_COMPACT};
    struct ghcomp_topology none = {0, NULL};
    struct ghcomp_places places;
    CHECK(ghcomp_kmp_places_make(&compact, &none, &places) != NULL && places.count == 0);
    return 0;
}
