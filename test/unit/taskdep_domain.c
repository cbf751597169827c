/* Transparent tasks: random trees of tasks. Each transparent one depends on those before it, so all leaves that name a
   common address run in the order of a program without OpenMP, whatever generation they are of; plain variables hold
   the results, so that ThreadSanitizer checks that order, too. Scopes that only import, or only export; what is left
   in memory. */
#include "core/task/taskdep_domain.h"

#include <stdlib.h>
#include <string.h>

#include "core/state/settings.h"
#include "core/sync/barrier_flags.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/taskdep.h"
#include "core/task/taskgroup.h"
#include "core/team/team.h"
#include "host/os.h"
#include "unit.h"

enum { VARIABLES = 5, MOST = 4000 };
enum { IMPEX = GHCOMP_DEPEND_IMPORTS | GHCOMP_DEPEND_EXPORTS };

/* A node of the random tree. */
struct knot {
    struct knot *child[8];
    int children;
    bool transparent, undeferred, waits, detached;
    int kind[VARIABLES];   /* of leaves: 0, GHCOMP_DEPEND_IN or _OUT */
    bool all;
    uint64_t saw, expected; /* plain */
};

static struct knot knots[MOST];
static int used;
static uint64_t variable[VARIABLES]; /* plain */
static char name[VARIABLES], chain;
static uint64_t seed;

static uint32_t any(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

static struct knot *grow(int depth)
{
    struct knot *knot = &knots[used++];
    *knot = (struct knot){.transparent = depth > 0 && any(3) != 0};
    knot->undeferred = any(8) == 0;
    knot->detached = any(8) == 0;
    if (!knot->transparent) {
        knot->all = any(12) == 0;
        for (int i = 0; i < VARIABLES; i++)
            knot->kind[i] = any(3) != 0 ? 0 : any(2) == 0 ? GHCOMP_DEPEND_IN : GHCOMP_DEPEND_OUT;
        return knot;
    }
    knot->waits = any(4) == 0;
    for (knot->children = 1 + (int)any(7); used < MOST && knot->child[knot->children - 1] == NULL;) {
        int at = 0;
        while (knot->child[at] != NULL)
            at++;
        knot->child[at] = grow(depth - 1);
    }
    while (knot->children > 0 && knot->child[knot->children - 1] == NULL)
        knot->children--;
    return knot;
}

static uint64_t mix(uint64_t value, uint64_t with)
{
    return (value ^ with) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static uint64_t act(const struct knot *knot)
{
    uint64_t saw = 0, number = (uint64_t)(knot - knots);
    for (int i = 0; i < VARIABLES; i++)
        if (knot->kind[i] != 0 || knot->all)
            saw = mix(saw, variable[i]);
    for (int i = 0; i < VARIABLES; i++)
        if (knot->kind[i] == GHCOMP_DEPEND_OUT || knot->all)
            variable[i] = mix(variable[i], number);
    return saw;
}

static void serially(struct knot *knot)
{
    if (!knot->transparent)
        knot->expected = act(knot);
    for (int i = 0; i < knot->children; i++)
        serially(knot->child[i]);
}

static void make(struct knot *knot);

static void run(void *data)
{
    struct knot *knot;
    memcpy(&knot, data, sizeof knot);
    if (!knot->transparent)
        knot->saw = act(knot);
    for (int i = 0; i < knot->children; i++)
        make(knot->child[i]);
    if (knot->waits)
        ghcomp_task_wait(ghcomp_self());
    if (knot->detached)
        ghcomp_task_fulfill(ghcomp_self()->task);
}

/* The ABI's list: outs, then ins. */
static int list_of(const struct knot *knot, void **list)
{
    int outs = 0, ins = 0;
    if (knot->transparent || knot->all)
        list[2 + outs++] = knot->all ? NULL : &chain;
    for (int i = 0; i < VARIABLES; i++)
        if (knot->kind[i] == GHCOMP_DEPEND_OUT)
            list[2 + outs++] = &name[i];
    for (int i = 0; i < VARIABLES; i++)
        if (knot->kind[i] == GHCOMP_DEPEND_IN)
            list[2 + outs + ins++] = &name[i];
    if (!knot->transparent)
        list[2 + outs + ins++] = &chain; /* else it depends on no exporting task */
    list[0] = (void *)(intptr_t)(outs + ins);
    list[1] = (void *)(intptr_t)outs;
    return outs + ins;
}

static void make(struct knot *knot)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *task = ghcomp_task_new(self, run, sizeof knot, sizeof knot, 0);
    void *list[4 + VARIABLES];
    memcpy(task->data, &knot, sizeof knot);
    if (knot->detached)
        ghcomp_task_detachable(task);
    if (knot->undeferred)
        ghcomp_task_undefer(task);
    if (knot->transparent)
        ghcomp_task_open(self, task, IMPEX);
    if (list_of(knot, list) > 0)
        ghcomp_task_depend(self, task, list);
    ghcomp_task_submit(self, task);
}

static void root(void *data)
{
    struct knot **tree = data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid != 0)
        return;
    ghcomp_taskgroup_start(self);
    for (int i = 0; i < 12; i++)
        make(tree[i]);
    if (any(2) == 0)
        ghcomp_task_wait(self);
    ghcomp_taskgroup_end(self);
}

