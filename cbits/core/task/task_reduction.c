/* Task reductions of gcc's code (taskgroup, taskloop, for, sections, scope, parallel), which makes and combines the
 * copies by itself: the memory in which each thread of a team reduces its part, and how a task finds its thread's copy.
 *
 * The array that the compiler passes:
 *
 *     [0]       number of items
 *     [1]       bytes for each thread
 *     [2]       alignment; we replace it by the memory's address, which the compiler's code reads
 *     [3]       allocator
 *     [4]       next array of the same construct, or 0; in the last one we put the enclosing registration here
 *     [5]       ours: the team's struct ghcomp_reductions, or 0
 *     [6]       ours: the memory's end
 *     [7 + 3k]  address of item k's original, then its offset in a thread's bytes, then a word that is not used
 *
 * The memory is zeroed: a zero beside each item says that the thread has not begun with it. Compilers pass no allocator
 * in [3] ("none" is -1), and libgomp ignores it.
 *
 *   taskgroup, taskloop   The opener registers. The chain of arrays over [4] leads through all enclosing registrations,
 *                         and the taskgroup has its beginning. Tasks only read it: they are created after it and have
 *                         ended before it goes away. So a remap takes no lock.
 *   for, sections, scope  Each member has an array of its own and all share the memory. It comes with a work share of
 *                         its own in front of the construct's: the member that publishes that share allocates the
 *                         memory, the others use it. The memory is freed when all members have left. In a cancelled
 *                         region some never arrive: then it is freed with the struct that counts them, when neither the
 *                         share nor a member has a reference to that any more. The share's reference keeps it for a
 *                         late member, and a member that leaves early does not take the memory away from others.
 *   parallel              The encountering thread registers, and all implicit tasks begin in one taskgroup that no task
 *                         has opened or waits for (the region's end does): it only says where the reductions are.
 *                         libgomp does the same.
 *
 * A registration has a few items and each task asks for some of them in the registration's order, so a search begins
 * behind the item that was found last; failing that it is linear.
 *
 * Called by abi/gomp/gomp_task_reduction.c, gomp_loop.c, gomp_loop_ull.c, gomp_sections.c, gomp_single.c and
 * taskloop.c. Covered by test/unit/task_reduction.c and test/conformance/taskreduction.
 */
#include "core/task/task_reduction.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/sync/barrier.h"
#include "core/task/task_combine.h"
#include "core/task/taskgroup.h"
#include "core/team/team.h"
#include "core/tsan/races.h"

enum { ITEMS, BYTES, MEMORY, ALLOCATOR, NEXT, HOLD, END, FIRST_ITEM, WORDS_PER_ITEM = 3 };

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* The bytes of all arrays of a registration for a team, the first at offset 0, and their alignment. */
static size_t measure(const uintptr_t *data, uint32_t size, size_t *align)
{
    size_t total = 0;
    *align = GHCOMP_CACHE_LINE;
    for (; data != NULL; data = (const uintptr_t *)data[NEXT]) {
        size_t bytes, begin;
        if (__builtin_mul_overflow(data[BYTES], (size_t)size, &bytes) ||
            __builtin_add_overflow(total, data[MEMORY] - 1, &begin) ||
            __builtin_add_overflow(begin & ~(data[MEMORY] - 1), bytes, &total))
            ghcomp_fatal("task reduction: %zu bytes for each of %u threads are more than the address space holds; "
                         "reduce a smaller array", (size_t)data[BYTES], size);
        if (*align < data[MEMORY])
            *align = data[MEMORY];
    }
    return total;
}

static void *allocate_aligned(size_t bytes, size_t align, uint32_t size)
{
    void *memory;
    if (align <= GHCOMP_PAD_LINE)
        return ghcomp_alloc_lines(bytes);
    if (posix_memalign(&memory, align, bytes) != 0)
        ghcomp_fatal("task reduction: out of memory for %zu bytes (%u threads)", bytes, size);
    return memset(memory, 0, bytes);
}

/* Each thread's part is that thread's: nothing orders the threads after the one that allocates, or frees. */
static void *allocate(const uintptr_t *data, uint32_t size)
{
    uint32_t observers = ghcomp_observers_now();
    size_t align, bytes = measure(data, size, &align);
    ghcomp_races_hide(observers);
    void *memory = allocate_aligned(bytes, align, size);
    ghcomp_races_show(observers);
    return memory;
}

