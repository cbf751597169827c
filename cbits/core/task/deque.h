/* The work-stealing deque of a member's ready tasks: Chase and Lev's (SPAA 2005) over an array of fixed size.
 *
 * The owner pushes and pops at the bottom, thieves steal from the top. `bottom` and `top` only count: entry k lies in
 * slot k mod the number of slots, a power of two. A push fails when the array is full: the caller runs the task or puts
 * it elsewhere (task.c). This also bounds the memory of a producer that outruns its consumers.
 *
 * Owner and thieves compete for the last task: a pop first lowers bottom and then reads top, a thief first reads top
 * and then bottom. All four accesses are sequentially consistent, so one of the two sees the other, and the cas of top
 * decides. An owner that sees a single entry takes it by that cas alone, as a thief does, and so it takes the oldest
 * one where that is to run first (task_take.c).
 *
 * A thief reads the entry before its cas: the slot can be overwritten only after top has moved on, and then the cas
 * fails. Between the two the thief may read the task (task_take.c checks whose descendant it is): the memory of tasks
 * is never returned to malloc while thieves may run, and a thief discards what it reads of a task that is gone.
 *
 * Used by core/task and by task_team.c. Covered by test/unit/deque.c. Explored (test/explore/deque.c): each task is
 * taken exactly once, by an owner and two thieves, in all schedules under TSO with up to two tasks.
 */
#pragma once

#include "core/state/types.h"

/* The most slots: for a maker alone all that libgomp lets wait, 64 tasks for each member, in teams of up to 64. */
enum { GHCOMP_DEQUE_SLOTS = 4096 };

struct ghcomp_deque {
    _Atomic uint32_t bottom GHCOMP_ALIGNED_PAIR; /* written by the owner: store_release after the slot (pairs with the
                                                    thief's load), xchg_seqcst in pop */
    uint32_t seen_top;             /* owner only: top as the owner saw it last; never ahead of it */
    bool tiny;                     /* owner only: its last tasks were tiny: few may lie here (ghcomp_task_limit), ... */
    bool narrow;                   /* ... and where it has tiny ones, they are those of a deep and narrow tree */
    uint64_t gauged;               /* owner only: when these two were decided (ghcomp_task_gauge), in ticks, ... */
    uint32_t gauged_emptied;       /* ... `emptied` then, ... */
    uint32_t gauged_stolen;        /* ... how many entries thieves had taken ... */
    uint64_t stolen_at;            /* ... and when the owner last saw that they took one, in ticks */
    uint32_t oldest;               /* owner only: how often the owner has taken the oldest entry of several */
    uint32_t runs;                 /* owner only: tasks that the owner popped, or ran because the deque was full */
    uint32_t mask;                 /* constant: the number of slots, less one */
    struct ghcomp_deque *older;    /* constant: a smaller one, which its member had before (ghcomp_task_fit_deque) */
    _Atomic uint32_t top GHCOMP_ALIGNED_PAIR;    /* only grows: cas_seqcst by the thread that takes the entry */
    _Atomic uint32_t emptied;      /* how often the owner has taken the last entry to run it; atomic(relaxed): a hint */
    /* Thieves: `emptied` as one of them saw it last, and since when, in ticks; atomic(relaxed): hints (task_take.c). */
    _Atomic uint32_t seen_emptied GHCOMP_ALIGNED_PAIR;
    _Atomic uint64_t seen_since;
    _Atomic(struct ghcomp_task *) slot[]; /* atomic(relaxed): ordered by bottom and top */
};

/* Owner. False: `room` tasks (at most as many as there are slots) lie there already. */
static inline bool ghcomp_deque_push(struct ghcomp_deque *deque, struct ghcomp_task *task, uint32_t room)
{
    uint32_t bottom = ghcomp_load_relaxed(&deque->bottom);
    if (ghcomp_unlikely(bottom - deque->seen_top >= room)) {
        /* Acquire: the thief has read the slot that is written now. */
        deque->seen_top = ghcomp_load_acquire(&deque->top);
        if (bottom - deque->seen_top >= room)
            return false;
    }
    ghcomp_store_relaxed(&deque->slot[bottom & deque->mask], task);
    ghcomp_store_release(&deque->bottom, bottom + 1);
    return true;
}

/* Owner: whether all slots are in use. */
static inline bool ghcomp_deque_is_full(const struct ghcomp_deque *deque)
{
    return ghcomp_load_relaxed(&deque->bottom) - ghcomp_load_relaxed(&deque->top) > deque->mask;
}

/* Owner: takes the last entry, at `top`, as a thief would; NULL: a thief was faster. */
static inline struct ghcomp_task *ghcomp_deque_take_last(struct ghcomp_deque *deque, uint32_t top, bool counted)
{
    struct ghcomp_task *task = ghcomp_load_relaxed(&deque->slot[top & deque->mask]);
    bool taken = ghcomp_cas_seqcst(&deque->top, &top, top + 1);
    deque->seen_top = top + taken;
    if (!taken)
        return NULL;
    if (counted)
        ghcomp_store_relaxed(&deque->emptied, ghcomp_load_relaxed(&deque->emptied) + 1);
    return task;
}

