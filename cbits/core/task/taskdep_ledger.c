/* The ledger of a domain: who waits for whom. Protocol in taskdep_domain.c; all under the domain's lock.
 *
 * Called by taskdep_domain.c. Covered by test/unit/taskdep_domain.c, test/clang/transparent.c.
 */
#include "core/task/taskdep_ledger.h"

#include <stdlib.h>

#include "base/check.h"
#include "core/tool/tool_filter.h"

/* --- positions ---------------------------------------------------------------------------------------------------- */

bool ghcomp_ledger_precedes(const struct ghcomp_depend_place *a, const struct ghcomp_depend_place *b)
{
    const struct ghcomp_depend_scope *s = a->scope, *t = b->scope;
    uint64_t i = a->number, j = b->number;
    bool deeper = s->depth > t->depth;
    for (; s->depth > t->depth; s = s->up)
        i = s->number;
    for (; t->depth > s->depth; t = t->up)
        j = t->number;
    for (; s != t; s = s->up, t = t->up) {
        i = s->number;
        j = t->number;
    }
    return i != j ? i < j : !deeper;
}

static bool encloses(const struct ghcomp_depend_scope *outer, const struct ghcomp_depend_scope *inner)
{
    while (inner->depth > outer->depth)
        inner = inner->up;
    return inner == outer;
}

/* Whether the earlier task is one that the later one may depend on; *exposed: when it was exposed to it, or 0. */
static bool visible(const struct ghcomp_depend_place *earlier, const struct ghcomp_depend_place *later,
                    uint64_t *exposed)
{
    const struct ghcomp_depend_scope *common = earlier->scope;
    if (earlier->own != NULL && encloses(earlier->own, later->scope))
        return false; /* its ancestor */
    for (*exposed = 0; !encloses(common, later->scope); common = common->up) {
        if (common->exposed == 0)
            return false;
        if (common->exposed > *exposed)
            *exposed = common->exposed;
    }
    for (const struct ghcomp_depend_scope *scope = later->scope; scope != common; scope = scope->up)
        if (!scope->imports)
            return false;
    return true;
}

/* Whether an out of the earlier task waits for all before it that the later one might wait for. */
static bool covers(const struct ghcomp_depend_place *earlier, const struct ghcomp_depend_place *later)
{
    for (const struct ghcomp_depend_scope *scope = earlier->scope; !encloses(scope, later->scope); scope = scope->up)
        if (!scope->imports)
            return false;
    return true;
}

/* --- edges -------------------------------------------------------------------------------------------------------- */

/* `shares` counts the edges of a placed task. */
static struct ghcomp_depend_edge *next_edge(struct ghcomp_depend_node *node)
{
    uint32_t number = node->shares++;
    if (number < GHCOMP_DEPEND_EDGES)
        return &node->edge[number];
    uint32_t at = (number - GHCOMP_DEPEND_EDGES) % GHCOMP_DEPEND_MORE_EDGES;
    if (at == 0) {
        struct ghcomp_depend_more *more = ghcomp_depend_heap_get(node->home);
        more->next = node->more;
        node->more = more;
    }
    return &node->more->edge[at];
}

static void push(struct ghcomp_depend_node *node, struct ghcomp_depend_node *before)
{
    uintptr_t head = ghcomp_load_relaxed(&before->successors);
    if (head != 0 && ((struct ghcomp_depend_edge *)head)->to == node)
        return;
    struct ghcomp_depend_edge *edge = next_edge(node);
    edge->to = node;
    edge->next = (struct ghcomp_depend_edge *)head;
    ghcomp_add_relaxed(&node->waits, 1u); /* relaxed: it cannot begin before the lock is given */
    ghcomp_store_relaxed(&before->successors, (uintptr_t)edge);
    if (ghcomp_tool_on() && ghcomp_tool_pairs() && before->task != NULL && node->task != NULL) {
        struct ghcomp_tool_task *record = ghcomp_foreign_load_relaxed(&before->task->tool);
        if (record != NULL)
            ghcomp_tool_task_pair(record, node->task);
    }
}

