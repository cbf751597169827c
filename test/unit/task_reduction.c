/* Task reductions from inside: the memory of constructs whose members leave at different times, also in cancelled
   regions, where some never come and others go on using theirs (nothing is freed too early, twice or never: ASan);
   items in any order; several arrays in one registration, which libgomp loses. */
#include "unit.h"

#include <string.h>

#include "core/sync/barrier.h"
#include "core/team/cancel.h"
#include "core/worksharing/loop.h"
#include "core/task/task.h"
#include "core/task/taskgroup.h"
#include "core/task/task_reduction.h"
#include "core/team/team.h"
#include "core/cpu/wait.h"

enum { ITEMS, BYTES, MEMORY, ALLOCATOR, NEXT, HOLD, END, FIRST_ITEM };
enum { MANY = 40, WORDS = FIRST_ITEM + 3 * MANY, EACH = 64 * MANY };

static long originals[2 * MANY];

static void fill(uintptr_t *array, uint32_t items, uintptr_t align, long *first)
{
    uintptr_t head[] = {items, EACH, align, (uintptr_t)-1, 0, 77, 77};
    memcpy(array, head, sizeof head);
    for (uint32_t k = 0; k < items; k++) {
        array[FIRST_ITEM + 3 * k] = (uintptr_t)&first[k];
        array[FIRST_ITEM + 3 * k + 1] = 64 * k;
    }
}

static long *mine(const uintptr_t *array, uint32_t item)
{
    return (long *)(array[MEMORY] + (uintptr_t)ghcomp_self()->tid * EACH + 64 * item);
}

static long sum(const uintptr_t *array, uint32_t item)
{
    long result = 0;
    for (uint32_t tid = 0; tid < ghcomp_self()->team->size; tid++)
        result += *(long *)(array[MEMORY] + (uintptr_t)tid * EACH + 64 * item);
    return result;
}

/* --- lookup ------------------------------------------------------------------------------------------------------- */

/* Items of two linked arrays, forwards, backwards, and in steps of 7, cyclically. */
static void add_all(void *data)
{
    uintptr_t *first = *(uintptr_t **)data, *second = (uintptr_t *)first[NEXT];
    for (int order = 0; order < 3; order++) {
        void *address[4 * MANY];
        uint32_t item[2 * MANY];
        for (uint32_t i = 0; i < 2 * MANY; i++) {
            item[i] = order == 0 ? i : order == 1 ? 2 * MANY - 1 - i : 7 * i % (2 * MANY);
            address[i] = &originals[item[i]];
            if (i % 3 == 2) /* the copy of another thread */
                address[i] = (void *)((item[i] < MANY ? first : second)[MEMORY] + 64 * (item[i] % MANY));
        }
        ghcomp_reduction_remap(ghcomp_self(), 2 * MANY, 2 * MANY, address);
        for (uint32_t i = 0; i < 2 * MANY; i++) {
            CHECK(address[i] == mine(item[i] < MANY ? first : second, item[i] % MANY));
            CHECK(address[2 * MANY + i] == &originals[item[i]]);
            ++*(long *)address[i];
        }
    }
}

static void linked(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    uintptr_t first[WORDS], second[WORDS], *both = first;
    for (uintptr_t align = 64; align <= 16384; align *= 16) {
        fill(first, MANY, 64, originals);
        fill(second, MANY, align, originals + MANY);
        first[NEXT] = (uintptr_t)second;
        ghcomp_taskgroup_start(self);
        ghcomp_reduction_register(self, first);
        CHECK_EQUAL(0, second[MEMORY] % align);
        CHECK(second[MEMORY] >= first[END]);
        enum { TASKS = 50 };
        for (int i = 0; i < TASKS; i++) {
            struct ghcomp_task *task = ghcomp_task_new(self, add_all, sizeof both, 8, 0);
            memcpy(task->data, &both, sizeof both);
            ghcomp_task_submit(self, task);
        }
        ghcomp_taskgroup_end(self);
        for (uint32_t k = 0; k < 2 * MANY; k++)
            CHECK_EQUAL(3 * TASKS, sum(k < MANY ? first : second, k % MANY));
        ghcomp_reduction_unregister(first);
    }
}

/* --- constructs --------------------------------------------------------------------------------------------------- */

static const struct ghcomp_loop_kind by_ones = {GHCOMP_SCHED_DYNAMIC, 1, GHCOMP_LOOP_RISING};

static void bump(void *data)
{
    (void)data;
    void *address = &originals[1];
    ghcomp_reduction_remap(ghcomp_self(), 1, 0, &address);
    ++*(long *)address;
}

