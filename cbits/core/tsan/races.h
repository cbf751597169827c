/* The order of threads, reported to ThreadSanitizer. Protocol in races.c.
 *
 * A program compiled with -fsanitize=thread contains ThreadSanitizer, which observes the accesses of the program's
 * code, but not what orders them, because the runtime is compiled without it. The calls below report it. A thread
 * *releases* a point, an address in the runtime, when others may rely on what it has done so far, and another thread
 * that relies on it *acquires* the same point: what the first did before its release happens before what the second
 * does after its acquire. A point may have many releases; an acquire is ordered after all of those that came before it.
 *
 * A superfluous release hides races, a missing one makes false reports. So a point has one meaning, and concurrent
 * operations do not share it.
 */
#pragma once

#include "core/observe/observers.h"
#include "core/state/types.h"

/* Searches ThreadSanitizer in the process, unless GHCOMP_TSAN is off. Once, after the environment has been read. */
void ghcomp_races_start(void);

/* Whether there is a ThreadSanitizer, whatever GHCOMP_TSAN says. */
bool ghcomp_races_possible(void);

/* Only while GHCOMP_OBSERVE_RACES is set. */
void ghcomp_races_release_slow(const volatile void *point) __attribute__((cold));
void ghcomp_races_acquire_slow(const volatile void *point) __attribute__((cold));

static inline bool ghcomp_races_on(uint32_t observers)
{
    return ghcomp_unlikely(observers & GHCOMP_OBSERVE_RACES);
}

static inline void ghcomp_races_release(uint32_t observers, const volatile void *point)
{
    if (ghcomp_races_on(observers))
        ghcomp_races_release_slow(point);
}

static inline void ghcomp_races_acquire(uint32_t observers, const volatile void *point)
{
    if (ghcomp_races_on(observers))
        ghcomp_races_acquire_slow(point);
}

/* ThreadSanitizer sees the runtime's own calls of malloc, free, memcpy and memset, because it replaces these functions.
   It ignores those that the calling thread makes between hide and show. Memory that is allocated there has no history:
   no access to it conflicts with what was at that address before, nor with the allocation. They nest. */
void ghcomp_races_hide_slow(void) __attribute__((cold));
void ghcomp_races_show_slow(void) __attribute__((cold));

static inline void ghcomp_races_hide(uint32_t observers)
{
    if (ghcomp_races_on(observers))
        ghcomp_races_hide_slow();
}

static inline void ghcomp_races_show(uint32_t observers)
{
    if (ghcomp_races_on(observers))
        ghcomp_races_show_slow();
}

/* A point for an entity without memory of its own: number `number` of object `of`. Two entities may share a point by
   chance, which may, rarely, hide a race. Returns GHCOMP_RACES_KINDS points in a row. */
enum { GHCOMP_RACES_KINDS = 4 };
const uint64_t *ghcomp_races_point(const volatile void *of, uint64_t number);

/* --- regions and barriers ----------------------------------------------------------------------------------------- */

/* Called at the beginning of the master's part of a region, and of a worker's. */
static inline void ghcomp_races_region_begin(uint32_t observers, struct ghcomp_team *team)
{
    if (ghcomp_races_on(observers))
        team->master.race_barriers = 0;
}
static inline void ghcomp_races_part_begin(uint32_t observers, struct ghcomp_member *self)
{
    if (ghcomp_races_on(observers)) {
        self->race_barriers = 0;
        ghcomp_races_acquire_slow(&self->team->race.fork);
    }
}

/* The point of the member's next barrier. Successive barriers alternate between two points: a member that is still
   leaving one must not be ordered after what others do after it, and no member arrives at the next but one before all
   have left. */
static inline const uint64_t *ghcomp_races_barrier(const struct ghcomp_member *self)
{
    return &self->team->race.barrier[self->race_barriers % 2];
}

/* Called when the member arrives at a barrier, and when it leaves it. */
static inline void ghcomp_races_arrive(uint32_t observers, struct ghcomp_member *self)
{
    ghcomp_races_release(observers, ghcomp_races_barrier(self));
}
static inline void ghcomp_races_leave(uint32_t observers, struct ghcomp_member *self)
{
    if (ghcomp_races_on(observers)) {
        ghcomp_races_acquire_slow(ghcomp_races_barrier(self));
        self->race_barriers++;
    }
}

/* --- tasks (races_task.c); only while GHCOMP_OBSERVE_RACES is set ------------------------------------------------- */

/* A new struct of a task. */
void ghcomp_races_task_new(struct ghcomp_task *task, struct ghcomp_team *team, struct ghcomp_taskgroup *group)
    __attribute__((cold));
/* Called by the task's maker when its data is complete, before it can start; and by its executor at its start. */
void ghcomp_races_task_made(struct ghcomp_task *task) __attribute__((cold));
void ghcomp_races_task_starts(struct ghcomp_task *task) __attribute__((cold));
/* Orders the calling thread's accesses before the waits for the task: the function of the task is over, or its event is
   fulfilled. For taskwait, taskgroups, barriers, and the tasks that depend on it. `self` is the
   calling thread's member, in whatever team, or NULL; `child`: its parent may wait for it. */
void ghcomp_races_task_over(struct ghcomp_member *self, struct ghcomp_task *task, bool child) __attribute__((cold));
/* The task is about to be complete. */
void ghcomp_races_task_completes(struct ghcomp_task *task) __attribute__((cold));
/* The task's data is freed. */
void ghcomp_races_task_free(void *data) __attribute__((cold));

/* The points of a task's waits for its children, and of the end of a taskgroup. */
static inline const volatile void *ghcomp_races_children(struct ghcomp_task *task)
{
    return &task->own;
}
static inline const volatile void *ghcomp_races_group(struct ghcomp_taskgroup *group)
{
    return group;
}

/* The first announces a task's `count` dependences; the second records each, with its kind as in the ABI's objects. */
void ghcomp_races_depends(struct ghcomp_task *task, size_t count) __attribute__((cold));
void ghcomp_races_depend(struct ghcomp_task *task, struct ghcomp_task *parent, size_t i, void *address, unsigned kind)
    __attribute__((cold));
