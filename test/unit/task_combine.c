/* Reductions over tasks whose copies the runtime makes: only the threads that run tasks have copies, each is
   initialised once and finished once; items of all sizes; addresses of originals and of copies, in the group and in
   one around it; constructs of whole teams, also where members leave at different times and where a cancelled
   region loses some (ASan: nothing is freed too early, twice or never). */
#include "unit.h"

#include <string.h>

#include "core/sync/barrier.h"
#include "core/task/task.h"
#include "core/task/task_combine.h"
#include "core/task/taskgroup.h"
#include "core/team/team.h"

enum { TASKS = 300, LARGE = 1000 };

static _Atomic int begun, finished;

static void init(void *copy, void *original)
{
    CHECK_EQUAL(0, *(long *)copy);
    CHECK_EQUAL(42, *(long *)original);
    ghcomp_add_relaxed(&begun, 1);
    *(long *)copy = 500;
}

static void finish(void *copy)
{
    *(long *)copy = -1;
    ghcomp_add_relaxed(&finished, 1);
}

static void add_long(void *into, void *from)
{
    *(long *)into += *(long *)from - 500;
}

static void add_char(void *into, void *from)
{
    *(char *)into = (char)(*(char *)into + *(char *)from);
}

static void add_large(void *into, void *from)
{
    for (int i = 0; i < LARGE; i++)
        ((int *)into)[i] += ((int *)from)[i];
}

struct variables {
    long sum;
    char small;
    int large[LARGE];
};

static long forty_two = 42;

static void describe(struct ghcomp_combine_item *items, struct variables *of)
{
    items[0] = (struct ghcomp_combine_item){&of->small, NULL, 1, NULL, NULL, add_char};
    items[1] = (struct ghcomp_combine_item){(char *)&of->sum, &forty_two, sizeof of->sum, init, finish, add_long};
    items[2] = (struct ghcomp_combine_item){(char *)of->large, NULL, sizeof of->large, NULL, NULL, add_large};
}

static void *copy(void *address)
{
    struct ghcomp_member *self = ghcomp_self();
    return ghcomp_combine_copy(self, self->task->group, address);
}

static void add(void *data)
{
    struct variables *of = *(struct variables **)data;
    long *sum = copy(&of->sum);
    CHECK(copy(sum) == sum);
    ++*sum;
    char *small = copy(&of->small);
    CHECK((void *)small != (void *)sum && copy(small) == small);
    *small = (char)(*small + 1);
    int *element = copy(&of->large[LARGE - 1]);
    CHECK((uintptr_t)(element - (LARGE - 1)) % GHCOMP_CACHE_LINE == 0 || element == &of->large[LARGE - 1]);
    CHECK(copy(element) == element);
    ++*element;
}

static void make(struct variables *of, int tasks)
{
    struct ghcomp_member *self = ghcomp_self();
    for (int i = 0; i < tasks; i++) {
        struct ghcomp_task *task = ghcomp_task_new(self, add, sizeof of, 8, 0);
        *(struct variables **)task->data = of;
        ghcomp_task_submit(self, task);
    }
}

static void check(const struct variables *of, int tasks)
{
    CHECK_EQUAL(tasks, of->sum);
    CHECK_EQUAL((char)tasks, of->small);
    CHECK_EQUAL(tasks, of->large[LARGE - 1]);
    CHECK_EQUAL(0, of->large[0]);
}

/* A group, and one in it that reduces something else: tasks of the inner one find the variables of both. */
static void group(void)
{
    struct ghcomp_member *self = ghcomp_self();
    struct variables outer = {0}, inner = {0};
    struct ghcomp_combine_item items[3];
    ghcomp_taskgroup_start(self);
    describe(items, &outer);
    ghcomp_combine_register(self, items, 3);
    make(&outer, TASKS);
    ghcomp_taskgroup_start(self);
    describe(items, &inner);
    ghcomp_combine_register(self, items, 3);
    make(&inner, TASKS);
    make(&outer, TASKS);
    ghcomp_taskgroup_end(self);
    check(&inner, TASKS);
    ghcomp_taskgroup_end(self);
    check(&outer, 2 * TASKS);
}

static void groups(void *data)
{
    (void)data;
    if (ghcomp_self()->tid == 0)
        group();
}

/* --- constructs of a whole team ----------------------------------------------------------------------------------- */

static struct variables each[8];

static void construct(void *data)
{
    int rounds = *(int *)data;
    struct ghcomp_member *self = ghcomp_self();
    struct variables *mine = &each[self->tid];
    for (int round = 0; round < rounds; round++) {
        struct ghcomp_combine_item items[3];
        *mine = (struct variables){0};
        describe(items, mine);
        ghcomp_combine_enter(self, items, 3);
        make(mine, (int)self->tid * 20);
        ghcomp_combine_leave(self);
        ghcomp_barrier_wait(self);
        if (self->tid == 0) {
            struct variables total = {0};
            for (uint32_t k = 0; k < self->team->size; k++) {
                total.sum += each[k].sum;
                total.small = (char)(total.small + each[k].small);
                total.large[LARGE - 1] += each[k].large[LARGE - 1];
            }
            check(&total, (int)(10 * self->team->size * (self->team->size - 1)));
        }
        ghcomp_barrier_wait(self);
    }
}

/* Only some members come, as in a cancelled region. */
static void incomplete(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid % 2 != 0)
        return;
    struct ghcomp_combine_item items[3];
    struct variables mine = {0};
    describe(items, &mine);
    ghcomp_combine_enter(self, items, 3);
    make(&mine, 10);
    ghcomp_combine_leave(self);
    if (self->team->size > 1)
        CHECK_EQUAL(0, mine.sum);
}

int main(void)
{
    for (uint32_t size = 1; size <= 8; size *= 2) {
        int rounds = 50;
        ghcomp_store_relaxed(&begun, 0);
        ghcomp_store_relaxed(&finished, 0);
        ghcomp_team_parallel(groups, NULL, size, 0);
        ghcomp_team_parallel(construct, &rounds, size, 0);
        CHECK_EQUAL(ghcomp_load_relaxed(&begun), ghcomp_load_relaxed(&finished));
        /* In a team of one there are copies only where free agents may come. */
    CHECK((size > 1 || ghcomp_agents_most() > 0) == (ghcomp_load_relaxed(&begun) > 0));
        ghcomp_team_parallel(incomplete, NULL, size, 0);
    }
    return 0;
}
