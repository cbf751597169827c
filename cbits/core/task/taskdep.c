/* Task dependences (depend clauses, omp_all_memory): which tasks must be complete before a task may start.
 *
 * The parent's table has an entry for each address that unfinished children name. The tasks that name one address form
 * a sequence of *sets*: a set is one task (out, inout), or consecutive tasks of the same other kind (in, inoutset,
 * mutexinoutset), which have no order among themselves. Each task of a set waits for all tasks of the set before. The
 * entry keeps the members of the last set and one node for the set before that: the only unfinished member, or a
 * *join*, a node without a task that stands for several, so that n tasks followed by m cost n + m edges. A task that
 * names an address in two ways is ordered against every other task, as by inout; and so is one with a mutexinoutset in
 * code by gcc (GHCOMP_TASK_IN_ORDER), because libgomp makes no difference between the two.
 *
 * A task that names omp_all_memory waits for the last sets of all addresses and empties the table; later tasks wait for
 * it (table->all). The table refers to nodes, not to tasks, and only the executor of the parent uses it: the *owner* of
 * the nodes. How nodes wait for each other is in taskdep_edge.c.
 *
 * Complete nodes are dropped when a task is entered at their place, when a set's list has doubled, and when the table
 * is full: it is then rebuilt for the addresses that still have unfinished tasks. So memory is bounded by the
 * unfinished tasks, at a constant cost for each new one.
 *
 * Called by task.c (ghcomp_task_submit, the end of a task, ghcomp_task_wait_depend). Covered by test/unit/taskdep.c and
 * test/conformance/depend.
 */
#include "core/task/taskdep.h"

#include "core/task/task.h"
#include "core/task/taskdep_clause.h"
#include "core/task/taskdep_domain.h"
#include "core/task/taskdep_edge.h"
#include "core/task/taskdep_table.h"
#include "core/tool/tool_filter.h"
#include "core/tsan/races.h"

static void replace_others(struct ghcomp_depend_node *node, struct ghcomp_depend_entry *entry)
{
    for (struct ghcomp_depend_list *list = entry->others; list != NULL; list = list->next)
        for (uint32_t i = 0; i < list->count; i++)
            ghcomp_depend_replace(node, list->item[i]);
    ghcomp_depend_heap_put_chain(node->home, true, entry->others);
    entry->others = NULL;
}

/* Drops those of the set's other members that are complete. */
static void prune_others(struct ghcomp_depend_heap *heap, struct ghcomp_depend_entry *entry)
{
    struct ghcomp_depend_list *kept = NULL, *list = entry->others;
    while (list != NULL) {
        for (uint32_t i = 0; i < list->count; i++)
            if (ghcomp_depend_closed(list->item[i]))
                ghcomp_depend_drop(list->item[i]);
            else
                ghcomp_depend_list_push(heap, &kept, list->item[i]);
        struct ghcomp_depend_list *done = list;
        list = list->next;
        ghcomp_depend_heap_put(heap, true, done);
    }
    entry->others = kept;
    if (kept != NULL)
        kept->limit = kept->blocks < 2 ? 2 : 2 * kept->blocks;
}

static struct ghcomp_depend_node *pop_other(struct ghcomp_depend_heap *heap, struct ghcomp_depend_entry *entry)
{
    struct ghcomp_depend_list *list = entry->others;
    if (list == NULL)
        return NULL;
    struct ghcomp_depend_node *node = list->item[--list->count];
    if (list->count == 0) {
        entry->others = list->next;
        ghcomp_depend_heap_put(heap, true, list);
    }
    return node;
}

/* Makes an incomplete member of the last set the newest one. False: there is none. */
static bool prune(struct ghcomp_depend_heap *heap, struct ghcomp_depend_entry *entry)
{
    if (entry->others != NULL)
        prune_others(heap, entry);
    if (entry->member != NULL && ghcomp_depend_closed(entry->member)) {
        ghcomp_depend_drop(entry->member);
        entry->member = pop_other(heap, entry);
    }
    return entry->member != NULL;
}