void ghcomp_reductions_free(void *memory)
{
    uint32_t observers = ghcomp_observers_now();
    ghcomp_races_hide(observers);
    free(memory);
    ghcomp_races_show(observers);
}

/* Writes the memory, laid out as measure() did, and the enclosing registration into the arrays. */
static void fill(uintptr_t *data, void *memory, uint32_t size, uintptr_t *enclosing, struct ghcomp_reductions *hold)
{
    uintptr_t at = (uintptr_t)memory;
    for (;;) {
        at = (at + data[MEMORY] - 1) & ~(data[MEMORY] - 1);
        data[MEMORY] = at;
        at += data[BYTES] * size;
        data[END] = at;
        data[HOLD] = (uintptr_t)hold;
        if (data[NEXT] == 0)
            break;
        data = (uintptr_t *)data[NEXT];
    }
    data[NEXT] = (uintptr_t)enclosing;
}

/* --- taskgroups --------------------------------------------------------------------------------------------------- */

static uintptr_t *innermost(const struct ghcomp_taskgroup *group)
{
    while (group != NULL && group->reductions == NULL)
        group = group->outer;
    return group != NULL ? group->reductions : NULL;
}

void ghcomp_reduction_register(struct ghcomp_member *self, uintptr_t *data)
{
    struct ghcomp_taskgroup *group = self->task->group;
    ghcomp_invariant(group != NULL);
    uint32_t size = self->team->size;
    fill(data, allocate(data, size), size, innermost(group), NULL);
    group->reductions = data;
}

void ghcomp_reduction_unregister(uintptr_t *data)
{
    ghcomp_reductions_free((void *)data[MEMORY]);
}

/* --- worksharing -------------------------------------------------------------------------------------------------- */

void ghcomp_reductions_let_go(struct ghcomp_reductions *reductions)
{
    if (ghcomp_sub_acqrel(&reductions->holders, 1u) != 1)
        return;
    ghcomp_reductions_free(reductions->memory);
    ghcomp_combine_free_areas(&reductions->agents);
    free(reductions);
}

void ghcomp_reduction_forget(struct ghcomp_workshare *share)
{
    ghcomp_reductions_let_go(share->reductions);
    share->reductions = NULL;
}

struct ghcomp_reductions *ghcomp_reductions_join(struct ghcomp_member *self, void *(*allocate_for)(void *, uint32_t),
                                                 void *of)
{
    struct ghcomp_workshare *share = ghcomp_workshare_next(self);
    if (share == NULL) {
        struct ghcomp_workshare *mine = ghcomp_workshare_new(self);
        struct ghcomp_reductions *reductions = ghcomp_alloc(sizeof *reductions);
        ghcomp_store_relaxed(&reductions->holders, 1u);
        ghcomp_store_relaxed(&reductions->left, 0u);
        ghcomp_store_relaxed(&reductions->agents, NULL);
        reductions->size = self->team->size;
        reductions->memory = allocate_for(of, self->team->size);
        mine->reductions = reductions;
        bool first;
        share = ghcomp_workshare_publish(self, mine, &first);
        if (!first)
            ghcomp_reduction_forget(mine);
    }
    ghcomp_workshare_enter(self, share);
    /* Relaxed: the share's reference keeps it, and the share is not reused before this member enters the next one. */
    ghcomp_add_relaxed(&share->reductions->holders, 1u);
    return share->reductions;
}

static void *allocate_arrays(void *data, uint32_t size)
{
    return allocate(data, size);
}

void ghcomp_reduction_enter(struct ghcomp_member *self, uintptr_t *data)
{
    struct ghcomp_taskgroup *group = ghcomp_taskgroup_start(self);
    group->workshare = true;
    struct ghcomp_reductions *reductions = ghcomp_reductions_join(self, allocate_arrays, data);
    fill(data, reductions->memory, reductions->size, innermost(group), reductions);
    group->reductions = data;
}

void ghcomp_reduction_leave(struct ghcomp_member *self, bool cancelled)
{
    struct ghcomp_reductions *reductions = (struct ghcomp_reductions *)self->task->group->reductions[HOLD];
    /* Waits for the member's own tasks; in a cancelled region others may still run theirs, and destroy their copies. */
    ghcomp_taskgroup_end(self);
    if (ghcomp_add_acqrel(&reductions->left, 1u) + 1 == reductions->size) {
        ghcomp_reductions_free(reductions->memory);
        reductions->memory = NULL;
    }
    ghcomp_reductions_let_go(reductions);
    if (!cancelled)
        ghcomp_barrier_wait(self);
}

