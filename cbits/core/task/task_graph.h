/* Graphs of tasks: recorded once, replayed many times (OpenMP 6.0, section 14.3, taskgraph).
 *
 * While a task *records*, the explicit tasks that it generates run as ever, and each leaves a *record* in the graph:
 * its code, a copy of its data, its depend clause. The end of the recording makes *nodes* of the records, with an edge
 * for each dependence. A *replay* runs the nodes again: no clause is read and no table of addresses kept.
 *
 *     task_graph.c         a graph's life, its data, and who may use it
 *     task_graph_record.c  the recording, from hooks on the observed paths of the constructs
 *     task_graph_build.c   the edges
 *     task_graph_run.c     the replay
 *
 * One task at a time records or replays a graph, and holds its lock for that time. Everything that has no other remark
 * below belongs to the holder of the lock; during a replay the threads that run nodes read it.
 */
#pragma once

#include "core/observe/observers.h"
#include "core/state/types.h"

/* Repairs a task's data, which is a copy of `from`: what pointed into `from` points to the copy then, and the data
   names `task`. */
typedef void (*ghcomp_graph_move)(void *data, const void *from, struct ghcomp_task *task);

enum ghcomp_graph_kind {
    GHCOMP_GRAPH_TASK,
    GHCOMP_GRAPH_WAIT,                 /* a taskwait */
    GHCOMP_GRAPH_GROUP,                /* the begin of a taskgroup ... */
    GHCOMP_GRAPH_GROUP_END             /* ... and its end */
};

/* What the recording task did next. */
struct ghcomp_graph_record {
    enum ghcomp_graph_kind kind;
    /* TASK: */
    bool undeferred;                   /* the recording task waited for it */
    bool in_order;                     /* its mutexinoutset is an inout: GHCOMP_TASK_IN_ORDER */
    bool pool;                         /* free agents may run it: threadset(omp_pool) */
    uint16_t flags;                    /* enum ghcomp_task_flag: FINAL */
    int32_t priority;
    void (*fn)(void *);
    void *data;                        /* its data when it was made, in memory of the record's; NULL: none */
    size_t bytes, align;
    ghcomp_graph_move move;            /* NULL: a copy of the bytes is enough */
    void **depend;                     /* its depend clause (taskdep_clause.h), in memory of the record's; NULL: none */
};

/* A task of a replay; or, without code, a *join*, which is complete when its predecessors are. */
struct ghcomp_graph_node {
    _Atomic uint32_t waits;            /* predecessors that are not complete in this replay: task_graph_run.c */
    uint32_t predecessors;
    struct ghcomp_graph_node *next;    /* the next one of a list of ready nodes: the thread that has the list */
    struct ghcomp_graph_node **successors;
    uint32_t count;                    /* successors */
    bool deep;                         /* complete only when its descendants are, too: it was in a taskgroup */
    bool plain;                        /* its data needs no more than a copy of `units` */
    uint16_t flags;                    /* the record's */
    void (*fn)(void *);                /* NULL: a join */
    const void *data;                  /* the record's */
    uint32_t units;                    /* GHCOMP_GRAPH_UNITs of data */
    uint32_t record;                   /* the record's number */
} GHCOMP_ALIGNED;
_Static_assert(sizeof(struct ghcomp_graph_node) == GHCOMP_CACHE_LINE, "a node is a cache line");

/* The memory of a record's data is a multiple of so many bytes. */
enum { GHCOMP_GRAPH_UNIT = 16 };

/* The construct that the recording task is in: its task has been made, and not submitted. */
struct ghcomp_graph_pending {
    struct ghcomp_task *task;          /* NULL: none */
    size_t bytes, align;
    unsigned flags;
    ghcomp_graph_move move;
    void **depend;
};

struct ghcomp_graph {
    _Atomic uint32_t lock;             /* lock.h */
    _Atomic(struct ghcomp_taskgroup *) group; /* the taskgroup of the recording or the replay; NULL: neither. Written by
                                          the holder, read by any thread that is about to take the lock;
                                          atomic(relaxed): see ghcomp_graph_enter */
    struct ghcomp_graph_record *records;
    uint32_t recorded, room;           /* records, and for how many there is memory */
    const char *refused;               /* why it cannot be replayed; NULL: it can */
    bool pool;                         /* a record has `pool` */
    bool plain;                        /* recording: constructed data is copied as bytes */
    struct ghcomp_graph *outer;        /* recording: the graph that a task around it on this thread records */
    struct ghcomp_task *recorder;      /* recording: the task that records; owner only, as all below */
    uint32_t groups;                   /* taskgroups that are open in the records */
    struct ghcomp_graph_pending pending;
    /* Made by ghcomp_graph_build, immutable until the next recording. */
    struct ghcomp_graph_node *nodes;
    struct ghcomp_graph_node **edges;  /* the memory of all nodes' successors */
    uint32_t count;                    /* nodes, of which so many are joins ... */
    uint32_t tasks;                    /* ... and so many tasks */
};

