/* Whether a deque is full: how many tasks may lie in it, and how that is measured. Protocol: task_defer.h. */
#include "core/task/task_defer.h"

#include "core/cpu/wait.h"

enum { TINY_TICKS = GHCOMP_TICKS_PER_US / 5, NARROW_EMPTIED = 2 };
enum { LEFT_ALONE_TICKS = 100 * GHCOMP_TICKS_PER_US };

/* A task that goes through a deque costs three times as much as one that its producer runs at once. That matters for
   tasks of less than a fifth of a microsecond, and a few of them, the oldest, are enough for thieves. Longer tasks
   may fill the deque, since its owner may be busy with one of them when others need some.

   One tiny task is enough in a deep and narrow tree: its owner has emptied the deque by itself NARROW_EMPTIED times
   since it looked last, so its tasks are unripe, and no thief has taken any for a while. (The owner of a wide tree
   empties its deque at the tree's end. Where thieves come now and then they find larger tasks with the higher
   limit.) */
void ghcomp_task_gauge(struct ghcomp_deque *deque)
{
    uint64_t now = ghcomp_cpu_ticks();
    uint32_t emptied = ghcomp_load_relaxed(&deque->emptied);
    uint32_t stolen = ghcomp_load_relaxed(&deque->top) - emptied - deque->oldest;
    if (stolen != deque->gauged_stolen)
        deque->stolen_at = now;
    deque->tiny = now - deque->gauged < GHCOMP_TASK_GAUGED * TINY_TICKS;
    deque->narrow = emptied - deque->gauged_emptied >= NARROW_EMPTIED && now - deque->stolen_at >= LEFT_ALONE_TICKS;
    deque->gauged = now;
    deque->gauged_emptied = emptied;
    deque->gauged_stolen = stolen;
}

bool ghcomp_task_full(struct ghcomp_member *self, struct ghcomp_deque *deque)
{
    uint32_t waiting = ghcomp_load_relaxed(&deque->bottom) - deque->seen_top;
    if (waiting < ghcomp_task_limit(self, deque))
        return false;
    if (deque->runs % GHCOMP_TASK_GAUGED == 0) {
        deque->runs++;
        ghcomp_task_gauge(deque);
    }
    return waiting >= ghcomp_task_limit(self, deque) && ghcomp_settings.task_throttling &&
           ghcomp_task_may_nest(self, ghcomp_load_relaxed(&self->task->depth), GHCOMP_TASK_NESTED);
}
