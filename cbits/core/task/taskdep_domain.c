/* Dependences across generations (OpenMP 6.0, sections 17.9.5 and 17.9.6): tasks with a transparent clause.
 *
 * A task's dependences are usually among its siblings, and in its parent's table (taskdep.c). The first child with a
 * transparent clause makes the parent's table a *scope*, the root of a *domain*; each transparent task in it has a
 * scope of its own for its children. All of them are entered in one *ledger*: for each address the *mentions* of
 * unfinished tasks, in the order in which a program without OpenMP would run them. That order is known whenever a task
 * is made: a task's *position* is its scope and its number there, and a scope has its task's.
 *
 * A new task waits for the earlier mentions of its addresses that conflict with its own, where the other task
 *
 *   - is a sibling of it or, if the scopes between them import, of one of its ancestors; or
 *   - is *exposed* there: a child of a complete task that exports, or of several such tasks inside each other.
 *
 * When a task that exports is complete, its children are exposed, and those tasks that depend on it, through others,
 * too, may have been made before its children: they wait for the children from now on (`expose`). They have not begun,
 * because they still wait for this one. So an edge always leads to a later position, and there is no cycle.
 *
 * The specification orders a task after the children of an exporting task only if it depends on that one, or if that
 * one was undeferred. Here it is enough that the exporting one was complete when the task was made. A mutexinoutset
 * counts as inout, which is stricter as well.
 *
 * A mention *covers* those before it that it waits for itself, so that a chain of n tasks costs n edges: one in an
 * out, in the same scope or one further out, all that was entered or exposed before it (`stamp`).
 *
 * The lock. All fields here, and the pushing of edges, are under the domain's lock; its holder is the owner of the
 * domain's heap, which all nodes of the domain come from, so that to a completer they look like another thread's
 * (taskdep.c). A completer takes the lock first, to leave the ledger; afterwards no thread pushes an edge to its node,
 * which it then closes as any other. `waits` counts each edge when it is pushed: `edges` is the constant COUNTED, which
 * the commit cancels.
 *
 * Lives. A scope lives until its task is complete and it has neither a child in the ledger nor a scope below it. The
 * domain lives while its root does and while a completer is in it (`references`: add_acqrel, sub_acqrel; the last one
 * frees it).
 *
 * Called by taskdep.c and task.c. Covered by test/unit/taskdep_domain.c, test/clang/transparent{,_later}.c.
 */
#include "core/task/taskdep_domain.h"

#include <stdlib.h>

#include "base/check.h"
#include "core/sync/lock.h"
#include "core/task/taskdep.h"
#include "core/task/taskdep_ledger.h"

#define COUNTED (UINT32_C(1) << 30)

enum { SMALLEST_BITS = 4 };

static struct ghcomp_depend_domain *domain_of(struct ghcomp_depend_heap *heap)
{
    return (struct ghcomp_depend_domain *)((char *)heap - offsetof(struct ghcomp_depend_domain, heap));
}

static struct ghcomp_depend_scope *scope_of(struct ghcomp_depend_table *table)
{
    return (struct ghcomp_depend_scope *)((char *)table - offsetof(struct ghcomp_depend_scope, table));
}

static struct ghcomp_depend_place *place_of(const struct ghcomp_depend_node *node)
{
    return (struct ghcomp_depend_place *)((uintptr_t)node->mutexes & ~GHCOMP_DEPEND_PLACED);
}

/* --- places and scopes -------------------------------------------------------------------------------------------- */

static struct ghcomp_depend_place *new_place(struct ghcomp_depend_scope *scope, struct ghcomp_depend_node *node)
{
    struct ghcomp_depend_place *place = ghcomp_alloc(sizeof *place);
    *place = (struct ghcomp_depend_place){.node = node, .scope = scope, .number = ++scope->made,
                                          .older = scope->members, .stamp = scope->domain->exposures};
    if (scope->members != NULL)
        scope->members->newer = place;
    scope->members = place;
    scope->references++;
    ghcomp_add_acqrel(&scope->domain->references, 1u);
    node->mutexes = (struct ghcomp_depend_list *)((uintptr_t)place | GHCOMP_DEPEND_PLACED);
    return place;
}

