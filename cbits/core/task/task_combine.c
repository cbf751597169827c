/* Task reductions of clang's code, whose copies the runtime makes and combines.
 *
 * gcc's code makes the threads' copies and combines them by itself (task_reduction.c); clang's leaves both to us.
 * A registration is a struct ghcomp_combine of the taskgroup's opener. Its memory has an *area* for each thread
 * of the team: a byte for each item that says whether the thread has its copy, then the copies. Only the thread itself
 * uses its area until the taskgroup's tasks have ended; then the opener combines those copies that were made. So a
 * thread that runs none of the tasks costs nothing.
 *
 * A construct of the whole team (the task modifier): each member has a taskgroup and a registration, since the shared
 * variable of each is its own, and all use one memory (ghcomp_reductions_join). A task finds the registration of the
 * member that made it. The last member to leave combines all copies, into its own variable: the compiled code reduces
 * those of the members afterwards. In a cancelled region some never arrive; then nothing is combined.
 *
 * In a team of one there is nothing to register where no free agent can come: each variable is its own copy. A
 * construct with the task modifier registers nothing there in any case, and agents run none of its tasks
 * (task_threadset.c).
 *
 * Free agents have no number in the team. Each has an area of its own, which it adds to a list at its first task of the
 * group (cas_release; the agent's own reads and those of the opener, after the group's end, need no more).
 *
 * Called by abi/kmp/kmp_task_reduction.c, taskgroup.c and task_reduction.c. Covered by test/unit/task_combine.c,
 * test/clang/taskreduction{s,_abi}.c and test/clang/reductions_abandoned.c.
 */
#include "core/task/task_combine.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "core/task/task.h"
#include "core/task/task_reduction.h"
#include "core/tsan/races.h"

/* The area of a free agent, in the list of a registration's memory. */
struct ghcomp_agent_area {
    struct ghcomp_agent_area *next;         /* immutable */
    const struct ghcomp_member *of;  /* the agent's seat (core/sync/seats.h); several agents may sit there one after the
                                        other; immutable */
    char *memory;
};

struct ghcomp_combine {
    uint32_t count, threads;
    size_t area;                     /* bytes of one thread */
    struct ghcomp_agent_area *_Atomic agents; /* cas_release, load_acquire; with `hold`, its own serve */
    char *memory;
    struct ghcomp_reductions *hold;  /* of a construct of the whole team; NULL: the memory is the registration's own */
    struct ghcomp_combine_item items[];
};

/* Where item k's copy is in an area; for k = count the area's size. Each copy has whole cache lines, as in libomp:
   clang gives an array section of constant length the size of a pointer, so that its code writes past the size that it
   names (clang 19), and programs with sections of up to a line work there. */
static size_t offset_of(const struct ghcomp_combine_item *items, uint32_t count, uint32_t k)
{
    size_t at = count;
    for (uint32_t i = 0;; i++) {
        at = (at + GHCOMP_CACHE_LINE - 1) & ~(size_t)(GHCOMP_CACHE_LINE - 1);
        if (i == k)
            return at;
        if (__builtin_add_overflow(at, items[i].bytes, &at) || at > SIZE_MAX - GHCOMP_CACHE_LINE)
            ghcomp_fatal("task reduction: %zu bytes are more than the address space holds; reduce a smaller array",
                         items[i].bytes);
    }
}

/* Zeroed: no thread has a copy. Untouched pages cost nothing. */
static void *allocate_areas(void *of, uint32_t threads)
{
    const struct ghcomp_combine *combine = of;
    size_t bytes;
    if (__builtin_mul_overflow(combine->area, (size_t)threads, &bytes))
        ghcomp_fatal("task reduction: %zu bytes for each of %u threads are more than the address space holds; reduce a "
                     "smaller array", combine->area, threads);
    uint32_t observers = ghcomp_observers_now();
    ghcomp_races_hide(observers);
    void *areas = ghcomp_alloc_lines(bytes);
    ghcomp_races_show(observers);
    return areas;
}

