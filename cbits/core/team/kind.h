/* Kinds of threads: which workers may serve which master. Protocol: kind.c. */
#pragma once

#include "core/state/types.h"
#include "host/os_attributes.h"

struct ghcomp_kind {
    struct ghcomp_os_attributes is; /* of its masters; immutable */
    uint64_t number;               /* its number, which no other kind of the process has or had; immutable once
                                      listed */
    bool alone;                    /* it is one master's, and its workers serve only that; immutable */
    bool closed;                   /* lock pool.lock: it has no threads; its workers end when they are given back */
    uint32_t users;                /* lock pool.lock: threads that take workers of it */
    uint32_t workers;              /* lock pool.lock: workers that were made for it and have not ended */
    struct ghcomp_thread *free;    /* lock pool.lock: stack of free workers */
    struct ghcomp_task *aside, *aside_last; /* lock pool.lock: tasks that wait for a worker (aside.c) ... */
    uint32_t asides;               /* ... and workers that run such tasks */
    struct ghcomp_kind *next;      /* lock pool.lock: list of all */
};

/* pool.lock. It guards the kinds and their workers. */
extern pthread_mutex_t ghcomp_pool_lock GHCOMP_OWN;
/* All kinds; lock pool.lock. */
extern struct ghcomp_kind *ghcomp_kinds GHCOMP_OWN;

/* Determines and returns the calling thread's present kind. `whole`: by all attributes, including costly ones. Takes
   pool.lock. *left: free workers of a kind that has lost its last thread, linked by `next`, for the caller to
   dismiss. */
struct ghcomp_kind *ghcomp_kind_look(struct ghcomp_thread *thread, bool whole, struct ghcomp_thread **left);
/* Counts a thread that ends out of its kind. Takes pool.lock. Returns free workers as above. */
struct ghcomp_thread *ghcomp_kind_leave(struct ghcomp_thread *thread);
/* A worker of the kind has ended. Takes pool.lock. */
void ghcomp_kind_loses(struct ghcomp_kind *kind);
/* In a new worker, first of all: records its kind. */
void ghcomp_kind_born(struct ghcomp_thread *worker);
/* Whether a worker that the calling thread has taken still has the attributes of its kind, and the caller's working
   directory. */
bool ghcomp_kind_unchanged(const struct ghcomp_thread *worker);
/* In the child of fork(), whose only thread is the given one; NULL: the runtime does not know it. */
void ghcomp_kind_fork_child(const struct ghcomp_thread *thread);
