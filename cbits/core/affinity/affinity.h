/* Binding threads to places. Protocol in affinity.c.
 *
 * Without places a region costs two predicted branches, on ghcomp_affinity.active and on the number of places.
 */
#pragma once

#include "core/affinity/places.h"
#include "core/state/types.h"

/* Immutable after ghcomp_affinity_env_init. */
struct ghcomp_affinity {
    bool active;                 /* there are places, or affinity is displayed */
    struct ghcomp_places places; /* place-list; none when threads are not bound */
};
extern struct ghcomp_affinity ghcomp_affinity GHCOMP_OWN;

/* Before the CPUs are counted, in a process whose code is clang's and which is not unbound: where OMP_PLACES limits the
   number of an abstract name's places, as cores(4) does, the process has the CPUs of these places alone, as in
   libomp. */
void ghcomp_affinity_narrow_to_places(void);
/* Makes the place list from OMP_PLACES, GOMP_CPU_AFFINITY and bind-var. At the end of ghcomp_env_init. */
void ghcomp_affinity_env_init(void);
/* Undoes that before it is done again (env_first.c). No thread is bound yet. */
void ghcomp_affinity_env_forget(void);

/* A thread's place and the partition for its own teams: 0-based places; the partition does not wrap around. */
struct ghcomp_slot {
    uint32_t place, first, length;
};
/* The slot of member `tid` of a team of `threads`, whose master is at `master`, by the rules of OpenMP 5.2, section
   10.1.3, and in libgomp's order (libomp's: slots_of_libomp.h). For member 0 it is the master's place again, with its
   partition in the team. */
struct ghcomp_slot ghcomp_affinity_slot(enum ghcomp_bind bind, uint32_t threads, uint32_t tid,
                                        struct ghcomp_slot master);
/* What a bind-var of true means in clang's code, as in libomp: spread, unless KMP_AFFINITY or GOMP_CPU_AFFINITY has set
   it (then true) or KMP_HW_SUBSET (then false). */
enum ghcomp_bind ghcomp_affinity_true_of_libomp(void);

/* Gives a new initial thread all places as its partition. Called by that thread, if there are places. */
void ghcomp_affinity_start(struct ghcomp_thread *thread);
/* Called by an initial thread before a query of its place: binds it to one of its places, if there are any, it is not
   bound yet, and it is to stay bound. */
void ghcomp_affinity_settle(struct ghcomp_member *self);
/* Called by an initial thread at the end of a region or league, with places: restores the thread's own mask, if
   KMP_AFFINITY or the host requires it and the thread is not in an outer region. */
void ghcomp_affinity_reset(struct ghcomp_member *self);
/* Called by the only thread in the child of fork(): replaces a mask that binding has set by the thread's own, or by the
   process's mask at load; not with KMP_AFFINITY=noreset, nor if the program has set a mask since. */
void ghcomp_affinity_fork_child(struct ghcomp_member *self);
/* With places: returns the calling member's slot, and moves it to another. */
struct ghcomp_slot ghcomp_affinity_where(struct ghcomp_member *self);
void ghcomp_affinity_move(struct ghcomp_member *self, const struct ghcomp_slot *slot);
/* The region is one of clang's or flang's code: OMP_DISPLAY_AFFINITY writes to the program's stdout, as on libomp. */
#define GHCOMP_TEAM_OF_CLANG 0x80000000u
/* The region's members run the teams of a league (team/league.c). It is no parallel region of the program: nothing is
   displayed, it is not reported to a tool, and it may get fewer threads. */
#define GHCOMP_TEAM_OF_LEAGUE 0x40000000u
/* The region is filtered (core/tool/tool_filter_region.c). */
#define GHCOMP_TEAM_FILTERED 0x20000000u
/* If not all threads can be created, ghcomp_team_prepare returns NULL; or the region gets a smaller team, and leaves
   some of the threads that can be created to others (shortage.c). Without either flag the process ends. */
#define GHCOMP_TEAM_MAY_FAIL 0x10000000u
#define GHCOMP_TEAM_MAY_BE_SMALLER 0x08000000u
/* Gives the members of a team their places, in the mail, and moves the caller, the team's master. Called when `active`,
   after the team's size and the master's member are set. `flags` as for ghcomp_team_prepare. */
void ghcomp_affinity_prepare(struct ghcomp_team *team, uint32_t flags);
/* Called by a worker whose mail has `moved`, before its part of the region: takes its place from the mail, and displays
   its affinity. */
void ghcomp_affinity_apply(struct ghcomp_thread *worker);
/* Without places: gives workers that were just taken the caller's mask if they have another one. */
void ghcomp_affinity_inherit(struct ghcomp_thread **workers, uint32_t count);

/* The program has set the calling thread's mask by kmp_set_affinity: neither it nor its team is bound any more by
   regions that the calling task encounters. Also without places. */
void ghcomp_affinity_loosen(struct ghcomp_member *self);
/* Whether it has, and no place has been given to the thread since. Called by the thread. */
static inline bool ghcomp_affinity_is_loose(const struct ghcomp_member *self)
{
    return self != NULL && self->thread->affinity.loose != 0;
}

/* The affinity mask that the process had at load. */
void ghcomp_affinity_at_load(struct ghcomp_cpus *cpus);
/* The CPUs that a worker may use, without the pinning by worker_placement.c. Called by the worker, or by the thread
   that takes it. */
void ghcomp_affinity_worker_mask(const struct ghcomp_thread *worker, struct ghcomp_cpus *mask);
/* The calling thread's mask, as the kernel has it. */
void ghcomp_affinity_current(struct ghcomp_cpus *cpus);
