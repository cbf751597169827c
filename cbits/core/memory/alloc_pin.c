/* Pinned memory. The system locks whole pages, and unlocking a page unlocks all that is in it, so no page is shared
 * with memory that is not pinned. Large blocks are mappings of their own. Small blocks share pages: `page` is filled
 * from its start, no part of a page is used twice (so it is still zero, as the system gave it), and a page is unmapped
 * when all its blocks have been freed.
 *
 * The lock: a mutex around `page` and the counts of all pages. It is held for a few stores and the system calls of one
 * page, and no other lock is taken under it. It is also held across fork() (pthread_atfork), so that the child finds
 * the counts consistent. The child's memory is not locked: fork() does not pass that on.
 *
 * Called by alloc.c. Covered by test/conformance/alloc/pinned.c and test/unit/alloc.c.
 */
#include "core/memory/alloc_pin.h"

#include <pthread.h>
#include <string.h>

#include "base/check.h"
#include "host/os.h"

enum { UNIT = 16 };

/* At the start of a page of small blocks; lock pinned. */
struct page {
    uint32_t filled; /* bytes used, this struct's included */
    uint32_t blocks; /* blocks in it that have not been freed */
    uint64_t padding;
};
_Static_assert(sizeof(struct page) == UNIT, "the first block is aligned");

static pthread_mutex_t pinned = PTHREAD_MUTEX_INITIALIZER;
static struct page *page; /* lock pinned: the next small blocks come from it; NULL: none is open */

/* Depends on the size only, so that alloc, resize and free of a block agree. */
static bool is_small(size_t bytes)
{
    return bytes <= ghcomp_os_page_size() / 4;
}

static void *small_alloc(size_t bytes)
{
    void *memory = NULL;
    uint32_t units = (uint32_t)((bytes + UNIT - 1) / UNIT * UNIT);
    pthread_mutex_lock(&pinned);
    if (page == NULL || page->filled + units > ghcomp_os_page_size()) {
        struct page *fresh = ghcomp_os_pin(ghcomp_os_page_size());
        if (fresh != NULL) {
            fresh->filled = sizeof *fresh;
            page = fresh; /* the full one is found by the addresses of its blocks */
        }
    }
    if (page != NULL && page->filled + units <= ghcomp_os_page_size()) {
        memory = (char *)page + page->filled;
        page->filled += units;
        page->blocks++;
    }
    pthread_mutex_unlock(&pinned);
    return memory;
}

static void small_free(void *memory)
{
    struct page *home = (struct page *)((uintptr_t)memory & ~(uintptr_t)(ghcomp_os_page_size() - 1));
    pthread_mutex_lock(&pinned);
    if (--home->blocks == 0) {
        if (home == page)
            page = NULL;
        ghcomp_os_unmap(home, ghcomp_os_page_size());
    }
    pthread_mutex_unlock(&pinned);
}

void *ghcomp_pin_alloc(size_t bytes)
{
    return is_small(bytes) ? small_alloc(bytes) : ghcomp_os_pin(bytes);
}

void ghcomp_pin_free(void *memory, size_t bytes)
{
    if (is_small(bytes))
        small_free(memory);
    else
        ghcomp_os_unmap(memory, bytes);
}

void *ghcomp_pin_resize(void *memory, size_t bytes, size_t new_bytes)
{
    if (!is_small(bytes) && !is_small(new_bytes))
        return ghcomp_os_repin(memory, bytes, new_bytes);
    void *moved = ghcomp_pin_alloc(new_bytes);
    if (moved == NULL)
        return NULL;
    memcpy(moved, memory, bytes < new_bytes ? bytes : new_bytes);
    ghcomp_pin_free(memory, bytes);
    return moved;
}

static void fork_prepare(void)
{
    pthread_mutex_lock(&pinned);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&pinned);
}

static void fork_child(void)
{
    pthread_mutex_init(&pinned, NULL); /* glibc: undefined to unlock what another thread id has locked */
}

__attribute__((constructor(102))) static void pin_init(void)
{
    ghcomp_at_fork(fork_prepare, fork_parent, fork_child);
}
