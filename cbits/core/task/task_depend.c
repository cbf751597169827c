/* The depend and transparent clauses of a task that is being made: what a tool and a recorded graph learn of them, and
 * their way into taskdep.c. The report of a task's creation to a tool is here, too, since it comes with them.
 *
 * Without an observer a clause goes straight to taskdep.c. A tool gets the task's creation before its dependences. A
 * task that it knows need not be entered where the dependences have no effect (ghcomp_task_depends_on_none): see
 * ghcomp_task_report_dependent in task.h.
 *
 * Called by task.c, abi/gomp/gomp_task.c, abi/kmp/kmp_task_depend.c and haskell/task.c. Covered by test/unit/taskdep.c,
 * test/conformance/depend, test/ompt.
 */
#include "core/task/task.h"
#include "core/task/task_graph.h"
#include "core/task/taskdep.h"
#include "core/tool/tool_filter.h"

static void report_create(struct ghcomp_member *self, struct ghcomp_task *task, int flags, bool dependent)
{
    bool undeferred = (task->traits & GHCOMP_TASK_UNDEFERRED) || self->task->final ||
                      (self->team->size == 1 && !(flags & ompt_task_target) && !(task->traits & GHCOMP_TASK_THREADSET));
    ghcomp_tool_task_create(self, task, flags | (undeferred ? ompt_task_undeferred : 0), dependent);
}

void ghcomp_task_report_create(struct ghcomp_member *self, struct ghcomp_task *task, int flags)
{
    if (task->traits & GHCOMP_TASK_DEPENDENT)
        ghcomp_tool_task_keep(self, task);
    report_create(self, task, flags, task->traits & GHCOMP_TASK_DEPENDENT);
}

bool ghcomp_task_report_dependent(struct ghcomp_member *self, struct ghcomp_task *task, bool may_be_void)
{
    enum { LATER = GHCOMP_TASK_DETACHABLE | GHCOMP_TASK_RACES | GHCOMP_TASK_THREADSET | GHCOMP_TASK_LOGGED };
    bool plain = !(task->traits & LATER) && task->priority == 0;
    bool entered = !plain || !may_be_void || ghcomp_tool_pairs() ||
                   !ghcomp_task_depends_on_none(self, !(task->traits & GHCOMP_TASK_UNDEFERRED));
    if (entered) {
        task->traits |= GHCOMP_TASK_DEPENDENT;
        ghcomp_tool_task_keep(self, task);
    }
    report_create(self, task, 0, true);
    if (!entered)
        ghcomp_task_undefer(task);
    return entered;
}

/* gcc's lists that begin with NULL may have depend objects, which are checked where they are entered. */
static __attribute__((noinline, cold)) bool report_list(struct ghcomp_member *self, struct ghcomp_task *task,
                                                        void **depend)
{
    bool entered = ghcomp_task_report_dependent(self, task, depend[0] != NULL);
    ghcomp_depend_report(task, depend);
    return entered;
}

/* False: the dependences need not be entered. */
static __attribute__((noinline, cold)) bool depend_observed(struct ghcomp_member *self, struct ghcomp_task *task,
                                                            void **depend)
{
    ghcomp_graph_task_depends(self, task, depend);
    return !(task->traits & GHCOMP_TASK_REPORTED) || task->tool->created || report_list(self, task, depend);
}

void ghcomp_task_depend(struct ghcomp_member *self, struct ghcomp_task *task, void **depend)
{
    if (ghcomp_unlikely(task->traits & (GHCOMP_TASK_REPORTED | GHCOMP_TASK_LOGGED)) &&
        !depend_observed(self, task, depend))
        return;
    task->traits |= GHCOMP_TASK_DEPENDENT;
    ghcomp_depend_register(self, task, depend);
}

void ghcomp_task_open(struct ghcomp_member *self, struct ghcomp_task *task, unsigned impex)
{
    ghcomp_graph_refuse(self, "a task has a transparent clause");
    task->traits |= GHCOMP_TASK_DEPENDENT;
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_REPORTED))
        ghcomp_tool_task_opens(task, impex & GHCOMP_DEPEND_IMPORTS, impex & GHCOMP_DEPEND_EXPORTS);
    ghcomp_depend_open(self, task, impex);
}
