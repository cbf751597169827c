/* The filters of a tool: every predicate whether a task or a region is filtered. Protocol: tool_filter.c for tasks,
 * tool_filter_region.c for regions. All functions here are for a process with a tool.
 *
 * A filter is a function of the tool's that decides for each construct whether the runtime reports its task or region.
 * A construct that it rejects is *filtered*: it runs with no events, as without a tool.
 *
 * Credit. With its answer the filter may give credit: a number of further constructs at the same address, on the same
 * thread, that are filtered without a call. The thread keeps a table of credits by address.
 *
 * For a task the predicates come in this order; it is filtered if one of them is true:
 *
 *     ghcomp_tool_filtered_inline      credit, while the thread's current task is unreported too: nothing is written
 *     ghcomp_tool_filtered_by_credit   credit
 *     ghcomp_tool_filtered_by_call     the filter itself
 */
#pragma once

#include "core/tool/tool.h"

/* Whether there is a filter, for tasks or regions. */
static inline bool ghcomp_tool_filters(void)
{
    return (ghcomp_observers_now() & GHCOMP_TOOL_FILTERS) != 0;
}

/* Whether there is a filter, and no ThreadSanitizer: a wait for tasks that are complete has no hook. */
static inline bool ghcomp_tool_filters_alone(void)
{
    return (ghcomp_observers_now() & GHCOMP_TOOL_ALONE) != 0;
}

/* Set the filters; false: the tool's initializer is over. */
bool ghcomp_tool_set_filter(ghcomp_task_filter_t filter);
bool ghcomp_tool_set_region_filter(ghcomp_task_filter_t filter);

/* --- credit ------------------------------------------------------------------------------------------------------- */

/* The table of a member whose current task is not known to be unreported: it has no credit. */
extern struct ghcomp_tool_credit ghcomp_tool_no_credits[GHCOMP_TOOL_CREDITS] GHCOMP_OWN;

static inline struct ghcomp_tool_credit *ghcomp_tool_credit_of(struct ghcomp_tool_credit *table, const void *address)
{
    /* Bits of the address are the byte offset in the table, without shifts. */
    _Static_assert(sizeof(struct ghcomp_tool_credit) == 16, "an element is found by four bits");
    enum { BITS = (GHCOMP_TOOL_CREDITS - 1) << 4 };
    return (struct ghcomp_tool_credit *)((char *)table + ((uintptr_t)address & BITS));
}

/* Takes 1 of the credit for the address; false: there is none. */
static inline bool ghcomp_tool_takes_credit(struct ghcomp_tool_credit *table, const void *return_address)
{
    struct ghcomp_tool_credit *credit = ghcomp_tool_credit_of(table, return_address);
    return ghcomp_likely(credit->address == return_address) && ghcomp_foreign_take(credit->by.left);
}

/* --- tasks (tool_filter.c) ---------------------------------------------------------------------------------------- */

/* The filter for tasks; NULL: every task is reported. store_release when the tool sets it, load_acquire. Whether there
   is one is a bit of the observers' word, which entries load in any case, relaxed: code that acts on the bit also loads
   the filter, or uses what the filter has written into its thread's own table. */
extern _Atomic(ghcomp_task_filter_t) ghcomp_tool_filter GHCOMP_OWN;

/* Whether the task that the thread encounters there is filtered. Once for each construct. */
static inline bool ghcomp_tool_filtered_by_credit(const struct ghcomp_member *self, const void *return_address)
{
    struct ghcomp_tool_thread *thread = self->thread->tool;
    return ghcomp_likely(thread != NULL) && ghcomp_tool_takes_credit(thread->credits, return_address);
}
bool ghcomp_tool_filtered_by_call(const struct ghcomp_member *self, const void *return_address);

/* The same by credit, for a task that runs within the current one if it is filtered. self->credits is set by
   ghcomp_tool_use_credits, and cleared where a reported task becomes the current one. */
static inline bool ghcomp_tool_filtered_inline(const struct ghcomp_member *self, const void *return_address)
{
    return ghcomp_tool_takes_credit(self->credits, return_address);
}

/* Whether the current task is unreported: then a filtered task may run within it. */
static inline bool ghcomp_tool_current_unreported(const struct ghcomp_member *self)
{
    const struct ghcomp_tool_task *current = self->task->tool;
    return ghcomp_likely(current == NULL) || !current->created;
}

/* A task has been filtered: from now on the current one may use the thread's credit inline. */
static inline void ghcomp_tool_use_credits(struct ghcomp_member *self)
{
    if (self->credits == ghcomp_tool_no_credits && ghcomp_tool_current_unreported(self) && self->thread->tool != NULL)
        self->credits = self->thread->tool->credits;
}

/* Whether the task was filtered, and no event has made a record for it. By its executor. */
static inline bool ghcomp_tool_task_filtered(const struct ghcomp_task *task)
{
    return task->tool == NULL && task->home != NULL;
}

/* Whether the tool would count the time of a task that starts now as that of another one: then it has a record from now
   on, and its start and its end are reported. */
bool ghcomp_tool_interrupts(struct ghcomp_member *self, struct ghcomp_task *task);
/* A record for the thread's current task, or for one that starts now, an explicit task that has none. */
struct ghcomp_tool_task *ghcomp_tool_late_record(struct ghcomp_member *self, struct ghcomp_task *task);
/* Whether the tool has a callback for pairs of tasks that depend on each other. */
bool ghcomp_tool_pairs(void);

/* --- regions (tool_filter_region.c) ------------------------------------------------------------------------------- */

/* The filter for regions; NULL: every region is reported. store_release when the tool sets it, load_acquire. */
extern _Atomic(ghcomp_task_filter_t) ghcomp_tool_region_filter GHCOMP_OWN;
bool ghcomp_tool_region_filtered_by_call(const struct ghcomp_member *self, const void *return_address);

/* Whether the region that `self` encounters there is filtered. Once for each. */
static inline bool ghcomp_tool_region_filtered(const struct ghcomp_member *self, const void *return_address)
{
    if (ghcomp_load_relaxed(&ghcomp_tool_region_filter) == NULL || self->team->level != 0)
        return false;
    const struct ghcomp_tool_team *around = self->team->tool;
    if (around != NULL && (around->flags & ompt_parallel_team))
        return false; /* that of a league's team, which is reported */
    return ghcomp_tool_filtered_by_credit(self, return_address) ||
           ghcomp_tool_region_filtered_by_call(self, return_address);
}

/* A filtered region begins, by its master, before the workers do; and a worker's part of it, or of its tasks. */
void ghcomp_tool_filtered_region_begin(struct ghcomp_team *team);
void ghcomp_tool_filtered_part_begin(struct ghcomp_member *self);
/* The member's part is over and has no more events. A worker calls this after any region, because the region, which
   says whether it was filtered, may be gone. */
void ghcomp_tool_filtered_part_end(struct ghcomp_member *self);
