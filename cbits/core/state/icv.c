/* Internal control variables: where they live. See icv.h; the environment's parser is env.c. */
#include "core/state/icv.h"

#include "core/state/types.h"

struct ghcomp_globals ghcomp_global;

struct ghcomp_icvs *ghcomp_icv_own(struct ghcomp_task *task)
{
    if (task->icv != &task->own) {
        task->own = *task->icv;
        task->icv = &task->own;
    }
    return &task->own;
}
