/* A thread's memory for the dependences of the tasks that it creates: blocks (blocks.h) for nodes and lists, a spare
 * table, the lock of the mutexes.
 *
 * Called by taskdep.c and taskdep_mutex.c. Covered by test/unit/taskdep.c and taskdep_memory.c.
 */
#include <stdlib.h>

#include "base/check.h"
#include "core/task/taskdep.h"
#include "core/task/taskdep_node.h"

struct ghcomp_depend_heap *ghcomp_depend_heap_make(struct ghcomp_thread *thread)
{
    if (thread->memory.dependences == NULL) {
        thread->memory.dependences = ghcomp_alloc_lines(sizeof *thread->memory.dependences);
        thread->memory.dependences->owner = thread;
    }
    return thread->memory.dependences;
}

void ghcomp_depend_heap_free(struct ghcomp_thread *thread)
{
    struct ghcomp_depend_heap *heap = thread->memory.dependences;
    if (heap == NULL)
        return;
    thread->memory.dependences = NULL;
    free(heap->spare);
    heap->spare = NULL;
    if (ghcomp_blocks_free(&heap->blocks))
        free(heap);
}
