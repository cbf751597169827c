/* Task dependences: not there yet. */
#include "core/taskdep.h"

#include "core/check.h"

void ghcomp_depend_register(struct ghcomp_member *self, struct ghcomp_task *task, void **depend)
{
    (void)self, (void)task, (void)depend;
    ghcomp_fatal("depend: not there yet");
}

bool ghcomp_depend_commit(struct ghcomp_member *self, struct ghcomp_task *task)
{
    (void)self, (void)task;
    return true;
}

void ghcomp_depend_complete(struct ghcomp_member *self, struct ghcomp_team *team, struct ghcomp_task *task)
{
    (void)self, (void)team, (void)task;
}

void ghcomp_depend_forget(struct ghcomp_task *parent)
{
    (void)parent;
}
