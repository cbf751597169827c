/* The common parts of libomp's task interface: the frame in front of a task that compiled code has the address of, and
 * running its code.
 *
 * A task's data, for the core, is the frame, then compiled code's struct with the private variables, then the shareds.
 * Compiled code only has the struct's address. Used by kmp_task*.c. */
#pragma once

#include "abi/abi.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/team/thread_number.h"
#include "core/tool/tool_filter.h"

struct kmp_task_frame {
    struct ghcomp_task *task;
    uint32_t units;    /* KMP_TASK_UNITs of the struct with what follows */
    uint16_t flags;    /* KMP_TASK_* */
    bool again;        /* the executor only: the untied task's part has submitted the next one */
};
enum { KMP_TASK_UNIT = 16 };
_Static_assert(sizeof(struct kmp_task_frame) == KMP_TASK_UNIT, "what follows is aligned as malloc's memory is");
_Static_assert(sizeof(struct kmp_task_frame) == GHCOMP_TASK_FRAME, "GHCOMP_TASK_FLAG_FRAMED is for this frame");

static inline struct kmp_task_frame *ghcomp_kmp_frame(struct kmp_task *task)
{
    return (struct kmp_task_frame *)task - 1;
}

static inline struct kmp_task *ghcomp_kmp_task(struct kmp_task_frame *frame)
{
    return (struct kmp_task *)(frame + 1);
}

/* Makes a task of `units` units; fills in the frame, but not what follows it. */
struct kmp_task_frame *ghcomp_kmp_task_make(struct ghcomp_member *self, uint32_t units, unsigned flags);
/* Submits one with a priority, a transparent or detachable one, or a target task. */
void ghcomp_kmp_task_submit_special(struct ghcomp_member *self, struct kmp_task_frame *frame);
/* Makes a transparent task import and export, since the clause's argument is not known (KMP_TASK_TRANSPARENT). */
static inline void ghcomp_kmp_task_open(struct ghcomp_member *self, struct kmp_task_frame *frame)
{
    if (ghcomp_unlikely(frame->flags & KMP_TASK_TRANSPARENT) && frame->task->table == NULL)
        ghcomp_task_open(self, frame->task, GHCOMP_DEPEND_IMPORTS | GHCOMP_DEPEND_EXPORTS);
}
static inline void ghcomp_kmp_task_submit(struct ghcomp_member *self, struct kmp_task_frame *frame)
{
    enum { SPECIAL = KMP_TASK_PRIORITY | KMP_TASK_TARGET | KMP_TASK_TRANSPARENT | KMP_TASK_DETACHABLE };
    if (ghcomp_unlikely(frame->flags & SPECIAL))
        ghcomp_kmp_task_submit_special(self, frame);
    else
        ghcomp_task_submit(self, frame->task);
}
/* Whether the task is reported. Called before its submission, in a process with a tool. */
bool ghcomp_kmp_task_reported(struct ghcomp_member *self, struct kmp_task_frame *frame, const void *return_address);
/* Calls the task's code, for a tool; the caller's frame becomes the current task's exit frame. */
void ghcomp_kmp_task_framed(int32_t thread, struct kmp_task *task);
static inline void ghcomp_kmp_task_code(int32_t thread, struct kmp_task *task)
{
    if (ghcomp_tool_on() && !ghcomp_tool_task_filtered(ghcomp_self_member->task))
        ghcomp_kmp_task_framed(thread, task);
    else
        task->fn(thread, task);
}
/* Runs the task's code, all parts of it, as the current task. */
static inline void ghcomp_kmp_task_call(struct ghcomp_member *self, int32_t thread, struct kmp_task_frame *frame)
{
    struct kmp_task *task = ghcomp_kmp_task(frame);
    if (ghcomp_unlikely(task->fn == NULL))
        return;
    do {
        frame->again = false;
        ghcomp_kmp_task_code(thread, task);
    } while (ghcomp_unlikely(frame->again) && !ghcomp_task_refused(self));
}
/* Destroys the private variables, if the task's flags ask for it. */
static inline void ghcomp_kmp_task_destroy(int32_t thread, struct kmp_task_frame *frame)
{
    struct kmp_task *task = ghcomp_kmp_task(frame);
    if (ghcomp_unlikely(frame->flags & KMP_TASK_DESTRUCTORS) && task->destructors.destructors != NULL)
        task->destructors.destructors(thread, task);
}