static void forest(uint32_t threads)
{
    struct knot *tree[12];
    used = 0;
    for (int i = 0; i < 12; i++)
        tree[i] = grow(used < MOST / 2 ? (int)any(4) : 0);
    memset(variable, 0, sizeof variable);
    for (int i = 0; i < 12; i++)
        serially(tree[i]);
    memset(variable, 0, sizeof variable);
    ghcomp_team_parallel(root, tree, threads, 0);
    for (int i = 0; i < used; i++)
        CHECK_EQUAL(knots[i].expected, knots[i].saw);
}

/* --- one direction only ------------------------------------------------------------------------------------------- */

static _Atomic uint32_t gate;

static void await_gate(void *data)
{
    (void)data;
    while (ghcomp_load_acquire(&gate) == 0)
        ghcomp_os_yield();
}

static void open_gate(void *data)
{
    (void)data;
    ghcomp_store_release(&gate, 1u);
}

static void submit(void (*fn)(void *), unsigned impex, void *out, void *first_in, void *second_in)
{
    struct ghcomp_member *self = ghcomp_self();
    struct ghcomp_task *task = ghcomp_task_new(self, fn, 0, 0, 0);
    void *list[5];
    uintptr_t outs = out != NULL, count = outs + (first_in != NULL) + (second_in != NULL), at = 2;
    list[0] = (void *)count;
    list[1] = (void *)outs;
    if (out != NULL)
        list[at++] = out;
    if (first_in != NULL)
        list[at++] = first_in;
    if (second_in != NULL)
        list[at++] = second_in;
    if (impex != 0)
        ghcomp_task_open(self, task, impex);
    if (count > 0)
        ghcomp_task_depend(self, task, list);
    ghcomp_task_submit(self, task);
}

static void child_opens(void *data)
{
    (void)data;
    submit(open_gate, 0, NULL, &name[0], NULL);
}

static void child_waits(void *data)
{
    (void)data;
    submit(await_gate, 0, &name[0], NULL, NULL);
}

/* The child of one that only exports does not wait for its parent's sibling. */
static void exports_only(void *data)
{
    (void)data;
    if (ghcomp_self()->tid != 0)
        return;
    submit(await_gate, 0, &name[0], NULL, NULL);
    submit(child_opens, GHCOMP_DEPEND_EXPORTS, NULL, NULL, NULL);
    ghcomp_task_wait(ghcomp_self());
}

/* ... and a sibling does not wait for the child of one that only imports. */
static void imports_only(void *data)
{
    (void)data;
    if (ghcomp_self()->tid != 0)
        return;
    submit(child_waits, GHCOMP_DEPEND_IMPORTS, &chain, NULL, NULL);
    submit(open_gate, 0, NULL, &chain, &name[0]);
    ghcomp_task_wait(ghcomp_self());
}

static void one_way(void (*fn)(void *))
{
    for (int i = 0; i < 50; i++) {
        ghcomp_store_relaxed(&gate, 0u);
        ghcomp_team_parallel(fn, NULL, 3, 0);
    }
}

/* --- what is left ------------------------------------------------------------------------------------------------- */

static void nothing(void *data)
{
    (void)data;
}

static void in_a_row(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid != 0)
        return;
    submit(nothing, 0, &name[0], NULL, NULL); /* a table of its own first */
    for (int i = 0; i < 1000; i++) {
        submit(nothing, IMPEX, &name[i % VARIABLES], NULL, NULL);
        if (i % 100 != 99)
            continue;
        ghcomp_task_wait(self);
        CHECK(self->task->table == NULL); /* no task is left, and no scope */
    }
}