static struct ghcomp_depend_place *new_task(struct ghcomp_depend_scope *scope, struct ghcomp_task *task)
{
    struct ghcomp_depend_heap *heap = &scope->domain->heap;
    struct ghcomp_depend_node *node = ghcomp_depend_heap_get(heap);
    ghcomp_store_relaxed(&node->successors, (uintptr_t)0);
    ghcomp_store_relaxed(&node->waits, GHCOMP_DEPEND_BIAS - COUNTED);
    node->edges = COUNTED;
    node->task = task;
    node->home = heap;
    node->more = NULL;
    node->shares = 0;
    node->mark = 0;
    task->node = node;
    return new_place(scope, node);
}

static struct ghcomp_depend_scope *new_scope(struct ghcomp_depend_domain *domain, struct ghcomp_depend_scope *up)
{
    struct ghcomp_depend_scope *scope = ghcomp_alloc_zeroed(sizeof *scope);
    scope->domain = domain;
    scope->references = 1;
    scope->table.heap = &domain->heap;
    if (up == NULL)
        return scope;
    scope->up = up;
    scope->depth = up->depth + 1;
    scope->beside = up->below;
    if (up->below != NULL)
        up->below->before = scope;
    up->below = scope;
    up->references++;
    return scope;
}

/* The last one to go is the root: then the domain has one reference fewer. */
static void drop_scope(struct ghcomp_depend_scope *scope)
{
    while (scope != NULL && --scope->references == 0) {
        struct ghcomp_depend_scope *up = scope->up;
        if (up == NULL) {
            ghcomp_sub_acqrel(&scope->domain->references, 1u); /* not the last: the caller has one */
        } else {
            *(scope->before != NULL ? &scope->before->beside : &up->below) = scope->beside;
            if (scope->beside != NULL)
                scope->beside->before = scope->before;
        }
        free(scope);
        scope = up;
    }
}

static void drop_place(struct ghcomp_depend_domain *domain, struct ghcomp_depend_place *place)
{
    for (size_t i = 0; i < place->count; i++)
        ghcomp_ledger_take_out(domain, &place->mentions[i]);
    struct ghcomp_depend_scope *scope = place->scope;
    *(place->newer != NULL ? &place->newer->older : &scope->members) = place->older;
    if (place->older != NULL)
        place->older->newer = place->newer;
    drop_scope(scope);
    free(place->mentions);
    free(place);
}

/* --- interface ---------------------------------------------------------------------------------------------------- */

void ghcomp_depend_domain_enter_join(struct ghcomp_depend_domain *domain, struct ghcomp_depend_node *join,
                                     void *address)
{
    struct ghcomp_depend_place *place = new_place(domain->root, join);
    join->mark = 0;
    place->mentions = ghcomp_alloc(sizeof *place->mentions);
    place->count = 1;
    ghcomp_ledger_note(place, place->mentions, address, GHCOMP_DEPEND_OUT);
}

void ghcomp_depend_domain_drop_join(struct ghcomp_depend_domain *domain, struct ghcomp_depend_node *join)
{
    drop_place(domain, place_of(join));
    ghcomp_depend_heap_put_chain(&domain->heap, true, join->more);
    ghcomp_depend_heap_put(&domain->heap, true, join);
    ghcomp_sub_acqrel(&domain->references, 1u); /* not the last: the root has one */
}

/* Makes the task, which has no scope, the root of a domain; the caller gets the lock. */
static struct ghcomp_depend_scope *new_domain(struct ghcomp_task *task)
{
    struct ghcomp_depend_table *table = task->table;
    struct ghcomp_depend_domain *domain = ghcomp_alloc_lines(sizeof *domain);
    domain->bits = SMALLEST_BITS;
    domain->buckets = ghcomp_alloc_zeroed(sizeof *domain->buckets << SMALLEST_BITS);
    domain->task = task;
    domain->root = new_scope(domain, NULL);
    ghcomp_store_relaxed(&domain->references, 1u);
    ghcomp_lock_take(&domain->lock);
    if (table != NULL)
        ghcomp_depend_hand_over(table, domain, &domain->heap);
    task->table = &domain->root->table;
    return domain->root;
}