static struct ghcomp_combine *new_combine(struct ghcomp_member *self, const struct ghcomp_combine_item *items,
                                          uint32_t count)
{
    struct ghcomp_combine *combine = ghcomp_alloc(sizeof *combine + count * sizeof *items);
    combine->count = count;
    combine->threads = self->team->size;
    combine->area = offset_of(items, count, count);
    combine->hold = NULL;
    ghcomp_store_relaxed(&combine->agents, NULL);
    memcpy(combine->items, items, count * sizeof *items);
    return combine;
}

void ghcomp_combine_register(struct ghcomp_member *self, const struct ghcomp_combine_item *items, uint32_t count)
{
    struct ghcomp_taskgroup *group = self->task->group;
    if ((self->team->size == 1 && !ghcomp_agents_may_come(self)) || count == 0)
        return;
    ghcomp_invariant(group != NULL && group->combine == NULL);
    group->combine = new_combine(self, items, count);
    group->combine->memory = allocate_areas(group->combine, self->team->size);
}

void ghcomp_combine_enter(struct ghcomp_member *self, const struct ghcomp_combine_item *items, uint32_t count)
{
    struct ghcomp_taskgroup *group = ghcomp_taskgroup_start(self);
    group->workshare = true;
    if (self->team->size == 1 || count == 0)
        return;
    struct ghcomp_combine *combine = new_combine(self, items, count);
    combine->hold = ghcomp_reductions_join(self, allocate_areas, combine);
    combine->memory = combine->hold->memory;
    group->combine = combine;
}

void ghcomp_combine_leave(struct ghcomp_member *self)
{
    ghcomp_taskgroup_end(self);
}

/* --- finding a copy ----------------------------------------------------------------------------------------------- */

static struct ghcomp_agent_area *_Atomic *areas_of(struct ghcomp_combine *combine)
{
    return combine->hold != NULL ? &combine->hold->agents : &combine->agents;
}

/* The calling free agent's. */
static __attribute__((noinline)) char *area_of_agent(struct ghcomp_member *self, struct ghcomp_combine *combine)
{
    struct ghcomp_agent_area *_Atomic *list = areas_of(combine);
    struct ghcomp_agent_area *first = ghcomp_load_acquire(list), *area = first;
    for (; area != NULL; area = area->next)
        if (area->of == self)
            return area->memory;
    uint32_t observers = ghcomp_observers_now();
    ghcomp_races_hide(observers);
    area = ghcomp_alloc(sizeof *area);
    area->memory = ghcomp_alloc_lines(combine->area);
    ghcomp_races_show(observers);
    area->of = self;
    area->next = first;
    while (!ghcomp_cas_release(list, &area->next, area))
        ;
    return area->memory;
}

static void *copy_of(struct ghcomp_member *self, struct ghcomp_combine *combine, uint32_t k, size_t within)
{
    const struct ghcomp_combine_item *item = &combine->items[k];
    char *area = ghcomp_agent(self) ? area_of_agent(self, combine) : combine->memory + self->tid * combine->area;
    char *copy = area + offset_of(combine->items, combine->count, k);
    if (!area[k]) {
        area[k] = 1;
        if (item->init != NULL)
            item->init(copy, item->original);
    }
    return copy + within;
}

/* Where in the item the address is that lies so far from an area's begin. */
static bool is_in_area(const struct ghcomp_combine *combine, uint32_t k, size_t from, size_t *within)
{
    *within = from - offset_of(combine->items, combine->count, k);
    return from < combine->area && *within < combine->items[k].bytes;
}

/* Whether the address is in the item's variable, or in a copy of it; *within: where. */
static bool is_of(struct ghcomp_combine *combine, uint32_t k, const char *address, size_t *within)
{
    const struct ghcomp_combine_item *item = &combine->items[k];
    *within = (size_t)(address - item->shared);
    if (*within < item->bytes || address == item->shared)
        return true;
    size_t from = (size_t)(address - combine->memory);
    if (from < combine->area * combine->threads)
        return is_in_area(combine, k, from % combine->area, within);
    for (struct ghcomp_agent_area *area = ghcomp_load_acquire(areas_of(combine)); area != NULL; area = area->next)
        if (is_in_area(combine, k, (size_t)(address - area->memory), within))
            return true;
    return false;
}

