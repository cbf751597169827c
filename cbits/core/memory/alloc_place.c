/* Memory on chosen NUMA nodes. A block is a mapping of its own, and the system is asked (mbind) where its pages are to
 * lie before any of them is touched:
 *
 *   nearest      on the node of the CPU that the requesting thread runs on
 *   blocked      in as many parts of about the same size as there are nodes, in the order in which places are made of
 *                the nodes, so that a static loop of a team that is spread over them finds its part nearby
 *   interleaved  on the nodes in turn: page by page, or part by part where part_size says so
 *
 * The nodes are those of the process's CPUs, as far as it may have memory there: one that has memory alone, such as
 * slow memory behind a link, is for programs that ask for it. With one node there is nothing to place, and allocators
 * are as without the trait. So they are where the system does not let the process know its nodes, as in a sandbox,
 * which denies it the placing, too. A refusal later costs the placing alone.
 *
 * Only pages can be placed. A block of less than WORTH pages would waste much of the mapping, and comes from malloc.
 *
 * `machine` is written once, under pthread_once, and read after it. No lock is held while memory is requested. The
 * child of a fork() has the mappings with their placing.
 *
 * Called by alloc.c. Covered by test/conformance/alloc/partition.c, whose system calls see a machine of several nodes,
 * test/clang/part_size.c, and test/machines/memory.c on virtual machines that have them.
 */
#include "core/memory/alloc_place.h"

#include <pthread.h>
#include <string.h>

#include "core/affinity/topology.h"
#include "core/memory/alloc.h"
#include "host/os.h"

enum { WORTH = 4 /* pages */ };
/* A part of interleaved memory that is no page is a mapping of the kernel's, of which a process has 65,530 by default.
   Larger parts are used where a block would have more. */
enum { PARTS_MOST = 1024 };

static struct {
    struct ghcomp_topology cpus;   /* for the node of each CPU */
    struct ghcomp_os_nodes set;    /* the nodes */
    uint32_t count;
    uint16_t list[GHCOMP_OS_NODES]; /* [count]: in the order in which places are made of them */
} machine; /* immutable after `read_once` */
static pthread_once_t read_once = PTHREAD_ONCE_INIT;

static bool has(const struct ghcomp_os_nodes *nodes, uint32_t node)
{
    return node < GHCOMP_OS_NODES && (nodes->bits[node / 64] >> node % 64 & 1) != 0;
}

static void add(struct ghcomp_os_nodes *nodes, uint32_t node)
{
    nodes->bits[node / 64] |= 1UL << node % 64;
}

static void read_machine(void)
{
    struct ghcomp_os_nodes allowed;
    struct ghcomp_cpus usable = {{0}};
    size_t size;
    if (!ghcomp_os_memory_nodes(&allowed))
        return;
    const cpu_set_t *mask = ghcomp_os_affinity(&size);
    memcpy(&usable, mask, size < sizeof usable ? size : sizeof usable);
    ghcomp_topology_read("/sys/devices/system/cpu", &usable, &machine.cpus);
    for (uint32_t i = 0; i < machine.cpus.count; i++) {
        uint32_t node = machine.cpus.cpus[i].node;
        if (has(&allowed, node) && !has(&machine.set, node)) {
            add(&machine.set, node);
            machine.list[machine.count++] = (uint16_t)node;
        }
    }
}

bool ghcomp_place_possible(void)
{
    pthread_once(&read_once, read_machine);
    return machine.count > 1;
}

bool ghcomp_place_worth(size_t bytes)
{
    return bytes >= WORTH * ghcomp_os_page_size();
}

/* Places the bytes [from, to) of the memory on one node. */
static void place(char *memory, size_t from, size_t to, uint32_t node)
{
    struct ghcomp_os_nodes one = {{0}};
    add(&one, node);
    ghcomp_os_place(memory + from, to - from, &one);
}

static void place_nearest(char *memory, size_t bytes)
{
    int cpu = ghcomp_os_cpu();
    for (uint32_t i = 0; i < machine.cpus.count; i++)
        if ((int)machine.cpus.cpus[i].cpu == cpu && has(&machine.set, machine.cpus.cpus[i].node))
            place(memory, 0, bytes, machine.cpus.cpus[i].node);
}

static void place_blocked(char *memory, size_t bytes)
{
    size_t page = ghcomp_os_page_size(), pages = bytes / page, from = 0;
    for (uint32_t i = 0; i < machine.count; i++) {
        /* The first ones are a page longer where the pages cannot be divided. */
        size_t to = from + (pages / machine.count + (i < pages % machine.count)) * page;
        if (to > from)
            place(memory, from, to, machine.list[i]);
        from = to;
    }
}

static void place_interleaved(char *memory, size_t bytes, size_t part)
{
    size_t page = ghcomp_os_page_size();
    if (part <= page) {
        ghcomp_os_place(memory, bytes, &machine.set);
        return;
    }
    part = part < bytes ? (part + page - 1) / page * page : bytes;
    while (bytes / part > PARTS_MOST)
        part *= 2;
    uint32_t next = 0;
    for (size_t from = 0; from < bytes; from += part) {
        place(memory, from, bytes - from > part ? from + part : bytes, machine.list[next]);
        next = (next + 1) % machine.count;
    }
}

/* Whole pages. The caller's bytes are fewer than SIZE_MAX less a page, or the mapping fails. */
static size_t whole(size_t bytes)
{
    size_t page = ghcomp_os_page_size();
    return bytes <= SIZE_MAX - page ? (bytes + page - 1) / page * page : bytes;
}

void *ghcomp_place_alloc(size_t bytes, uintptr_t partition, size_t part)
{
    char *memory = ghcomp_os_map(whole(bytes));
    if (memory == NULL)
        return NULL;
    if (partition == GHCOMP_ATV_NEAREST)
        place_nearest(memory, whole(bytes));
    else if (partition == GHCOMP_ATV_BLOCKED)
        place_blocked(memory, whole(bytes));
    else
        place_interleaved(memory, whole(bytes), part);
    return memory;
}

void ghcomp_place_free(void *memory, size_t bytes)
{
    ghcomp_os_unmap(memory, whole(bytes));
}
