/* Linux: pages of memory, locked in RAM or placed on NUMA nodes. Contract in os.h; covered by test/unit/alloc.c,
 * test/conformance/alloc/{pinned,partition}.c, test/machines/memory.c, and with each system call denied by
 * test/fault/denied.py. */
#include "host/os.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

size_t ghcomp_os_page_size(void)
{
    long bytes = sysconf(_SC_PAGESIZE);
    return bytes > 0 ? (size_t)bytes : 4096;
}

void *ghcomp_os_map(size_t size)
{
    int saved_errno = errno;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved_errno;
    return memory != MAP_FAILED ? memory : NULL;
}

void ghcomp_os_unmap(void *memory, size_t size)
{
    int saved_errno = errno;
    munmap(memory, size);
    errno = saved_errno;
}

void *ghcomp_os_pin(size_t size)
{
    int saved_errno = errno;
    void *memory = ghcomp_os_map(size);
    if (memory != NULL && mlock(memory, size) != 0) {
        munmap(memory, size);
        memory = NULL;
    }
    errno = saved_errno;
    return memory;
}

/* The kernel locks the pages that a locked mapping grows by, and refuses when the limit does not allow that. */
void *ghcomp_os_repin(void *memory, size_t size, size_t new_size)
{
    int saved_errno = errno;
    void *moved = mremap(memory, size, new_size, MREMAP_MAYMOVE);
    errno = saved_errno;
    return moved != MAP_FAILED ? moved : NULL;
}

/* The kernel expects the number of bits plus one. */
enum { NODES_ARGUMENT = GHCOMP_OS_NODES + 1 };

bool ghcomp_os_memory_nodes(struct ghcomp_os_nodes *nodes)
{
    int saved_errno = errno;
    *nodes = (struct ghcomp_os_nodes){{0}};
    bool known = syscall(SYS_get_mempolicy, NULL, nodes->bits, NODES_ARGUMENT, NULL, MPOL_F_MEMS_ALLOWED) == 0;
    errno = saved_errno;
    return known;
}

void ghcomp_os_place(void *memory, size_t size, const struct ghcomp_os_nodes *nodes)
{
    int saved_errno = errno, several = 0;
    for (size_t i = 0; i < sizeof nodes->bits / sizeof nodes->bits[0]; i++)
        several += __builtin_popcountl(nodes->bits[i]);
    syscall(SYS_mbind, memory, size, several > 1 ? MPOL_INTERLEAVE : MPOL_PREFERRED, nodes->bits, NODES_ARGUMENT, 0);
    errno = saved_errno;
}
