/* KMP_HW_SUBSET on machines that are made up: which CPUs are left, and which subsets the machine does not have. */
#include "unit.h"

#include <string.h>

#include "core/affinity/hw_subset.h"
#include "core/env/env_parse_kmp.h"

/* Two sockets of two cores with two threads; a core's threads are 4 apart. A cache and a node for each socket. */
static struct ghcomp_topology_cpu two_sockets[] = {
    {0, 0, 0, 0, 0}, {4, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {5, 1, 0, 0, 0},
    {2, 2, 2, 2, 1}, {6, 2, 2, 2, 1}, {3, 3, 2, 2, 1}, {7, 3, 2, 2, 1},
};
/* One socket with two caches of two cores each; the mask has one thread of each core but the first. */
static struct ghcomp_topology_cpu uneven[] = {
    {0, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {3, 2, 0, 0, 0}, {4, 4, 0, 4, 0}, {7, 6, 0, 4, 0},
};
static const struct ghcomp_topology machines[] = {{8, two_sockets}, {5, uneven}, {0, NULL}};

static const struct {
    int machine;
    const char *subset, *cpus; /* "!": the machine does not have it */
} cases[] = {
    {0, "1s", "0-1,4-5"},
    {0, "1s@1", "2-3,6-7"},
    {0, "*s@1", "2-3,6-7"},
    {0, "2s", "0-7"},
    {0, "s", "0-7"},
    {0, "1c", "0,2,4,6"},      /* of each socket */
    {0, "1c@1", "1,3,5,7"},
    {0, ":1c", "0,4"},         /* of the machine */
    {0, ":3c", "0-2,4-6"},
    {0, ":1c@3", "3,7"},
    {0, "1t", "0-3"},          /* of each core */
    {0, "1t@1", "4-7"},
    {0, ":1t", "0"},
    {0, ":3t@1", "1,4-5"},
    {0, "1s,1c,1t", "0"},
    {0, "1s@1,1c@1,1t@1", "7"},
    {0, "1t,1s", "0-1"},
    {0, ":1s,3t", "0-1,4"},    /* cores are no level here */
    {0, "1numa", "0-7"},       /* of each socket */
    {0, ":1numa@1", "2-3,6-7"},
    {0, "1l3,1c", "0,2,4,6"},
    {0, "3s", "!"},
    {0, "1s@2", "!"},
    {0, "*s@2", "!"},
    {0, "3c", "!"},
    {0, ":5c", "!"},
    {0, "2c@1", "!"},
    {0, "3t", "!"},
    {0, "99999c@99999", "!"},
    {0, "1die,1c", "!"},
    {1, "1t", "0,3-4,7"},
    {1, "2t", "0-1,3-4,7"},    /* one core has two */
    {1, "1t@1", "1"},
    {1, "1l3@1", "4,7"},
    {1, "1ll,1c", "0-1"},
    {1, "2ll,1c@1", "3,7"},
    {1, "4c", "0-1,3-4,7"},
    {2, "1s", "!"},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ghcomp_hw_subset subset;
        struct ghcomp_cpus kept;
        char text[256] = "!";
        CHECK(ghcomp_env_parse_hw_subset(cases[i].subset, &subset));
        if (ghcomp_hw_subset_keep(&subset, &machines[cases[i].machine], &kept) == NULL)
            ghcomp_cpus_print(&kept, GHCOMP_CPUS_RANGE, text, sizeof text);
        if (strcmp(text, cases[i].cpus) != 0)
            fprintf(stderr, "machine %d, %s: %s, not %s\n", cases[i].machine, cases[i].subset, text, cases[i].cpus);
        CHECK(strcmp(text, cases[i].cpus) == 0);
    }
    return 0;
}