void ghcomp_depend_open(struct ghcomp_member *self, struct ghcomp_task *task, unsigned impex)
{
    struct ghcomp_task *parent = self->task;
    struct ghcomp_depend_scope *scope;
    if (parent->table == NULL || !ghcomp_depend_is_scope(parent->table)) {
        scope = new_domain(parent);
    } else {
        scope = scope_of(parent->table);
        ghcomp_lock_take(&scope->domain->lock);
    }
    struct ghcomp_depend_place *place = new_task(scope, task);
    place->own = new_scope(scope->domain, scope);
    place->own->number = place->number;
    place->own->imports = impex & GHCOMP_DEPEND_IMPORTS;
    place->own->exports = impex & GHCOMP_DEPEND_EXPORTS;
    task->table = &place->own->table;
    ghcomp_lock_give(&scope->domain->lock);
}

void ghcomp_depend_domain_register(struct ghcomp_member *self, struct ghcomp_task *task,
                                   const struct ghcomp_depend_clause *clause)
{
    struct ghcomp_depend_scope *scope = scope_of(self->task->table);
    struct ghcomp_depend_mention *mentions = ghcomp_alloc(clause->count * sizeof *mentions);
    ghcomp_lock_take(&scope->domain->lock);
    struct ghcomp_depend_place *place = task->table != NULL ? place_of(task->node) : new_task(scope, task);
    place->mentions = mentions;
    for (; place->count < clause->count; place->count++) {
        void *address;
        enum ghcomp_depend_kind kind = ghcomp_depend_kind_of(clause, place->count, &address);
        ghcomp_ledger_enter(place, &mentions[place->count], address, kind);
    }
    ghcomp_lock_give(&scope->domain->lock);
}

void ghcomp_depend_domain_leave(struct ghcomp_depend_node *node)
{
    struct ghcomp_depend_domain *domain = domain_of(node->home);
    ghcomp_lock_take(&domain->lock);
    struct ghcomp_depend_place *place = place_of(node);
    if (place->own != NULL) {
        ghcomp_ledger_expose(domain, place);
        node->task->table = NULL;
        drop_scope(place->own);
    }
    drop_place(domain, place);
    node->mutexes = NULL;
    ghcomp_store_relaxed(&node->successors, ghcomp_load_relaxed(&node->successors) | GHCOMP_DEPEND_ORPHAN);
    ghcomp_lock_give(&domain->lock);
}

void ghcomp_depend_domain_close(struct ghcomp_depend_heap *home)
{
    struct ghcomp_depend_domain *domain = domain_of(home);
    if (ghcomp_sub_acqrel(&domain->references, 1u) != 1)
        return;
    bool all = ghcomp_blocks_free(&domain->heap.blocks);
    ghcomp_invariant(all && domain->addresses == 0);
    free(domain->buckets);
    free(domain);
}

bool ghcomp_depend_scope_idle(struct ghcomp_depend_table *table)
{
    struct ghcomp_depend_scope *scope = scope_of(table);
    if (scope->up != NULL)
        return false;
    ghcomp_lock_take(&scope->domain->lock);
    bool idle = scope->references == 1;
    ghcomp_lock_give(&scope->domain->lock);
    return idle;
}

void ghcomp_depend_scope_end(struct ghcomp_task *task)
{
    struct ghcomp_depend_scope *scope = scope_of(task->table);
    if (scope->up != NULL)
        return; /* until it is complete (ghcomp_depend_domain_leave) */
    task->table = NULL;
    struct ghcomp_depend_domain *domain = scope->domain;
    ghcomp_add_acqrel(&domain->references, 1u);
    ghcomp_lock_take(&domain->lock);
    drop_scope(scope);
    ghcomp_lock_give(&domain->lock);
    ghcomp_depend_domain_close(&domain->heap);
}

struct ghcomp_task *ghcomp_depend_scope_root(struct ghcomp_depend_table *table)
{
    return scope_of(table)->domain->task;
}

uint32_t ghcomp_depend_scope_depth(struct ghcomp_depend_table *table)
{
    return scope_of(table)->depth;
}

/* Positions do not change, and a scope stays while its children do: no lock. */
bool ghcomp_depend_domain_before(const struct ghcomp_depend_node *node, const struct ghcomp_depend_node *other)
{
    return node->home == other->home && ghcomp_ledger_precedes(place_of(node), place_of(other));
}
