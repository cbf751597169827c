/* KMP_HW_SUBSET: which CPUs the process uses.
 *
 * The levels are those that the variable names. A CPU's number at a level is the number of its group among the groups
 * of that level inside the same group of the next outer level, in the topology's order; at the outermost level, in the
 * whole machine. Unless the text begins with a colon, sockets, cores and threads are levels, too, with all their parts:
 * `1c` is a core of each socket, `:1c` one core. A CPU is kept if its number at each level is in the level's range.
 * Only CPUs of the process's mask count.
 *
 * The kept CPUs replace the saved mask, from which the number of CPUs, the default team and the places are made, and
 * which workers inherit. affinity.c binds the program's own threads to them. The environment is read at load and
 * perhaps once more (env_first.c); one thread at a time is here.
 *
 * Called by env.c. Covered by test/unit/hw_subset.c and test/clang/hw_subset.c.
 */
#include "core/affinity/hw_subset.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/affinity/affinity.h"
#include "host/os.h"

bool ghcomp_hw_subset_narrows;

static uint32_t group_of(const struct ghcomp_topology_cpu *cpu, int level)
{
    switch (level) {
    case GHCOMP_HW_SOCKET:
        return cpu->socket;
    case GHCOMP_HW_NODE:
        return cpu->node;
    case GHCOMP_HW_CACHE:
        return cpu->cache;
    case GHCOMP_HW_CORE:
        return cpu->core;
    default:
        return cpu->cpu;
    }
}

/* A CPU's number at `level` within its group at `outer`; outer -1: the whole machine. `seen` has room for the machine's
   CPUs. */
static uint32_t number_of(const struct ghcomp_topology *topology, uint32_t index, int level, int outer, uint32_t *seen)
{
    const struct ghcomp_topology_cpu *cpus = topology->cpus;
    uint32_t count = 0, mine = group_of(&cpus[index], level);
    for (uint32_t i = 0; i < topology->count; i++) {
        uint32_t group = group_of(&cpus[i], level), k = 0;
        if (outer >= 0 && group_of(&cpus[i], outer) != group_of(&cpus[index], outer))
            continue;
        if (group == mine)
            return count;
        while (k < count && seen[k] != group)
            k++;
        if (k == count)
            seen[count++] = group;
    }
    return count;
}

static bool counts(const struct ghcomp_hw_subset *subset, int level)
{
    bool implied = level == GHCOMP_HW_SOCKET || level == GHCOMP_HW_CORE || level == GHCOMP_HW_THREAD;
    return subset->levels[level].given || (implied && !subset->absolute);
}

/* Removes CPUs outside the level's range from `kept`. False: no group has as many parts as the range needs. */
static bool narrow(const struct ghcomp_hw_subset *subset, const struct ghcomp_topology *topology, int level, int outer,
                   bool *kept)
{
    uint32_t number = subset->levels[level].number, first = subset->levels[level].offset, most = 0;
    uint32_t *seen = ghcomp_alloc(topology->count * sizeof *seen);
    for (uint32_t i = 0; i < topology->count; i++) {
        uint32_t mine = number_of(topology, i, level, outer, seen);
        most = mine + 1 > most ? mine + 1 : most;
        kept[i] &= mine >= first && mine - first < number;
    }
    free(seen);
    return number == UINT32_MAX ? first < most : (uint64_t)first + number <= most;
}

const char *ghcomp_hw_subset_keep(const struct ghcomp_hw_subset *subset, const struct ghcomp_topology *topology,
                                  struct ghcomp_cpus *kept)
{
    if (subset->other)
        return "this runtime does not know one of its levels";
    bool *keep = ghcomp_alloc(topology->count * sizeof *keep), enough = true, any = false;
    memset(keep, true, topology->count * sizeof *keep);
    memset(kept, 0, sizeof *kept);
    int outer = -1;
    for (int level = 0; level < GHCOMP_HW_LEVELS; level++) {
        if (!counts(subset, level))
            continue;
        if (subset->levels[level].given)
            enough &= narrow(subset, topology, level, outer, keep);
        outer = level;
    }
    for (uint32_t i = 0; i < topology->count; i++)
        if (keep[i]) {
            ghcomp_cpus_add(kept, topology->cpus[i].cpu);
            any = true;
        }
    free(keep);
    return enough && any ? NULL : "this machine, or the process's part of it, has fewer of them";
}

void ghcomp_hw_subset_env_init(void)
{
    struct ghcomp_cpus usable, kept;
    struct ghcomp_topology topology;
    const char *text = ghcomp_settings.hw_subset_text;
    ghcomp_hw_subset_narrows = false;
    ghcomp_os_narrow_mask(NULL, 0);
    if (text == NULL || ghcomp_settings.kmp_affinity.type == GHCOMP_KMP_AFFINITY_DISABLED)
        return;
    ghcomp_affinity_at_load(&usable);
    ghcomp_topology_read("/sys/devices/system/cpu", &usable, &topology);
    const char *wrong = ghcomp_hw_subset_keep(&ghcomp_settings.hw_subset, &topology, &kept);
    if (wrong != NULL) {
        ghcomp_warn("KMP_HW_SUBSET='%s': %s; using all CPUs", ghcomp_shown(text).text, wrong);
    } else {
        if (ghcomp_settings.hw_subset.attributes)
            ghcomp_warn("KMP_HW_SUBSET='%s': kinds of cores are not looked at; using the first cores, of any kind",
                        ghcomp_shown(text).text);
        ghcomp_hw_subset_narrows = memcmp(&kept, &usable, sizeof kept) != 0;
        ghcomp_os_narrow_mask((const cpu_set_t *)&kept, sizeof kept);
    }
    ghcomp_topology_free(&topology);
}
