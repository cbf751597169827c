/* The common types of task dependences: nodes, the edges between them, and the blocks that both are made of. The
 * protocol is in taskdep_edge.c, that of the blocks in blocks.c, that of mutexinoutset in taskdep_mutex.c.
 *
 * Everything but the tables of addresses fits a block of two cache lines, so one list of free blocks per thread serves
 * all. The *owner* of a block is the thread whose heap it is from: the one that runs the parent of the tasks.
 *
 * Covered by test/unit/{taskdep,taskdep_memory,taskdep_domain}.c.
 */
#pragma once

#include "core/state/types.h"

enum { GHCOMP_DEPEND_BLOCK = 2 * GHCOMP_CACHE_LINE };

/* An edge on the list of a node that `to` waits for. It lies in the memory of `to`, which lives longer. */
struct ghcomp_depend_edge {
    struct ghcomp_depend_edge *next;
    struct ghcomp_depend_node *to;
};

enum { GHCOMP_DEPEND_EDGES = 4, GHCOMP_DEPEND_MORE_EDGES = 7, GHCOMP_DEPEND_ITEMS = 13 };

/* A task in the order of its siblings; or, without a task, a *join*, which is complete when its predecessors are. */
struct ghcomp_depend_node {
    struct ghcomp_depend_node *next;   /* link of the list that it is on: nodes that may start, or a mutex's queue */
    _Atomic uintptr_t successors;      /* GHCOMP_DEPEND_CLOSED, or edges | GHCOMP_DEPEND_ORPHAN: taskdep_edge.c */
    _Atomic uint32_t waits;            /* predecessors that are not complete: taskdep_edge.c */
    uint32_t edges;                    /* owner, until the commit: its edges so far */
    struct ghcomp_task *task;          /* immutable after registration; NULL = a join */
    struct ghcomp_depend_heap *home;   /* immutable */
    struct ghcomp_depend_more *more;   /* owner until the commit, then the completer: further edges */
    struct ghcomp_depend_list *mutexes; /* the same: the mutexes that it must hold to run; NULL = none. A placed node's
                                      is its place in a domain (taskdep_domain.h) */
    uint32_t shares;                   /* owner only: references to it from the table; a placed task: its
                                      edges so far */
    uint32_t mark;                     /* a placed task, its domain's lock: the last search that found it */
    struct ghcomp_depend_edge edge[GHCOMP_DEPEND_EDGES] GHCOMP_ALIGNED;
};

struct ghcomp_depend_more {
    struct ghcomp_depend_more *next;
    struct ghcomp_depend_edge edge[GHCOMP_DEPEND_MORE_EDGES];
};

/* A closed list of edges, the oldest one first, and then the `rest`: successors get ready in the order in which they
   were made. */
static inline struct ghcomp_depend_edge *ghcomp_depend_in_order(struct ghcomp_depend_edge *edge,
                                                                struct ghcomp_depend_edge *rest)
{
    while (edge != NULL) {
        struct ghcomp_depend_edge *next = edge->next;
        edge->next = rest;
        rest = edge;
        edge = next;
    }
    return rest;
}

/* A stack of pointers, in blocks; the head is the newest. */
struct ghcomp_depend_list {
    struct ghcomp_depend_list *next;
    uint32_t count;                    /* items in this block */
    uint32_t blocks;                   /* this one and those behind it */
    uint32_t limit;                    /* head only: drop complete nodes when there are so many blocks */
    void *item[GHCOMP_DEPEND_ITEMS];
};

/* The mutual exclusion of one mutexinoutset. All fields but the last: heap->mutex_lock. */
struct ghcomp_depend_mutex {
    struct ghcomp_depend_node *first, *last; /* nodes that wait for this mutex and hold none */
    uint32_t given;                    /* how often a task of the set has given it */
    uint32_t expected;                 /* once the table has left: how many tasks the set has */
    bool left;                         /* the table has left: the set gets no more tasks */
    bool held;
    uint32_t joined GHCOMP_ALIGNED;    /* owner only: tasks of the set so far */
};

_Static_assert(sizeof(struct ghcomp_depend_node) == GHCOMP_DEPEND_BLOCK, "two cache lines, the hot one first");
_Static_assert(sizeof(struct ghcomp_depend_more) <= GHCOMP_DEPEND_BLOCK, "fits a block");
_Static_assert(sizeof(struct ghcomp_depend_list) <= GHCOMP_DEPEND_BLOCK, "fits a block");
_Static_assert(sizeof(struct ghcomp_depend_mutex) <= GHCOMP_DEPEND_BLOCK, "fits a block");