/* --- task_graph.c ------------------------------------------------------------------------------------------------- */

struct ghcomp_graph *ghcomp_graph_create(void);
/* Frees the graph. A graph in use ends the program with a message. */
void ghcomp_graph_destroy(struct ghcomp_graph *graph);
/* The calling task takes the graph for `what`, and opens its taskgroup. Waits while another task has it; a task that
   belongs to its recording or replay ends the program with a message. */
void ghcomp_graph_enter(struct ghcomp_member *self, struct ghcomp_graph *graph, const char *what);
/* Waits for the tasks of that taskgroup and their descendants, and closes it. False: it or the region was cancelled. */
bool ghcomp_graph_join(struct ghcomp_member *self, struct ghcomp_graph *graph);
/* Gives the graph back, after that. */
void ghcomp_graph_leave(struct ghcomp_graph *graph);
/* Forgets what has been recorded. Holder. */
void ghcomp_graph_clear(struct ghcomp_graph *graph);
/* The record of the n-th task, in the order of their creation; NULL: there are fewer. While no task has the graph. */
struct ghcomp_graph_record *ghcomp_graph_nth(struct ghcomp_graph *graph, size_t n);

/* --- task_graph_record.c ------------------------------------------------------------------------------------------ */

/* `plain`: data that the program's own functions have copied can be copied as bytes. */
void ghcomp_graph_record_begin(struct ghcomp_member *self, struct ghcomp_graph *graph, bool plain);
/* Waits for the tasks. False: the graph cannot be replayed (graph->refused). */
bool ghcomp_graph_record_end(struct ghcomp_member *self, struct ghcomp_graph *graph);

/* Whether the current task records. For paths on which GHCOMP_OBSERVE_GRAPH was found, or that are rare. */
static inline bool ghcomp_graph_records(const struct ghcomp_member *self)
{
    return ghcomp_unlikely(ghcomp_observers_now() & GHCOMP_OBSERVE_GRAPH) && self->thread->recording != NULL &&
           self->thread->recording->recorder == self->task;
}

/* Whether the task of a record runs on the thread that makes it, also if it is a deferred one: see task_graph.c. */
static inline bool ghcomp_graph_runs_at_once(const struct ghcomp_member *self, const struct ghcomp_graph_record *record)
{
    return record->undeferred || (ghcomp_agent(self) && !record->pool);
}

/* The hooks; for a task that records or not, each on the thread that encounters the construct. */
bool ghcomp_graph_task_new(struct ghcomp_member *self, struct ghcomp_task *task, size_t bytes, size_t align,
                           unsigned flags);
void ghcomp_graph_task_moves(struct ghcomp_member *self, struct ghcomp_task *task, ghcomp_graph_move move);
void ghcomp_graph_task_depends(struct ghcomp_member *self, struct ghcomp_task *task, void **depend);
void ghcomp_graph_task_submitted(struct ghcomp_member *self, struct ghcomp_task *task);
void ghcomp_graph_waited(struct ghcomp_member *self);
void ghcomp_graph_group_ends(struct ghcomp_member *self);
/* In the child of fork(), whose only thread is the given one; NULL: the runtime does not know it. */
void ghcomp_graph_fork_child(const struct ghcomp_thread *thread);
/* The recording task did what a replay cannot repeat; `what` is static text. */
void ghcomp_graph_refuse(struct ghcomp_member *self, const char *what);

/* --- task_graph_build.c ------------------------------------------------------------------------------------------- */

/* Makes the nodes of the records. Holder, while recording. */
void ghcomp_graph_build(struct ghcomp_graph *graph);

/* --- task_graph_run.c --------------------------------------------------------------------------------------------- */

/* Runs all tasks of the graph, and returns after their end. False: there is nothing to replay. */
bool ghcomp_graph_replay(struct ghcomp_member *self, struct ghcomp_graph *graph);