static bool conflict(enum ghcomp_depend_kind a, enum ghcomp_depend_kind b)
{
    return a != b || a == GHCOMP_DEPEND_OUT;
}

/* --- the ledger --------------------------------------------------------------------------------------------------- */

static struct ghcomp_depend_address **bucket_of(struct ghcomp_depend_domain *domain, void *address)
{
    return &domain->buckets[(uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> (64 - domain->bits)];
}

static void grow(struct ghcomp_depend_domain *domain)
{
    struct ghcomp_depend_address **old = domain->buckets;
    uint32_t slots = UINT32_C(1) << domain->bits++;
    domain->buckets = ghcomp_alloc_zeroed((size_t)2 * slots * sizeof *old);
    for (uint32_t i = 0; i < slots; i++)
        for (struct ghcomp_depend_address *at = old[i], *next; at != NULL; at = next) {
            next = at->next;
            struct ghcomp_depend_address **bucket = bucket_of(domain, at->address);
            at->next = *bucket;
            *bucket = at;
        }
    free(old);
}

/* NULL is omp_all_memory. */
static struct ghcomp_depend_address *find(struct ghcomp_depend_domain *domain, void *address)
{
    if (address == NULL)
        return &domain->all;
    struct ghcomp_depend_address **bucket = bucket_of(domain, address);
    for (struct ghcomp_depend_address *at = *bucket; at != NULL; at = at->next)
        if (at->address == address)
            return at;
    if (domain->addresses == UINT32_C(2) << domain->bits) {
        grow(domain);
        bucket = bucket_of(domain, address);
    }
    struct ghcomp_depend_address *made = ghcomp_alloc(sizeof *made);
    *made = (struct ghcomp_depend_address){.address = address, .next = *bucket};
    domain->addresses++;
    return *bucket = made;
}

static void insert(struct ghcomp_depend_mention *mention)
{
    struct ghcomp_depend_address *at = mention->at;
    struct ghcomp_depend_mention *earlier = at->last;
    while (earlier != NULL && earlier->of != mention->of && !ghcomp_ledger_precedes(earlier->of, mention->of))
        earlier = earlier->earlier;
    mention->earlier = earlier;
    mention->later = earlier != NULL ? earlier->later : at->first;
    *(mention->earlier != NULL ? &mention->earlier->later : &at->first) = mention;
    *(mention->later != NULL ? &mention->later->earlier : &at->last) = mention;
}

void ghcomp_ledger_take_out(struct ghcomp_depend_domain *domain, struct ghcomp_depend_mention *mention)
{
    struct ghcomp_depend_address *at = mention->at;
    *(mention->earlier != NULL ? &mention->earlier->later : &at->first) = mention->later;
    *(mention->later != NULL ? &mention->later->earlier : &at->last) = mention->earlier;
    if (at->first != NULL || at == &domain->all)
        return;
    struct ghcomp_depend_address **link = bucket_of(domain, at->address);
    while (*link != at)
        link = &(*link)->next;
    *link = at->next;
    free(at);
    domain->addresses--;
}

static void note(struct ghcomp_depend_place *place, struct ghcomp_depend_mention *mention,
                 struct ghcomp_depend_address *at, enum ghcomp_depend_kind kind)
{
    *mention = (struct ghcomp_depend_mention){.of = place, .at = at, .kind = kind};
    insert(mention);
}

/* The task waits for the earlier mentions of one address. */
static void follow(struct ghcomp_depend_place *place, const struct ghcomp_depend_address *at,
                   enum ghcomp_depend_kind kind)
{
    uint64_t now = place->scope->domain->exposures, exposed;
    const struct ghcomp_depend_place *covering = NULL;
    for (struct ghcomp_depend_mention *mention = at->last; mention != NULL; mention = mention->earlier) {
        struct ghcomp_depend_place *other = mention->of;
        if (covering != NULL && covering->stamp == now)
            return;
        if (other == place || !conflict(mention->kind, kind) || !ghcomp_ledger_precedes(other, place) ||
            !visible(other, place, &exposed) || (covering != NULL && exposed <= covering->stamp))
            continue;
        push(place->node, other->node);
        if (mention->kind == GHCOMP_DEPEND_OUT && covers(other, place) &&
            (covering == NULL || other->stamp > covering->stamp))
            covering = other;
    }
}

/* The task waits for all that is earlier. */
static void follow_all(struct ghcomp_depend_place *place)
{
    struct ghcomp_depend_domain *domain = place->scope->domain;
    for (uint32_t i = 0; i < UINT32_C(1) << domain->bits; i++)
        for (struct ghcomp_depend_address *at = domain->buckets[i]; at != NULL; at = at->next)
            follow(place, at, GHCOMP_DEPEND_OUT);
}

void ghcomp_ledger_enter(struct ghcomp_depend_place *place, struct ghcomp_depend_mention *mention, void *address,
                         enum ghcomp_depend_kind kind)
{
    struct ghcomp_depend_domain *domain = place->scope->domain;
    if (kind == GHCOMP_DEPEND_MUTEXINOUTSET)
        kind = GHCOMP_DEPEND_OUT;
    if (address == NULL)
        follow_all(place);
    follow(place, &domain->all, kind);
    struct ghcomp_depend_address *at = find(domain, address);
    if (address != NULL)
        follow(place, at, kind);
    note(place, mention, at, kind);
}

void ghcomp_ledger_note(struct ghcomp_depend_place *place, struct ghcomp_depend_mention *mention, void *address,
                        enum ghcomp_depend_kind kind)
{
    note(place, mention, find(place->scope->domain, address), kind);
}

/* --- the export --------------------------------------------------------------------------------------------------- */

/* Marks the tasks that depend on the node, which is not closed yet. They wait, so that their edges stay as they are. */
static void mark_dependents(struct ghcomp_depend_domain *domain, struct ghcomp_depend_node *node)
{
    struct ghcomp_depend_node *rest = NULL;
    domain->mark++;
    for (;;) {
        uintptr_t head = ghcomp_load_relaxed(&node->successors);
        for (struct ghcomp_depend_edge *edge = (struct ghcomp_depend_edge *)head; edge != NULL; edge = edge->next)
            if (edge->to->mark != domain->mark) {
                edge->to->mark = domain->mark;
                edge->to->next = rest;
                rest = edge->to;
            }
        if (rest == NULL)
            return;
        node = rest;
        rest = node->next;
    }
}

static void hold_back(const struct ghcomp_depend_mention *child, const struct ghcomp_depend_address *at, uint32_t mark)
{
    for (struct ghcomp_depend_mention *mention = at->first; mention != NULL; mention = mention->later)
        if (mention->of->node->mark == mark && conflict(child->kind, mention->kind))
            push(mention->of->node, child->of->node);
}

/* The marked tasks wait for the scope's children, and for those exposed by these, where they conflict. */
static void hold_back_dependents(struct ghcomp_depend_domain *domain, const struct ghcomp_depend_scope *scope)
{
    for (const struct ghcomp_depend_place *place = scope->members; place != NULL; place = place->older)
        for (size_t i = 0; i < place->count; i++) {
            const struct ghcomp_depend_mention *child = &place->mentions[i];
            hold_back(child, &domain->all, domain->mark);
            if (child->at != &domain->all) {
                hold_back(child, child->at, domain->mark);
                continue;
            }
            for (uint32_t k = 0; k < UINT32_C(1) << domain->bits; k++)
                for (struct ghcomp_depend_address *at = domain->buckets[k]; at != NULL; at = at->next)
                    hold_back(child, at, domain->mark);
        }
    for (const struct ghcomp_depend_scope *below = scope->below; below != NULL; below = below->beside)
        if (below->exposed != 0)
            hold_back_dependents(domain, below);
}

void ghcomp_ledger_expose(struct ghcomp_depend_domain *domain, struct ghcomp_depend_place *place)
{
    struct ghcomp_depend_scope *scope = place->own;
    if (!scope->exports || (scope->members == NULL && scope->below == NULL))
        return;
    scope->exposed = ++domain->exposures;
    if (ghcomp_load_relaxed(&place->node->successors) == 0)
        return;
    mark_dependents(domain, place->node);
    hold_back_dependents(domain, scope);
}
