/* The order of tasks, for ThreadSanitizer.
 *
 *   creation       a point in the task's struct: from its maker's submission to its start
 *   taskwait       a point in the parent's struct: from each child's end to the parent's wait
 *   taskgroup      a point in the group: from the end of each task in it
 *   barrier, join  from the end of each task to the points of the executor's next barrier and of the join
 *   detach         the end of the function and the event release the points above, each for itself: the one that
 *                  completes the task is not ordered after the other
 *   dependences    four points for each address that a parent's children name, below
 *
 * The data of a task has memory of its own while ThreadSanitizer is there: so that malloc and free separate the data of
 * successive tasks at the same address, which the blocks of task_heap.c would not do. The room behind the struct holds
 * the list of dependences instead.
 *
 * Dependences. Each kind of dependence has a point for an address. A task acquires the points of the kinds that it
 * waits for, and releases its own when it completes: `in` waits for out, mutexinoutset and inoutset; out for all;
 * mutexinoutset for all (tasks of one set exclude each other); inoutset for out, in and mutexinoutset. That orders only
 * the tasks that depend on it after it, not its creator.
 *
 * Called by core/task. Covered by test/tsan.
 */
#include <stdlib.h>

#include "base/check.h"
#include "core/tsan/races.h"

/* The ABI's numbers, omp_all_memory aside; INOUT counts as OUT. */
enum kind { IN = 1, OUT = 2, INOUT = 3, MUTEXINOUTSET = 4, INOUTSET = 5 };
enum point { AT_OUT, AT_IN, AT_MUTEX, AT_SET };
_Static_assert(AT_SET + 1 == GHCOMP_RACES_KINDS, "a point for each kind");

struct depend {
    const uint64_t *points; /* [GHCOMP_RACES_KINDS] */
    const uint64_t *all;    /* the parent's for omp_all_memory: treated as an address that all tasks name */
    bool is_all;
    unsigned kind;
};

struct depends {
    size_t count;
    struct depend item[];
};

/* Lies in the room behind the struct. The team and the group are those of the task's creation, because its event may be
   fulfilled before it starts, or while it is in a taskgroup of its own. */
struct notes {
    struct depends *depends; /* NULL = none */
    struct ghcomp_team *team;
    struct ghcomp_taskgroup *group;
};
_Static_assert(sizeof(struct notes) <= 32, "all blocks have as much room (task_heap.c)");

static struct notes *notes_of(struct ghcomp_task *task)
{
    return (struct notes *)(void *)((char *)task + GHCOMP_TASK_BYTES);
}

void ghcomp_races_task_new(struct ghcomp_task *task, struct ghcomp_team *team, struct ghcomp_taskgroup *group)
{
    *notes_of(task) = (struct notes){NULL, team, group};
}

void ghcomp_races_task_made(struct ghcomp_task *task)
{
    ghcomp_races_release_slow(&task->fn);
}

static void acquire_depend(const struct depend *depend)
{
    const uint64_t *at = depend->points;
    ghcomp_races_acquire_slow(&at[AT_OUT]);
    ghcomp_races_acquire_slow(&depend->all[AT_OUT]);
    if (depend->kind != INOUTSET)
        ghcomp_races_acquire_slow(&at[AT_SET]);
    if (depend->kind != IN)
        ghcomp_races_acquire_slow(&at[AT_IN]);
    ghcomp_races_acquire_slow(&at[AT_MUTEX]);
    if (depend->is_all)
        ghcomp_races_acquire_slow(&depend->all[AT_IN]);
}

static void release_depend(const struct depend *depend)
{
    enum point point = depend->kind == IN              ? AT_IN
                       : depend->kind == MUTEXINOUTSET ? AT_MUTEX
                       : depend->kind == INOUTSET      ? AT_SET
                                                       : AT_OUT;
    ghcomp_races_release_slow(&depend->points[point]);
    ghcomp_races_release_slow(&depend->all[depend->is_all ? AT_OUT : AT_IN]);
}

void ghcomp_races_task_starts(struct ghcomp_task *task)
{
    ghcomp_races_acquire_slow(&task->fn);
    struct depends *depends = notes_of(task)->depends;
    for (size_t i = 0; depends != NULL && i < depends->count; i++)
        acquire_depend(&depends->item[i]);
}

void ghcomp_races_task_over(struct ghcomp_member *self, struct ghcomp_task *task, bool child)
{
    struct notes *notes = notes_of(task);
    struct ghcomp_team *team = notes->team;
    for (size_t i = 0; notes->depends != NULL && i < notes->depends->count; i++)
        release_depend(&notes->depends->item[i]);
    if (child)
        ghcomp_races_release_slow(ghcomp_races_children(ghcomp_load_relaxed(&task->parent)));
    if (notes->group != NULL)
        ghcomp_races_release_slow(ghcomp_races_group(notes->group));
    if (self != NULL && self->team == team) {
        ghcomp_races_release_slow(ghcomp_races_barrier(self));
    } else {
        ghcomp_races_release_slow(&team->race.barrier[0]);
        ghcomp_races_release_slow(&team->race.barrier[1]);
    }
    ghcomp_races_release_slow(&team->race.join);
}

void ghcomp_races_task_completes(struct ghcomp_task *task)
{
    ghcomp_races_task_free(notes_of(task)->depends);
    notes_of(task)->depends = NULL;
}

void ghcomp_races_task_free(void *data)
{
    ghcomp_races_hide_slow();
    free(data);
    ghcomp_races_show_slow();
}

void ghcomp_races_depends(struct ghcomp_task *task, size_t count)
{
    ghcomp_races_hide_slow();
    struct depends *depends = ghcomp_alloc(sizeof *depends + count * sizeof depends->item[0]);
    ghcomp_races_show_slow();
    depends->count = count;
    notes_of(task)->depends = depends;
}

void ghcomp_races_depend(struct ghcomp_task *task, struct ghcomp_task *parent, size_t i, void *address, unsigned kind)
{
    struct depends *depends = notes_of(task)->depends;
    depends->item[i] = (struct depend){.points = ghcomp_races_point(parent, (uint64_t)(uintptr_t)address),
                                       .all = ghcomp_races_point(parent, 0),
                                       .is_all = address == NULL,
                                       .kind = kind};
}