/* node.successors */
#define GHCOMP_DEPEND_ORPHAN ((uintptr_t)1)
#define GHCOMP_DEPEND_CLOSED ((uintptr_t)2)

/* node.waits until the commit: more than there can be edges. */
#define GHCOMP_DEPEND_BIAS (UINT32_C(1) << 31)

/* All edges have been pushed. True: the predecessors are complete. */
static inline bool ghcomp_depend_node_commit(struct ghcomp_depend_node *node)
{
    uint32_t change = node->edges - GHCOMP_DEPEND_BIAS;
    /* Without an edge no other thread knows the node. Step 3; acquire: the ends of the predecessors. */
    return node->edges == 0 || ghcomp_add_acqrel(&node->waits, change) + change == 0;
}

struct ghcomp_depend_heap {
    struct ghcomp_blocks blocks;       /* of GHCOMP_DEPEND_BLOCK bytes, whatever lies in them */
    struct ghcomp_depend_table *spare; /* owner only: an empty table of the smallest size, or NULL */
    const struct ghcomp_thread *owner; /* immutable; to compare only: the heap may outlive it */
    _Atomic uint32_t mutex_lock GHCOMP_ALIGNED_PAIR; /* lock.h */
} GHCOMP_ALIGNED_PAIR;

/* The thread's heap, made when it has none. */
struct ghcomp_depend_heap *ghcomp_depend_heap_make(struct ghcomp_thread *thread);

/* Owner. */
static inline void *ghcomp_depend_heap_get(struct ghcomp_depend_heap *heap)
{
    static const struct ghcomp_block_form form = {GHCOMP_DEPEND_BLOCK, 0, GHCOMP_BLOCKS_AT_ONCE, NULL};
    struct ghcomp_block *block;
    while (ghcomp_unlikely((block = ghcomp_blocks_have(&heap->blocks)) == NULL))
        ghcomp_blocks_refill(&heap->blocks, &form);
    return block;
}

/* `mine`: the calling thread is the owner. */
static inline void ghcomp_depend_heap_put(struct ghcomp_depend_heap *heap, bool mine, void *memory)
{
    struct ghcomp_block *block = memory;
    if (ghcomp_likely(mine))
        ghcomp_blocks_put(&heap->blocks, block, block);
    else
        ghcomp_blocks_return(&heap->blocks, block, block);
}

/* A whole chain of blocks, of a list or of edges. */
static inline void ghcomp_depend_heap_put_chain(struct ghcomp_depend_heap *heap, bool mine, void *memory)
{
    struct ghcomp_block *first = memory, *last = first;
    if (first == NULL)
        return;
    while (last->next != NULL)
        last = last->next;
    if (mine)
        ghcomp_blocks_put(&heap->blocks, first, last);
    else
        ghcomp_blocks_return(&heap->blocks, first, last);
}

/* Owner. */
static inline void ghcomp_depend_list_push(struct ghcomp_depend_heap *heap, struct ghcomp_depend_list **list,
                                           void *item)
{
    struct ghcomp_depend_list *head = *list;
    if (head == NULL || head->count == GHCOMP_DEPEND_ITEMS) {
        struct ghcomp_depend_list *block = ghcomp_depend_heap_get(heap);
        block->next = head;
        block->count = 0;
        block->blocks = head == NULL ? 1 : head->blocks + 1;
        block->limit = head == NULL ? 2 : head->limit;
        *list = head = block;
    }
    head->item[head->count++] = item;
}

/* taskdep_mutex.c. Owner: new makes a mutex with one reference, leave drops a reference, join adds the mutex to those
   that the node must hold to run. */
struct ghcomp_depend_mutex *ghcomp_depend_mutex_new(struct ghcomp_depend_heap *heap);
void ghcomp_depend_mutex_leave(struct ghcomp_depend_heap *heap, struct ghcomp_depend_mutex *mutex);
void ghcomp_depend_mutex_join(struct ghcomp_depend_node *node, struct ghcomp_depend_mutex *mutex);
/* The node's predecessors are complete. True: it has all its mutexes. False: it waits for one, and the thread that
   gives that one takes care of the node, which may be gone already. */
bool ghcomp_depend_mutex_take(struct ghcomp_depend_node *node);
/* The node's task is complete: gives its mutexes. Returns the nodes that have all theirs now, linked by `next`. */
struct ghcomp_depend_node *ghcomp_depend_mutex_give(struct ghcomp_depend_node *node, bool mine);