/* One node that is complete when the last set is; NULL = it is. The entry's reference passes to the caller. */
static struct ghcomp_depend_node *condense(struct ghcomp_depend_heap *heap, struct ghcomp_depend_entry *entry)
{
    if (!prune(heap, entry))
        return NULL;
    struct ghcomp_depend_node *node = entry->member;
    if (entry->others == NULL)
        return node;
    struct ghcomp_depend_node *join = ghcomp_depend_new_node(heap, NULL);
    join->shares = 1;
    ghcomp_depend_replace(join, node);
    replace_others(join, entry);
    if (!ghcomp_depend_node_commit(join))
        return join;
    ghcomp_depend_heap_put_chain(heap, true, join->more);
    ghcomp_depend_heap_put(heap, true, join);
    return NULL;
}

static void end_mutex(struct ghcomp_depend_heap *heap, struct ghcomp_depend_entry *entry)
{
    if (ghcomp_unlikely(entry->mutex != NULL))
        ghcomp_depend_mutex_leave(heap, entry->mutex);
    entry->mutex = NULL;
}

/* Leaves a set whose members are all complete, or waited for by the node. */
static void forget_entry(struct ghcomp_depend_heap *heap, struct ghcomp_depend_entry *entry)
{
    if (entry->before != NULL)
        ghcomp_depend_drop(entry->before);
    end_mutex(heap, entry);
    entry->before = NULL;
    entry->kind = GHCOMP_DEPEND_NONE;
}

/* The table is full: makes one for the addresses that still have unfinished tasks, at most a quarter full. */
static struct ghcomp_depend_table *renew(struct ghcomp_depend_table *table)
{
    struct ghcomp_depend_heap *heap = table->heap;
    uint32_t slots = UINT32_C(1) << table->bits, live = 0;
    for (uint32_t i = 0; i < slots; i++) {
        struct ghcomp_depend_entry *entry = &table->entries[i];
        if (entry->kind == GHCOMP_DEPEND_NONE)
            continue;
        if (prune(heap, entry))
            live++;
        else
            forget_entry(heap, entry);
    }
    uint32_t bits = GHCOMP_DEPEND_SMALLEST_BITS;
    while (live > (UINT32_C(1) << bits) / 4)
        bits++;
    ghcomp_invariant(bits < 31);
    table->used = 0;
    if (live == 0 && bits == table->bits)
        return table;
    struct ghcomp_depend_table *fresh = ghcomp_depend_table_new(heap, bits);
    fresh->all = table->all;
    fresh->used = live;
    table->all = NULL;
    for (uint32_t i = 0; i < slots && live > 0; i++) {
        struct ghcomp_depend_entry *entry = &table->entries[i];
        if (entry->kind == GHCOMP_DEPEND_NONE)
            continue;
        *ghcomp_depend_table_find(fresh, entry->address) = *entry;
        entry->kind = GHCOMP_DEPEND_NONE;
        live--;
    }
    ghcomp_depend_table_free(table);
    return fresh;
}

/* The task joins the last set, which is of its kind. */
static void join_set(struct ghcomp_depend_heap *heap, struct ghcomp_depend_node *node,
                     struct ghcomp_depend_entry *entry)
{
    ghcomp_depend_follow(node, &entry->before);
    if (ghcomp_depend_closed(entry->member)) {
        ghcomp_depend_drop(entry->member);
    } else {
        struct ghcomp_depend_list *others = entry->others;
        if (others != NULL && others->count == GHCOMP_DEPEND_ITEMS && others->blocks >= others->limit)
            prune_others(heap, entry);
        ghcomp_depend_list_push(heap, &entry->others, entry->member);
    }
    entry->member = node;
}

/* The task has named the address before, in another way. */
static void strengthen(struct ghcomp_depend_heap *heap, struct ghcomp_depend_node *node,
                       struct ghcomp_depend_entry *entry)
{
    replace_others(node, entry);
    forget_entry(heap, entry);
    entry->kind = GHCOMP_DEPEND_OUT;
}

