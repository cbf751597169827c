/* The common parts of core/tool: calling a callback, and the records. Covered by test/ompt. */
#pragma once

#include "core/tool/tool.h"

enum { GHCOMP_TOOL_EVENTS = ompt_callback_error + 1 };
/* store_release when the tool sets one, load_acquire here: the callback sees what the tool set up before. */
extern _Atomic(ompt_callback_t) ghcomp_tool_callbacks[GHCOMP_TOOL_EVENTS];

/* Calls the callback of `event`, of type `type`, if the tool has set one. */
#define GHCOMP_TOOL_CALL_AS(event, type, ...)                                                                  \
    do {                                                                                                       \
        type callback_ = (type)ghcomp_load_acquire(&ghcomp_tool_callbacks[ompt_callback_##event]);             \
        if (callback_ != NULL)                                                                                 \
            callback_(__VA_ARGS__);                                                                            \
    } while (0)
#define GHCOMP_TOOL_CALL(event, ...) GHCOMP_TOOL_CALL_AS(event, ompt_callback_##event##_t, __VA_ARGS__)

/* Return the records of a thread, task or team; make those that do not exist yet. */
struct ghcomp_tool_thread *ghcomp_tool_make_thread(struct ghcomp_thread *thread) __attribute__((cold));
struct ghcomp_tool_task *ghcomp_tool_make_task(struct ghcomp_task *task) __attribute__((cold));
struct ghcomp_tool_team *ghcomp_tool_make_team(struct ghcomp_team *team) __attribute__((cold));
static inline struct ghcomp_tool_thread *ghcomp_tool_thread_of(struct ghcomp_thread *thread)
{
    return ghcomp_likely(thread->tool != NULL) ? thread->tool : ghcomp_tool_make_thread(thread);
}
static inline struct ghcomp_tool_task *ghcomp_tool_task_of(struct ghcomp_task *task)
{
    return ghcomp_likely(task->tool != NULL) ? task->tool : ghcomp_tool_make_task(task);
}
static inline struct ghcomp_tool_team *ghcomp_tool_team_of(struct ghcomp_team *team)
{
    return ghcomp_likely(team->tool != NULL) ? team->tool : ghcomp_tool_make_team(team);
}
/* In tool_task.c: returns a zeroed record for a task; frees the records that an ending thread keeps. */
struct ghcomp_tool_task *ghcomp_tool_new_record(struct ghcomp_tool_thread *thread);
void ghcomp_tool_spares_free(struct ghcomp_tool_thread *thread);

/* Resets the record of the member's implicit task, and reports its begin. */
void ghcomp_tool_report_implicit_begin(struct ghcomp_member *self);
/* In tool_filter_region.c: makes the record of a member of a filtered region, at its first event. */
struct ghcomp_tool_task *ghcomp_tool_late_member(struct ghcomp_member *self) __attribute__((cold));

/* tool_filter.c: calls a filter of the tool's, and keeps the credit that it gives. True: filtered. */
bool ghcomp_tool_ask_filter(ghcomp_task_filter_t filter, struct ghcomp_tool_thread *thread, const void *return_address);

/* Records that the task's code has called the runtime at this site. */
void ghcomp_tool_enter(struct ghcomp_tool_task *task, const struct ghcomp_tool_site *site);

/* The data of the region that the task is in; NULL: the task has not started. */
static inline ompt_data_t *ghcomp_tool_region_of(const struct ghcomp_tool_task *task)
{
    return task->region != NULL ? &task->region->data : NULL;
}