/* --- parallel ----------------------------------------------------------------------------------------------------- */

struct region {
    void (*fn)(void *);
    void *data;
    struct ghcomp_taskgroup group; /* of all members */
};

static void run_member(void *of)
{
    struct region *region = of;
    struct ghcomp_task *task = ghcomp_self()->task;
    task->group = &region->group;
    region->fn(region->data);
    task->group = NULL;
}

uint32_t ghcomp_reduction_parallel(void (*fn)(void *), void *data, uint32_t num_threads, uint32_t flags)
{
    uintptr_t *arrays = *(uintptr_t **)data;
    struct ghcomp_team *team = ghcomp_team_prepare(num_threads, flags);
    uint32_t size = team->size;
    fill(arrays, allocate(arrays, size), size, NULL, NULL);
    struct region region = {.fn = fn, .data = data, .group = {.reductions = arrays, .workshare = true}};
    ghcomp_team_release(team, run_member, &region);
    run_member(&region);
    ghcomp_team_join();
    return size;
}

/* --- remap -------------------------------------------------------------------------------------------------------- */

static inline const uintptr_t *item(const uintptr_t *data, size_t k)
{
    return data + FIRST_ITEM + WORDS_PER_ITEM * k;
}

/* An array that has an item with that original, and the item's number. */
static const uintptr_t *find_original(const uintptr_t *data, uintptr_t address, size_t *number)
{
    for (; data != NULL; data = (const uintptr_t *)data[NEXT])
        for (size_t k = 0; k < data[ITEMS]; k++)
            if (item(data, k)[0] == address) {
                *number = k;
                return data;
            }
    return NULL;
}

/* An array whose memory contains that address. */
static const uintptr_t *find_copy(const uintptr_t *data, uintptr_t address)
{
    while (data != NULL && (address < data[MEMORY] || address >= data[END]))
        data = (const uintptr_t *)data[NEXT];
    return data;
}

bool ghcomp_reduction_has(const struct ghcomp_taskgroup *group, const void *address)
{
    size_t number;
    const uintptr_t *data = innermost(group);
    return find_original(data, (uintptr_t)address, &number) != NULL || find_copy(data, (uintptr_t)address) != NULL;
}

static void not_found(uintptr_t address) __attribute__((noreturn, cold));
static void not_found(uintptr_t address)
{
    if (ghcomp_combine_has(ghcomp_self()->task->group, (const void *)address))
        ghcomp_fatal("task reduction: the variable at %p is reduced by clang's code, and the task by gcc's; compile "
                     "both with one of them", (void *)address);
    ghcomp_fatal_compat("couldn't find matching task_reduction or reduction with task modifier for %p",
                        (void *)address);
}

/* The original of the item at that offset. */
static uintptr_t original_of(const uintptr_t *data, uintptr_t offset, uintptr_t address)
{
    for (size_t k = 0; k < data[ITEMS]; k++)
        if (item(data, k)[1] == offset)
            return item(data, k)[0];
    not_found(address);
}

static void has_none(void) __attribute__((noreturn, cold));
static void has_none(void)
{
    ghcomp_fatal("task reduction: a free agent has no copy in a reduction of gcc's code; compile that with clang, or "
                 "the task around it without threadset(omp_pool)");
}

void ghcomp_reduction_remap(struct ghcomp_member *self, size_t count, size_t originals, void **addresses)
{
    if (ghcomp_unlikely(ghcomp_agent(self)))
        has_none();
    const uintptr_t *first = innermost(self->task->group), *data;
    size_t next = 0, number;
    for (size_t i = 0; i < count; i++) {
        uintptr_t address = (uintptr_t)addresses[i], offset, original;
        if (first != NULL && next < first[ITEMS] && item(first, next)[0] == address) {
            data = first;
            number = next++;
        } else if ((data = find_original(first, address, &number)) != NULL && data == first) {
            next = number + 1;
        }
        if (data != NULL) {
            offset = item(data, number)[1];
            original = address;
        } else {
            if ((data = find_copy(first, address)) == NULL)
                not_found(address);
            offset = (address - data[MEMORY]) % data[BYTES];
            original = i < originals ? original_of(data, offset, address) : 0;
        }
        addresses[i] = (void *)(data[MEMORY] + self->tid * data[BYTES] + offset);
        if (i < originals)
            addresses[count + i] = (void *)original;
    }
}