static void enter(struct ghcomp_depend_table **table, struct ghcomp_depend_node *node, void *address,
                  enum ghcomp_depend_kind kind)
{
    struct ghcomp_depend_heap *heap = node->home;
    struct ghcomp_depend_entry *entry = ghcomp_depend_table_find(*table, address);
    if (entry->kind == GHCOMP_DEPEND_NONE) {
        if (ghcomp_unlikely((*table)->used == (UINT32_C(3) << (*table)->bits) / 4)) {
            *table = renew(*table);
            entry = ghcomp_depend_table_find(*table, address);
        }
        (*table)->used++;
        *entry = (struct ghcomp_depend_entry){.address = address, .member = node};
    } else if (entry->member == node) {
        if (entry->kind != kind && entry->kind != GHCOMP_DEPEND_OUT)
            strengthen(heap, node, entry);
        return;
    } else if (kind == GHCOMP_DEPEND_OUT) {
        ghcomp_depend_replace(node, entry->member);
        if (entry->others != NULL)
            replace_others(node, entry);
        if (entry->before != NULL || entry->mutex != NULL)
            forget_entry(heap, entry);
        entry->member = node;
    } else if (entry->kind == kind) {
        join_set(heap, node, entry);
    } else {
        struct ghcomp_depend_node *before = condense(heap, entry);
        forget_entry(heap, entry);
        entry->before = before;
        entry->member = node;
        ghcomp_depend_follow(node, &entry->before);
    }
    node->shares++;
    entry->kind = kind;
    if (kind == GHCOMP_DEPEND_MUTEXINOUTSET) {
        if (entry->mutex == NULL)
            entry->mutex = ghcomp_depend_mutex_new(heap);
        ghcomp_depend_mutex_join(node, entry->mutex);
    }
}

/* Empties the table; the node, if any, waits for all that was in it. */
static void sweep(struct ghcomp_depend_table *table, struct ghcomp_depend_node *node)
{
    struct ghcomp_depend_heap *heap = table->heap;
    uint32_t slots = table->used == 0 ? 0 : UINT32_C(1) << table->bits;
    for (uint32_t i = 0; i < slots; i++) {
        struct ghcomp_depend_entry *entry = &table->entries[i];
        if (entry->kind == GHCOMP_DEPEND_NONE)
            continue;
        if (node != NULL) {
            ghcomp_depend_replace(node, entry->member);
            replace_others(node, entry);
        } else {
            do
                ghcomp_depend_drop(entry->member);
            while ((entry->member = pop_other(heap, entry)) != NULL);
        }
        forget_entry(heap, entry);
    }
    table->used = 0;
    if (table->all != NULL) {
        if (node != NULL)
            ghcomp_depend_replace(node, table->all);
        else
            ghcomp_depend_drop(table->all);
        table->all = NULL;
    }
}

static void enter_all(struct ghcomp_depend_table **table, struct ghcomp_depend_node *node)
{
    sweep(*table, node);
    if ((*table)->bits != GHCOMP_DEPEND_SMALLEST_BITS) {
        struct ghcomp_depend_table *fresh = ghcomp_depend_table_new(node->home, GHCOMP_DEPEND_SMALLEST_BITS);
        ghcomp_depend_table_free(*table);
        *table = fresh;
    }
    (*table)->all = node;
    node->shares++;
}

static __attribute__((noinline, cold)) void report_races(struct ghcomp_member *self, struct ghcomp_task *task,
                                                         const struct ghcomp_depend_clause *clause)
{
    struct ghcomp_task *parent = self->task;
    if (ghcomp_depend_is_scope(parent->table))
        parent = ghcomp_depend_scope_root(parent->table);
    ghcomp_races_depends(task, clause->count);
    for (size_t i = 0; i < clause->count; i++) {
        void *address;
        enum ghcomp_depend_kind kind = ghcomp_depend_kind_of(clause, i, &address);
        ghcomp_races_depend(task, parent, i, address, kind);
    }
}

static __attribute__((noinline)) void register_placed(struct ghcomp_member *self, struct ghcomp_task *task,
                                                      const struct ghcomp_depend_clause *clause)
{
    if (task->traits & GHCOMP_TASK_RACES)
        report_races(self, task, clause);
    ghcomp_depend_domain_register(self, task, clause);
}

