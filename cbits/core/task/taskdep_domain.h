/* Dependences across generations: tasks with a transparent clause. Protocol in taskdep_domain.c; for taskdep*.c. */
#pragma once

#include "core/task/taskdep_clause.h"
#include "core/task/taskdep_node.h"
#include "core/task/taskdep_table.h"

struct ghcomp_depend_domain;

/* A node's `mutexes` with this bit is no list: the node belongs to a domain, and the rest is its place there. */
#define GHCOMP_DEPEND_PLACED ((uintptr_t)1)

static inline bool ghcomp_depend_placed(const struct ghcomp_depend_node *node)
{
    return (uintptr_t)node->mutexes & GHCOMP_DEPEND_PLACED;
}

/* Whether the table is that of a scope: its task's children are entered in the domain's ledger. */
static inline bool ghcomp_depend_is_scope(const struct ghcomp_depend_table *table)
{
    return table->bits == 0;
}

/* Enters a child of the current task, whose table is a scope's; afterwards the task has its node. */
void ghcomp_depend_domain_register(struct ghcomp_member *self, struct ghcomp_task *task,
                                   const struct ghcomp_depend_clause *clause);
/* A placed node's task is complete, or a join's predecessors are: takes it out of the ledger and exports what its
   children have left. The task has no scope afterwards. */
void ghcomp_depend_domain_leave(struct ghcomp_depend_node *node);
/* After ghcomp_depend_domain_leave, when its node has been closed. The domain may be gone afterwards. */
void ghcomp_depend_domain_close(struct ghcomp_depend_heap *home);
/* The task to which the table belongs has waited for its children: true, its scope is not needed any more. */
bool ghcomp_depend_scope_idle(struct ghcomp_depend_table *table);
/* The task's function is over: it makes no more children. */
void ghcomp_depend_scope_end(struct ghcomp_task *task);
/* Whether the first of two placed nodes is in the second's domain, at an earlier position. Both stay meanwhile. */
bool ghcomp_depend_domain_before(const struct ghcomp_depend_node *node, const struct ghcomp_depend_node *other);
/* Number of the scopes around it. */
uint32_t ghcomp_depend_scope_depth(struct ghcomp_depend_table *table);
/* What points of ThreadSanitizer's stand for the dependences of the scope's children. */
struct ghcomp_task *ghcomp_depend_scope_root(struct ghcomp_depend_table *table);

/* taskdep.c: empties a task's own table into a new domain, whose lock the caller has. */
void ghcomp_depend_hand_over(struct ghcomp_depend_table *table, struct ghcomp_depend_domain *domain,
                             struct ghcomp_depend_heap *heap);
/* ... by joins, which wait for what the table has for an address: to the ledger, and out of it because there is nothing
   to wait for. */
void ghcomp_depend_domain_enter_join(struct ghcomp_depend_domain *domain, struct ghcomp_depend_node *join,
                                     void *address);
void ghcomp_depend_domain_drop_join(struct ghcomp_depend_domain *domain, struct ghcomp_depend_node *join);
