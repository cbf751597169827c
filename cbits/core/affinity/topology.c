/* The machine's topology: which core, cache, socket and NUMA node each usable CPU is part of.
 *
 * Linux shows it as files below /sys/devices/system/cpu. A file that is missing, in a container for example, costs only
 * its own information. A topology belongs to its reader; no state here is shared between threads.
 *
 * Called by affinity.c, hw_subset.c and core/memory/alloc_place.c. Covered by test/unit/places.c, with folders that
 * look like those of larger machines.
 */
#include "core/affinity/topology.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static bool read_file(char *content, size_t size, const char *root, uint32_t cpu, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cpu%u/%s", root, cpu, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    size_t got = fread(content, 1, size - 1, file);
    fclose(file);
    content[got] = '\0';
    return got > 0;
}

/* The name of a CPU's group: the smallest CPU in the list that the kernel shows for `cpu`. */
static uint32_t group_name(const char *root, uint32_t cpu, const char *name, uint32_t otherwise)
{
    char content[16384];
    if (!read_file(content, sizeof content, root, cpu, name))
        return otherwise;
    struct ghcomp_cpus group;
    ghcomp_cpus_scan(content, &group);
    uint32_t first = ghcomp_cpus_next(&group, 0);
    return first < GHCOMP_MAX_CPUS ? first : otherwise;
}

/* The name of the CPU's group that shares its cache of the highest level. */
static uint32_t cache_name(const char *root, uint32_t cpu, uint32_t otherwise)
{
    uint32_t found = otherwise;
    long deepest = 0;
    for (int index = 0; index < 16; index++) {
        char name[64], content[32];
        snprintf(name, sizeof name, "cache/index%d/level", index);
        if (!read_file(content, sizeof content, root, cpu, name))
            break;
        long level = strtol(content, NULL, 10);
        if (level <= deepest)
            continue;
        deepest = level;
        snprintf(name, sizeof name, "cache/index%d/shared_cpu_list", index);
        found = group_name(root, cpu, name, otherwise);
    }
    return found;
}

/* The directory of a CPU has an entry nodeN for its NUMA node. */
static uint32_t node_name(const char *root, uint32_t cpu)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cpu%u", root, cpu);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0;
    uint32_t found = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strncmp(entry->d_name, "node", 4) == 0 && isdigit((unsigned char)entry->d_name[4]))
            found = (uint32_t)strtoul(entry->d_name + 4, NULL, 10);
    closedir(folder);
    return found;
}

static int by_nearness(const void *left, const void *right)
{
    const struct ghcomp_topology_cpu *a = left, *b = right;
    if (a->socket != b->socket)
        return a->socket < b->socket ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->cache != b->cache)
        return a->cache < b->cache ? -1 : 1;
    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

void ghcomp_topology_sort(struct ghcomp_topology *topology)
{
    qsort(topology->cpus, topology->count, sizeof *topology->cpus, by_nearness);
}

void ghcomp_topology_read(const char *root, const struct ghcomp_cpus *usable,
                          struct ghcomp_topology *topology)
{
    topology->count = 0;
    topology->cpus = ghcomp_alloc(ghcomp_cpus_count(usable) * sizeof *topology->cpus);
    for (uint32_t cpu = ghcomp_cpus_next(usable, 0); cpu < GHCOMP_MAX_CPUS; cpu = ghcomp_cpus_next(usable, cpu + 1)) {
        struct ghcomp_topology_cpu *entry = &topology->cpus[topology->count++];
        entry->cpu = cpu;
        entry->core = group_name(root, cpu, "topology/thread_siblings_list", cpu);
        entry->socket = group_name(root, cpu, "topology/core_siblings_list", 0);
        entry->cache = cache_name(root, cpu, entry->socket);
        entry->node = node_name(root, cpu);
    }
    ghcomp_topology_sort(topology);
}

void ghcomp_topology_free(struct ghcomp_topology *topology)
{
    free(topology->cpus);
    *topology = (struct ghcomp_topology){0};
}