void ghcomp_depend_register(struct ghcomp_member *self, struct ghcomp_task *task, void **depend)
{
    struct ghcomp_depend_clause clause = ghcomp_depend_clause_of(depend);
    clause.in_order = task->traits & GHCOMP_TASK_IN_ORDER;
    if (clause.count == 0) {
        if (task->table == NULL) /* else it is open, and has its node */
            task->node = NULL;
        return;
    }
    struct ghcomp_depend_heap *heap = self->thread->memory.dependences;
    if (ghcomp_unlikely(heap == NULL))
        heap = ghcomp_depend_heap_make(self->thread);
    struct ghcomp_depend_table **table = &self->task->table;
    if (*table == NULL) {
        *table = ghcomp_depend_table_new(heap, GHCOMP_DEPEND_SMALLEST_BITS);
    } else if (ghcomp_unlikely(ghcomp_depend_is_scope(*table))) {
        register_placed(self, task, &clause);
        return;
    }
    struct ghcomp_depend_node *node = ghcomp_depend_new_node(heap, task);
    task->node = node;
    if (ghcomp_unlikely(task->traits & GHCOMP_TASK_RACES))
        report_races(self, task, &clause);
    if (ghcomp_unlikely(ghcomp_depend_names_all(&clause))) {
        enter_all(table, node);
        return;
    }
    ghcomp_depend_follow(node, &(*table)->all);
    for (size_t i = 0; i < clause.count; i++) {
        void *address;
        enum ghcomp_depend_kind kind = ghcomp_depend_kind_of(&clause, i, &address);
        enter(table, node, address, kind);
    }
}

/* The join waits for the last set, whose members the table leaves. */
static void hand_over_set(struct ghcomp_depend_heap *heap, struct ghcomp_depend_node *join,
                          struct ghcomp_depend_entry *entry)
{
    ghcomp_depend_replace(join, entry->member);
    for (struct ghcomp_depend_node *other; (other = pop_other(heap, entry)) != NULL;)
        ghcomp_depend_replace(join, other);
}

void ghcomp_depend_hand_over(struct ghcomp_depend_table *table, struct ghcomp_depend_domain *domain,
                             struct ghcomp_depend_heap *heap)
{
    uint32_t slots = UINT32_C(1) << table->bits;
    for (uint32_t i = 0; i <= slots; i++) {
        struct ghcomp_depend_entry last = {.member = table->all, .kind = GHCOMP_DEPEND_OUT};
        struct ghcomp_depend_entry *entry = i < slots ? &table->entries[i] : &last;
        if (entry->kind == GHCOMP_DEPEND_NONE)
            continue;
        if (prune(table->heap, entry)) {
            struct ghcomp_depend_node *join = ghcomp_depend_new_node(heap, NULL);
            ghcomp_depend_domain_enter_join(domain, join, entry->address);
            hand_over_set(table->heap, join, entry);
            if (ghcomp_depend_node_commit(join))
                ghcomp_depend_domain_drop_join(domain, join);
        }
        forget_entry(table->heap, entry);
    }
    table->used = 0;
    table->all = NULL;
    ghcomp_depend_table_free(table);
}

void ghcomp_depend_forget(struct ghcomp_task *parent)
{
    struct ghcomp_depend_table *table = parent->table;
    if (ghcomp_likely(table == NULL))
        return;
    if (ghcomp_unlikely(ghcomp_depend_is_scope(table))) {
        ghcomp_depend_scope_end(parent);
        return;
    }
    parent->table = NULL;
    sweep(table, NULL);
    ghcomp_depend_table_free(table);
    if (ghcomp_unlikely(parent->tool != NULL))
        ghcomp_tool_task_forget(parent);
}

void ghcomp_depend_waited(struct ghcomp_task *parent)
{
    if (ghcomp_unlikely(ghcomp_depend_is_scope(parent->table)) && !ghcomp_depend_scope_idle(parent->table))
        return;
    ghcomp_depend_forget(parent);
}

void ghcomp_depend_fork_child(struct ghcomp_task *task)
{
    task->table = NULL;
    if (task->node != NULL && ghcomp_depend_placed(task->node))
        task->node = NULL; /* its end would take the domain's lock, which another thread may have had */
}

bool ghcomp_depend_transparent(const struct ghcomp_task *task)
{
    return task->table != NULL && ghcomp_depend_is_scope(task->table) && ghcomp_depend_scope_depth(task->table) > 0;
}

bool ghcomp_depend_before(const struct ghcomp_task *task, const struct ghcomp_task *current)
{
    if (!(task->traits & GHCOMP_TASK_DEPENDENT) || task->node == NULL)
        return false;
    if (!ghcomp_depend_placed(task->node))
        return ghcomp_load_relaxed(&task->parent) == ghcomp_depend_scope_root(current->table);
    return ghcomp_depend_domain_before(task->node, current->node);
}
