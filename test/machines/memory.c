/* The allocator trait `partition`: on which node each page of a block lies after the calling thread has touched all of
 * them, by the kernel's word.
 */
#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>

enum { NODES = 64, PAGES = 64, WHERE = 1 << 0 | 1 << 1 /* MPOL_F_NODE, MPOL_F_ADDR */, ALLOWED = 1 << 2 };

/* The node of the CPU, or 0. */
static int node_of(int cpu)
{
    char text[4096];
    for (int node = 0; node < NODES; node++)
        if (look_up(text, sizeof text, "/sys/devices/system/node/node%2$d/cpulist", cpu, node)) {
            cpu_set_t of_node;
            scan(text, &of_node);
            if (CPU_ISSET(cpu, &of_node))
                return node;
        }
    return 0;
}

static int node_of_page(char *page)
{
    int node = -1;
    CHECK(syscall(SYS_get_mempolicy, &node, NULL, 0L, page, (long)WHERE) == 0, "errno %d", errno);
    return node;
}

/* The numbers of pages on each node, of a block that the calling thread has touched, and where one page's node differs
   from that of the page before. */
static int look_at(omp_uintptr_t partition, int on[NODES])
{
    const omp_alloctrait_t traits[] = {{omp_atk_partition, partition}, {omp_atk_alignment, 4096}};
    omp_allocator_handle_t allocator = omp_init_allocator(omp_default_mem_space, 2, traits);
    char *block = omp_alloc(PAGES * 4096, allocator);
    int changes = 0, before = -1;
    CHECK(block != NULL, "no memory");
    memset(block, 1, PAGES * 4096);
    memset(on, 0, NODES * sizeof *on);
    for (int i = 0; i < PAGES; i++) {
        int node = node_of_page(block + i * 4096L);
        CHECK(node >= 0 && node < NODES, "page %d is on node %d", i, node);
        on[node]++;
        changes += before >= 0 && node != before;
        before = node;
    }
    omp_free(block, allocator);
    omp_destroy_allocator(allocator);
    return changes;
}

int main(void)
{
    cpu_set_t usable;
    unsigned long allowed[NODES / 8] = {0};
    int of_process[NODES] = {0}, nodes = 0, on[NODES];
    expected_cpus(&usable);
    if (syscall(SYS_get_mempolicy, NULL, allowed, 8L * sizeof allowed, NULL, (long)ALLOWED) != 0) {
        printf("the kernel has no nodes: %s\n", strerror(errno));
        return 77;
    }
    for (int cpu = 0; cpu < MOST; cpu++)
        if (CPU_ISSET(cpu, &usable))
            of_process[node_of(cpu)] = 1;
    for (int node = 0; node < NODES; node++)
        nodes += of_process[node] = of_process[node] && (allowed[0] >> node & 1);
    CHECK(nodes > 0, "the process has no nodes");
    int changes = look_at(omp_atv_interleaved, on);
    for (int node = 0; node < NODES; node++)
        CHECK(on[node] == (of_process[node] ? PAGES / nodes : 0), "interleaved: %d pages on node %d", on[node], node);
    CHECK(changes == (nodes > 1 ? PAGES - 1 : 0), "interleaved: %d changes", changes);
    changes = look_at(omp_atv_blocked, on);
    for (int node = 0; node < NODES; node++)
        CHECK(abs(on[node] - (of_process[node] ? PAGES / nodes : 0)) <= 1, "blocked: %d pages on node %d", on[node],
              node);
    CHECK(changes == nodes - 1, "blocked: %d changes", changes);
    for (int cpu = 0; cpu < MOST; cpu++)
        if (CPU_ISSET(cpu, &usable)) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            CHECK(sched_setaffinity(0, sizeof one, &one) == 0, "not bound to CPU %d", cpu);
            changes = look_at(omp_atv_nearest, on);
            CHECK(on[node_of(cpu)] == PAGES, "nearest to CPU %d: %d pages there, %d changes", cpu, on[node_of(cpu)],
                  changes);
        }
    printf("%d nodes\n", nodes);
    return 0;
}