/* The registration that has the address, its item, and where in that it is; NULL: none has. */
static struct ghcomp_combine *find(const struct ghcomp_taskgroup *group, const char *address, uint32_t *k,
                                   size_t *within)
{
    for (; group != NULL; group = group->outer)
        for (*k = 0; group->combine != NULL && *k < group->combine->count; ++*k)
            if (is_of(group->combine, *k, address, within))
                return group->combine;
    return NULL;
}

bool ghcomp_combine_has(const struct ghcomp_taskgroup *group, const void *address)
{
    uint32_t k;
    size_t within;
    return find(group, address, &k, &within) != NULL;
}

/* Only gcc's code can initialize its copies. In a team of one that copy is the variable itself. */
static void not_found(const struct ghcomp_taskgroup *group, const void *address) __attribute__((noreturn, cold));
static void not_found(const struct ghcomp_taskgroup *group, const void *address)
{
    if (ghcomp_reduction_has(group, address))
        ghcomp_fatal("task reduction: the variable at %p is reduced by gcc's code, and the task by clang's; compile "
                     "both with one of them", address);
    ghcomp_fatal("task reduction: no enclosing taskgroup, region or loop reduces the variable at %p; name it in a "
                 "task_reduction clause, or in a reduction clause with the task modifier", address);
}

void *ghcomp_combine_copy(struct ghcomp_member *self, const struct ghcomp_taskgroup *group, void *address)
{
    uint32_t k;
    size_t within;
    struct ghcomp_combine *combine = find(group, address, &k, &within);
    if (combine != NULL)
        return copy_of(self, combine, k, within);
    if (self->team->size > 1 || ghcomp_agent(self))
        not_found(group, address);
    return address;
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

/* The copy of item k in a thread's area, if there is one. */
static inline void combine_copy(const struct ghcomp_combine_item *item, uint32_t k, char *area, size_t offset)
{
    if (!area[k])
        return;
    item->combine(item->shared, area + offset);
    if (item->finish != NULL)
        item->finish(area + offset);
}

void ghcomp_combine_free_areas(struct ghcomp_agent_area *_Atomic *list)
{
    struct ghcomp_agent_area *agents = ghcomp_load_acquire(list), *next;
    for (; agents != NULL; agents = next) {
        next = agents->next;
        ghcomp_reductions_free(agents->memory);
        ghcomp_reductions_free(agents);
    }
    ghcomp_store_relaxed(list, NULL);
}

static void combine_all(struct ghcomp_combine *combine)
{
    struct ghcomp_agent_area *agents = ghcomp_load_acquire(areas_of(combine));
    for (uint32_t k = 0; k < combine->count; k++) {
        const struct ghcomp_combine_item *item = &combine->items[k];
        size_t offset = offset_of(combine->items, combine->count, k);
        for (uint32_t thread = 0; thread < combine->threads; thread++)
            combine_copy(item, k, combine->memory + thread * combine->area, offset);
        for (struct ghcomp_agent_area *area = agents; area != NULL; area = area->next)
            combine_copy(item, k, area->memory, offset);
    }
    ghcomp_combine_free_areas(areas_of(combine));
}

void ghcomp_combine_abandon(struct ghcomp_combine *combine)
{
    if (combine->hold != NULL) {
        ghcomp_reductions_let_go(combine->hold);
    } else {
        ghcomp_reductions_free(combine->memory);
        ghcomp_combine_free_areas(&combine->agents);
    }
    free(combine);
}

void ghcomp_combine_end(struct ghcomp_combine *combine)
{
    struct ghcomp_reductions *hold = combine->hold;
    if (hold == NULL) {
        combine_all(combine);
        ghcomp_reductions_free(combine->memory);
    } else {
        uint32_t observers = ghcomp_observers_now();
        ghcomp_races_release(observers, &hold->left);
        /* Acquire: the copies of those that left before; release: this member's. */
        if (ghcomp_add_acqrel(&hold->left, 1u) + 1 == hold->size) {
            ghcomp_races_acquire(observers, &hold->left);
            combine_all(combine);
            ghcomp_reductions_free(hold->memory);
            hold->memory = NULL;
        }
        ghcomp_reductions_let_go(hold);
    }
    free(combine);
}