/* A transparent task waits for a child, and that for an earlier task that only this thread can run: it lies in the
   thread's overflow list, below others, which the transparent task's children may wait for (`dependent`) or not. And
   then it makes so many children that some of them lie there, too. The other thread is at no scheduling point. */
static _Atomic uint32_t deep_is_over;
static bool dependent;
static uint32_t small;         /* plain: one thread runs all */

static void count_small(void *data)
{
    (void)data;
    small++;
}

static void fill_deque(void)
{
    for (int i = 0; i < (int)ghcomp_self()->team->task_room.any; i++)
        submit(count_small, 0, NULL, NULL, NULL);
}

static void waits_for_the_lowest(void *data)
{
    (void)data;
    submit(count_small, 0, &name[0], NULL, NULL);
    ghcomp_task_wait(ghcomp_self());
    fill_deque();
    for (int i = 0; i < 5; i++)
        submit(count_small, 0, NULL, NULL, NULL);
    ghcomp_task_wait(ghcomp_self());
}

static void in_overflow(void *data)
{
    (void)data;
    enum { ABOVE = 30 };
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid != 0) {
        while (!ghcomp_load_acquire(&deep_is_over))
            ghcomp_os_yield();
        return;
    }
    small = 0;
    fill_deque();
    submit(count_small, 0, &name[0], NULL, NULL);
    for (int i = 0; i < ABOVE; i++)
        submit(count_small, 0, dependent ? &name[1] + i % 3 : NULL, NULL, NULL);
    submit(waits_for_the_lowest, IMPEX, &chain, NULL, NULL);
    ghcomp_task_wait(self);
    CHECK_EQUAL(2 * self->team->task_room.any + 2 + ABOVE + 5, small);
    ghcomp_store_release(&deep_is_over, 1u);
}

static void overflowing(bool others)
{
    dependent = others;
    ghcomp_store_relaxed(&deep_is_over, 0u);
    ghcomp_settings.task_throttling = false;
    ghcomp_team_parallel(in_overflow, NULL, 2, 0);
    ghcomp_settings.task_throttling = true;
}

/* A task that lives for long, and waits for its children now and then, puts more tasks into its thread's overflow list
   over time than marks can count. The list is as short as ever, so that its numbers are used again. */
static void makes_many(void *data)
{
    (void)data;
    enum { OVER = 20, TIMES = 10 };
    struct ghcomp_member *self = ghcomp_self();
    uint32_t before = self->overflow_next;
    for (int i = 1; i <= TIMES; i++) {
        small = 0;
        fill_deque();
        for (int k = 0; k < OVER; k++)
            submit(count_small, 0, NULL, NULL, NULL);
        CHECK(self->overflow != NULL);
        ghcomp_task_wait(self);
        CHECK_EQUAL(self->team->task_room.any + OVER, small);
        CHECK(self->overflow == NULL);
        CHECK_EQUAL(before, self->overflow_next);
    }
    ghcomp_store_release(&deep_is_over, 1u);
}

static void for_long(void *data)
{
    (void)data;
    if (ghcomp_self()->tid == 0) {
        submit(makes_many, 0, NULL, NULL, NULL);
        ghcomp_task_wait(ghcomp_self());
    }
    while (!ghcomp_load_acquire(&deep_is_over)) /* at no scheduling point */
        ghcomp_os_yield();
}

static void overflowing_for_long(void)
{
    ghcomp_store_relaxed(&deep_is_over, 0u);
    ghcomp_settings.task_throttling = false;
    ghcomp_team_parallel(for_long, NULL, 2, 0);
    ghcomp_settings.task_throttling = true;
}

int main(void)
{
    ghcomp_env_init();
    ghcomp_flags_to = ghcomp_unfenced_to = GHCOMP_BARRIER_FLAGS;
    (void)ghcomp_self();
    for (int round = 0; round < 400; round++) {
        static const uint32_t sizes[] = {1, 2, 3, 5};
        seed = (uint64_t)round * 977;
        forest(sizes[round % 4]);
    }
    one_way(exports_only);
    one_way(imports_only);
    ghcomp_team_parallel(in_a_row, NULL, 1, 0);
    ghcomp_team_parallel(in_a_row, NULL, 3, 0);
    overflowing(false);
    overflowing(true);
    overflowing_for_long();
    return 0;
}
