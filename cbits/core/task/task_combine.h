/* Reductions over tasks whose copies the runtime itself makes and combines: clang's task_reduction, in_reduction, and
 * reduction with the task modifier. Protocol in task_combine.c. */
#pragma once

#include "core/task/taskgroup.h"

struct ghcomp_combine_item {
    char *shared;                          /* what the copies are combined into */
    void *original;                        /* for init */
    size_t bytes;
    void (*init)(void *copy, void *original); /* NULL: the copy is zeroed */
    void (*finish)(void *copy);            /* NULL: nothing to do */
    void (*combine)(void *into, void *from);
};

/* Gives the items (copied) to the current task's innermost taskgroup, which combines them when it ends. */
void ghcomp_combine_register(struct ghcomp_member *self, const struct ghcomp_combine_item *items, uint32_t count);

/* The same for a construct that the whole team carries out: each member enters, with its own `shared`, and leaves.
   Enter opens a taskgroup, leave ends it. The copies of all members go into `shared` of the member that leaves last. */
void ghcomp_combine_enter(struct ghcomp_member *self, const struct ghcomp_combine_item *items, uint32_t count);
void ghcomp_combine_leave(struct ghcomp_member *self);

/* The calling thread's copy for an address in a shared variable, or in any thread's copy of it. Looks in the taskgroup,
   then in those around it. */
void *ghcomp_combine_copy(struct ghcomp_member *self, const struct ghcomp_taskgroup *group, void *address);

/* Whether the taskgroup, or one around it, reduces the variable at that address: for task_reduction.c, which does not
   find it. */
bool ghcomp_combine_has(const struct ghcomp_taskgroup *group, const void *address);

/* By taskgroup.c: the group ends, all its tasks have. */
void ghcomp_combine_end(struct ghcomp_combine *combine);
/* The same for a group that its member has left without its end, in a cancelled region: nothing is combined. */
void ghcomp_combine_abandon(struct ghcomp_combine *combine);
struct ghcomp_agent_area;
/* Frees the areas of free agents. Called by the last member, or by the last reference's holder. */
void ghcomp_combine_free_areas(struct ghcomp_agent_area *_Atomic *list);
