/* Internal control variables: their storage. See icv.h; env.c parses the environment. */
#include "core/state/icv.h"

#include "core/state/types.h"

struct ghcomp_globals ghcomp_global;

struct ghcomp_icvs *ghcomp_icv_own(struct ghcomp_task *task)
{
    if (task->icv != &task->own) {
        task->own = *task->icv;
        ghcomp_fence_handler();
        task->icv = &task->own;
    }
    return &task->own;
}