/* Constructs with reductions around constructs without, whose work shares take the place of theirs. */
static void scopes(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    for (int round = 0; round < 100; round++) {
        uintptr_t array[WORDS];
        fill(array, 2, 64, originals);
        ghcomp_reduction_enter(self, array);
        for (int inner = 0; inner < 4; inner++) {
            ghcomp_loop_enter(self, ghcomp_loop_range_unsigned(true, 0, 10, 1), by_ones, NULL);
            while (ghcomp_loop_next(self))
                for (uint64_t i = self->chunk_begin; i < self->chunk_end; i++) {
                    ++*mine(array, 0);
                    ghcomp_task_submit(self, ghcomp_task_new(self, bump, 8, 8, 0));
                }
            ghcomp_loop_leave(self);
        }
        ghcomp_barrier_wait(self);
        if (self->tid == 0) {
            CHECK_EQUAL(40, sum(array, 0));
            CHECK_EQUAL(40, sum(array, 1));
        }
        ghcomp_reduction_leave(self, false);
    }
}

static _Atomic uint32_t inside, outside;

/* Member `absent` cancels the region and never comes. The others come one after the other: each uses its copy and
   leaves before the next one comes. */
static void cancelled(void *data)
{
    uint32_t absent = *(uint32_t *)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == absent) {
        ghcomp_cancel(self, GHCOMP_CANCEL_PARALLEL);
        return;
    }
    uint32_t turn = self->tid - (self->tid > absent);
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    while (ghcomp_load_acquire(&outside) < turn)
        ghcomp_spin_again(&spin);
    uintptr_t array[WORDS];
    fill(array, 2, 64, originals);
    ghcomp_reduction_enter(self, array);
    ++*mine(array, 0);
    CHECK_EQUAL(turn + 1, sum(array, 0));
    while (!ghcomp_barrier_wait_cancellable(self))
        ;
    ++*mine(array, 1);
    ghcomp_reduction_leave(self, true);
    ghcomp_add_acqrel(&outside, 1u);
}

/* All others are in the construct at the same time, and leave one after the other. */
static void cancelled_together(void *data)
{
    uint32_t absent = *(uint32_t *)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == absent) {
        ghcomp_cancel(self, GHCOMP_CANCEL_PARALLEL);
        return;
    }
    uintptr_t array[WORDS];
    fill(array, 2, 64, originals);
    ghcomp_reduction_enter(self, array);
    ghcomp_add_acqrel(&inside, 1u);
    while (!ghcomp_barrier_wait_cancellable(self))
        ;
    uint32_t turn = self->tid - (self->tid > absent);
    struct ghcomp_spin spin = ghcomp_spin_start(GHCOMP_WAIT_POST);
    while (ghcomp_load_acquire(&inside) + 1 < self->team->size || ghcomp_load_acquire(&outside) < turn)
        ghcomp_spin_again(&spin);
    ++*mine(array, 1);
    CHECK_EQUAL(turn + 1, sum(array, 1));
    ghcomp_reduction_leave(self, true);
    ghcomp_add_acqrel(&outside, 1u);
}

static void cancelled_regions(void)
{
    ghcomp_global.cancel = true;
    for (uint32_t threads = 1; threads <= 5; threads += 2)
        for (uint32_t absent = 0; absent < threads; absent++) {
            inside = outside = 0;
            ghcomp_team_parallel(cancelled, &absent, threads, 0);
            CHECK_EQUAL(threads - 1, outside);
            outside = 0;
            ghcomp_team_parallel(cancelled_together, &absent, threads, 0);
            CHECK_EQUAL(threads - 1, outside);
            ghcomp_team_parallel(scopes, NULL, threads, 0);
        }
    ghcomp_global.cancel = false;
}

/* --- parallel ----------------------------------------------------------------------------------------------------- */

static void member(void *data)
{
    uintptr_t *array = *(uintptr_t **)data;
    struct ghcomp_member *self = ghcomp_self();
    void *address = &originals[0];
    ghcomp_reduction_remap(self, 1, 0, &address);
    CHECK(address == mine(array, 0));
    ++*(long *)address;
    for (int i = 0; i < 20; i++)
        ghcomp_task_submit(self, ghcomp_task_new(self, bump, 8, 8, 0));
}

int main(void)
{
    linked(NULL);
    scopes(NULL);
    for (uint32_t threads = 1; threads <= 5; threads += 2) {
        ghcomp_team_parallel(linked, NULL, threads, 0);
        ghcomp_team_parallel(scopes, NULL, threads, 0);
        for (int round = 0; round < 20; round++) {
            uintptr_t array[WORDS], *data = array;
            fill(array, 2, 64, originals);
            CHECK_EQUAL(threads, ghcomp_reduction_parallel(member, &data, threads, 0));
            long items[2] = {0, 0};
            for (uint32_t tid = 0; tid < threads; tid++)
                for (uint32_t item = 0; item < 2; item++)
                    items[item] += *(long *)(array[MEMORY] + (uintptr_t)tid * EACH + 64 * item);
            CHECK_EQUAL(threads, items[0]);
            CHECK_EQUAL(20 * threads, items[1]);
            ghcomp_reduction_unregister(array);
        }
    }
    cancelled_regions();
    return 0;
}