/* Owner: takes the youngest entry, unless it is older than `mark`; NULL when there is none. `counted`: whether the last
   entry counts as emptying the deque. */
static inline struct ghcomp_task *ghcomp_deque_take_youngest(struct ghcomp_deque *deque, uint32_t mark, bool counted)
{
    uint32_t bottom = ghcomp_load_relaxed(&deque->bottom), top = ghcomp_load_relaxed(&deque->top);
    if (bottom == mark || (int32_t)(bottom - top) <= 0)
        return NULL;
    if (bottom - top == 1)
        return ghcomp_deque_take_last(deque, top, counted);
    bottom--;
    ghcomp_xchg_seqcst(&deque->bottom, bottom);
    top = ghcomp_load_seqcst(&deque->top);
    deque->seen_top = top;
    if (ghcomp_likely((int32_t)(bottom - top) > 0))
        return ghcomp_load_relaxed(&deque->slot[bottom & deque->mask]);
    struct ghcomp_task *task = bottom == top ? ghcomp_deque_take_last(deque, top, counted) : NULL;
    ghcomp_store_release(&deque->bottom, bottom + 1);
    return task;
}

/* Owner: takes the youngest entry to run it. */
static inline struct ghcomp_task *ghcomp_deque_pop(struct ghcomp_deque *deque, uint32_t mark)
{
    return ghcomp_deque_take_youngest(deque, mark, true);
}

/* Owner: takes the youngest entry for a moment, to push it again. Thieves do not take this for a deque whose owner
   empties it by itself (task_take.c, "Ripe tasks"). */
static inline struct ghcomp_task *ghcomp_deque_take_back(struct ghcomp_deque *deque, uint32_t mark)
{
    return ghcomp_deque_take_youngest(deque, mark, false);
}

/* Any member: whether a thief would find no entry. */
static inline bool ghcomp_deque_seems_empty(struct ghcomp_deque *deque)
{
    uint32_t top = ghcomp_load_seqcst(&deque->top);
    return (int32_t)(ghcomp_load_seqcst(&deque->bottom) - top) <= 0;
}

/* Any member: the oldest entry, which stays in the deque; NULL: there is none. *ticket is for ghcomp_deque_steal. */
static inline struct ghcomp_task *ghcomp_deque_peek(struct ghcomp_deque *deque, uint32_t *ticket)
{
    uint32_t top = ghcomp_load_seqcst(&deque->top);
    uint32_t bottom = ghcomp_load_seqcst(&deque->bottom);
    *ticket = top;
    if ((int32_t)(bottom - top) <= 0)
        return NULL;
    return ghcomp_load_relaxed(&deque->slot[top & deque->mask]);
}

/* Takes the entry that ghcomp_deque_peek returned; false: another thread was faster. */
static inline bool ghcomp_deque_steal(struct ghcomp_deque *deque, uint32_t ticket)
{
    return ghcomp_cas_seqcst(&deque->top, &ticket, ticket + 1);
}

/* Owner: it has taken the entry to run it. */
static inline void ghcomp_deque_took_oldest(struct ghcomp_deque *deque, uint32_t ticket)
{
    deque->seen_top = ticket + 1;
    if (ghcomp_load_relaxed(&deque->bottom) == ticket + 1)
        ghcomp_store_relaxed(&deque->emptied, ghcomp_load_relaxed(&deque->emptied) + 1);
    else
        deque->oldest++;
}

/* Owner: takes the oldest entry to run it; NULL when there is none. */
static inline struct ghcomp_task *ghcomp_deque_take_oldest(struct ghcomp_deque *deque)
{
    uint32_t ticket;
    struct ghcomp_task *task;
    do
        task = ghcomp_deque_peek(deque, &ticket);
    while (task != NULL && !ghcomp_deque_steal(deque, ticket));
    if (task != NULL)
        ghcomp_deque_took_oldest(deque, ticket);
    return task;
}

/* Any member: takes the oldest entry if it lies below `end`; NULL: there is none. */
static inline struct ghcomp_task *ghcomp_deque_take_below(struct ghcomp_deque *deque, uint32_t end, bool owner)
{
    uint32_t ticket;
    struct ghcomp_task *task;
    do
        task = ghcomp_deque_peek(deque, &ticket);
    while (task != NULL && (int32_t)(ticket - end) < 0 && !ghcomp_deque_steal(deque, ticket));
    if (task == NULL || (int32_t)(ticket - end) >= 0)
        return NULL;
    if (owner)
        ghcomp_deque_took_oldest(deque, ticket);
    return task;
}
