/* The filters of a tool: all predicates that decide whether a task or a region is filtered. Protocol: tool_filter.c for
 * tasks, tool_filter_region.c for regions. All functions here are for a process with a tool.
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

/* Whether there is a filter and no ThreadSanitizer: then a wait for tasks that are already complete needs no hook. */
static inline bool ghcomp_tool_filters_alone(void)
{
    return (ghcomp_observers_now() & GHCOMP_TOOL_ALONE) != 0;
}

/* Set the filters; false: the tool's initializer is over. */
bool ghcomp_tool_set_filter(ghcomp_task_filter_t filter);
bool ghcomp_tool_set_region_filter(ghcomp_task_filter_t filter);

/* --- credit ------------------------------------------------------------------------------------------------------- */

/* The table, without credit, of a member whose current task may be a reported one. */
extern struct ghcomp_tool_credit ghcomp_tool_no_credits[GHCOMP_TOOL_CREDITS] GHCOMP_OWN;

static inline struct ghcomp_tool_credit *ghcomp_tool_credit_of(struct ghcomp_tool_credit *table, const void *address)
{
    /* Some bits of the address, unshifted, are the byte offset in the table. */
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

/* The same, only by credit, for a task that, if filtered, runs within the current one. self->credits is set by
   ghcomp_tool_use_credits, and cleared where a reported task becomes the current one. */
static inline bool ghcomp_tool_filtered_inline(const struct ghcomp_member *self, const void *return_address)
{
    return ghcomp_tool_takes_credit(self->credits, return_address);
}

/* Whether the current task is unreported, so that a filtered task may run within it without events. */
static inline bool ghcomp_tool_current_unreported(const struct ghcomp_member *self)
{
    const struct ghcomp_tool_task *current = self->task->tool;
    return ghcomp_likely(current == NULL) || !current->created;
}

/* Called when a task has been filtered: lets the current task use the thread's credit inline from now on. */
static inline void ghcomp_tool_use_credits(struct ghcomp_member *self)
{
    if (self->credits == ghcomp_tool_no_credits && ghcomp_tool_current_unreported(self) && self->thread->tool != NULL)
        self->credits = self->thread->tool->credits;
}

/* Whether the task is filtered and has no late record. Called by its executor. */
static inline bool ghcomp_tool_task_filtered(const struct ghcomp_task *task)
{
    return task->tool == NULL && task->home != NULL;
}

/* Whether the tool would count the time of a task that starts now as that of the current one. If so, makes a record for
   the task, whose start and end are then reported. */
bool ghcomp_tool_interrupts(struct ghcomp_member *self, struct ghcomp_task *task);
/* Makes a record for an explicit task without one: the thread's current task, or one that starts now. */
struct ghcomp_tool_task *ghcomp_tool_late_record(struct ghcomp_member *self, struct ghcomp_task *task);
/* Whether the tool has a callback for pairs of tasks that depend on each other. */
bool ghcomp_tool_pairs(void);

/* --- regions (tool_filter_region.c) ------------------------------------------------------------------------------- */

/* The filter for regions; NULL: every region is reported. store_release when the tool sets it, load_acquire. */
extern _Atomic(ghcomp_task_filter_t) ghcomp_tool_region_filter GHCOMP_OWN;
bool ghcomp_tool_region_filtered_by_call(const struct ghcomp_member *self, const void *return_address);

/* Whether the region that `self` encounters there is filtered. Called once for each region. */
static inline bool ghcomp_tool_region_filtered(const struct ghcomp_member *self, const void *return_address)
{
    if (ghcomp_load_relaxed(&ghcomp_tool_region_filter) == NULL || self->team->level != 0)
        return false;
    const struct ghcomp_tool_team *around = self->team->tool;
    if (around != NULL && (around->flags & ompt_parallel_team))
        return false; /* the region around is that of a league's team, which is reported */
    return ghcomp_tool_filtered_by_credit(self, return_address) ||
           ghcomp_tool_region_filtered_by_call(self, return_address);
}

/* The first is called by the master of a filtered region, before the workers begin; the second by a worker, before its
   part of the region or of its tasks. */
void ghcomp_tool_filtered_region_begin(struct ghcomp_team *team);
void ghcomp_tool_filtered_part_begin(struct ghcomp_member *self);
/* Ends the member's part, after its last event. A worker calls this after every region, because the team may no longer
   say whether its region was filtered. */
void ghcomp_tool_filtered_part_end(struct ghcomp_member *self);
