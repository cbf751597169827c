/* Task reductions: task_reduction, in_reduction, and reduction with the task modifier. Protocol in task_reduction.c.
 *
 * A registration is an array that the compiler fills in (`data`: its layout is in task_reduction.c); where several are
 * linked, they count as one.
 */
#pragma once

#include "core/worksharing/workshare.h"

/* Register gives the reductions to the current task's innermost taskgroup, which has just been opened. Unregister frees
   the memory, after the group's end and after the compiler's code has combined the threads' copies. */
void ghcomp_reduction_register(struct ghcomp_member *self, uintptr_t *data);
void ghcomp_reduction_unregister(uintptr_t *data);

/* A worksharing or scope construct with such reductions, by each member of the team: enter opens a taskgroup before the
   construct, leave ends it after the construct. `cancelled`: the construct's barrier was cancelled; if not, leave has
   one more barrier. */
void ghcomp_reduction_enter(struct ghcomp_member *self, uintptr_t *data);
void ghcomp_reduction_leave(struct ghcomp_member *self, bool cancelled);
/* By workshare.c: the share is reused or freed. */
void ghcomp_reduction_forget(struct ghcomp_workshare *share);

/* A parallel region with reductions; the array's address is the first word of the region's data. Returns the team's
   size. */
uint32_t ghcomp_reduction_parallel(void (*fn)(void *), void *data, uint32_t num_threads, uint32_t flags);

/* Replaces each address, of an original or of any thread's copy of it, by that of the calling thread's copy. The
   original addresses of the first `originals` go behind the `count` addresses. */
void ghcomp_reduction_remap(struct ghcomp_member *self, size_t count, size_t originals, void **addresses);

/* --- for task_combine.c ------------------------------------------------------------------------------------------- */

/* The memory of a construct that a whole team shares. */
struct ghcomp_reductions {
    _Atomic uint32_t holders;      /* references of the share, and of the members between enter and leave:
                                      sub_acqrel, the last frees */
    _Atomic uint32_t left;         /* members that have left: add_acqrel, the team's last frees the memory */
    uint32_t size;                 /* the team's */
    void *memory;                  /* freed by the last to leave, or with the struct */
    struct ghcomp_agent_area *_Atomic agents; /* areas of free agents: task_combine.c */
};

/* Whether the taskgroup, or one around it, reduces the variable at that address. */
bool ghcomp_reduction_has(const struct ghcomp_taskgroup *group, const void *address);
/* By each member of the team, which gets a reference: the first one's call allocates the memory. */
struct ghcomp_reductions *ghcomp_reductions_join(struct ghcomp_member *self, void *(*allocate_for)(void *, uint32_t),
                                                 void *of);
/* Frees memory that members have their copies in. */
void ghcomp_reductions_free(void *memory);
void ghcomp_reductions_let_go(struct ghcomp_reductions *reductions);
