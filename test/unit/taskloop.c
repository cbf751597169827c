/* How taskloops are split at the ends of their types, which no program of libgomp's tests; that each task has its own
   data wherever it runs; and that a task which waits for all others waits for none of its own thread. Under ASan+UBSan
   and TSan. */
#include "unit.h"

#include <limits.h>

#include "core/state/settings.h"
#include "core/task/deque.h"
#include "core/task/task.h"
#include "core/task/task_defer.h"
#include "core/task/taskgroup.h"
#include "core/task/taskloop.h"
#include "core/team/team.h"

enum { MOST = 3000, ALIGN = 256 };

struct data {
    uint64_t bounds[2];
    uintptr_t *array;
    uint64_t mark;
    char copied, large[200];
} __attribute__((aligned(ALIGN)));

static uint64_t seen[MOST][2];
static _Atomic uint32_t tasks, copies;

static void body(void *arg)
{
    struct data *data = arg;
    CHECK_EQUAL(0, (uintptr_t)data % ALIGN);
    CHECK_EQUAL(4711, data->mark);
    uint32_t number = ghcomp_add_relaxed(&tasks, 1u);
    CHECK(number < MOST);
    seen[number][0] = data->bounds[0];
    seen[number][1] = data->bounds[1];
    data->bounds[0] = data->bounds[1] = 99;
}

static void copy(void *to, void *from)
{
    *(struct data *)to = *(struct data *)from;
    ((struct data *)to)->copied = 1;
    ghcomp_add_relaxed(&copies, 1u);
}

static void run(struct ghcomp_loop_range range, unsigned flags, uint64_t amount)
{
    ghcomp_store_relaxed(&tasks, 0u);
    ghcomp_store_relaxed(&copies, 0u);
    static const unsigned more[] = {GHCOMP_TASK_FLAG_IF, 0, GHCOMP_TASK_FLAG_IF | GHCOMP_TASK_FLAG_PRIORITY};
    static unsigned turn;
    turn++;
    struct data data = {.mark = 4711};
    struct ghcomp_taskloop loop = {body, &data, turn % 2 ? copy : NULL, sizeof data, ALIGN, flags | more[turn % 3],
                                   amount, 3, NULL};
    ghcomp_taskloop_run(ghcomp_self(), &loop, range);
    CHECK_EQUAL(turn % 2 ? tasks : 0, copies);
}

/* The tasks cover start, start + step, ... without a gap, there are `count` of them, and the last one ends with the
   loop. */
static void covers(struct ghcomp_loop_range range, uint64_t total, uint64_t count, uint64_t least, uint64_t most)
{
    CHECK_EQUAL(count, tasks);
    uint64_t at = range.start, iterations = 0;
    for (uint64_t k = 0; k < count; k++) {
        uint32_t i = 0;
        while (i < count && (seen[i][0] != at || (k + 1 < count) == (seen[i][1] == range.end)))
            i++;
        CHECK(i < count);
        if (k + 1 == count) {
            CHECK(total - iterations <= most && (total - iterations >= least || least == most));
            return;
        }
        uint64_t size = (seen[i][1] - seen[i][0]) / range.increment;
        if ((int64_t)range.increment < 0)
            size = (seen[i][0] - seen[i][1]) / -range.increment;
        CHECK(size >= least && size <= most);
        iterations += size;
        at = seen[i][1];
    }
}

static void check(struct ghcomp_loop_range range, uint64_t total)
{
    static const uint64_t amounts[] = {1, 2, 7, 1000, UINT64_MAX / 2, UINT64_MAX / 7 * 3, UINT64_MAX - 1, UINT64_MAX};
    CHECK(ghcomp_loop_count(&range) == total);
    for (unsigned a = 0; a < sizeof amounts / sizeof *amounts; a++) {
        uint64_t amount = amounts[a], count = amount < total ? amount : total;
        if (count <= MOST) {
            run(range, 0, amount);
            covers(range, total, count, total / count, total / count + (total % count != 0));
        }
        count = total / amount > 1 ? total / amount : 1;
        if (count <= MOST) {
            run(range, GHCOMP_TASK_FLAG_GRAINSIZE, amount);
            covers(range, total, count, total / count, total / count + (total % count != 0));
        }
        count = total / amount + (total % amount != 0);
        if (count <= MOST) {
            run(range, GHCOMP_TASK_FLAG_GRAINSIZE | GHCOMP_TASK_FLAG_STRICT, amount);
            covers(range, total, count, count == 1 ? total : amount, count == 1 ? total : amount);
        }
    }
    uint64_t size = ghcomp_self()->team->size, count = size < total ? size : total;
    run(range, 0, 0);
    covers(range, total, count, total / count, total / count + (total % count != 0));
    run(range, GHCOMP_TASK_FLAG_GRAINSIZE, 0);
    covers(range, total, count, total / count, total / count + (total % count != 0));
}

static void everything(void *data)
{
    (void)data;
    if (ghcomp_self()->tid != 0)
        return;
    check(ghcomp_loop_range_signed(LONG_MIN, LONG_MAX, 1), UINT64_MAX);
    check(ghcomp_loop_range_signed(LONG_MAX, LONG_MIN, -1), UINT64_MAX);
    check(ghcomp_loop_range_signed(LONG_MIN, LONG_MAX, LONG_MAX), 3);
    check(ghcomp_loop_range_signed(LONG_MAX, LONG_MIN, LONG_MIN), 2);
    check(ghcomp_loop_range_signed(LONG_MAX - 5, LONG_MAX, 7), 1);
    check(ghcomp_loop_range_signed(-3, LONG_MAX, 1L << 50), 8193);
    check(ghcomp_loop_range_unsigned(true, 0, UINT64_MAX, 1), UINT64_MAX);
    check(ghcomp_loop_range_unsigned(true, UINT64_MAX - 100, UINT64_MAX, 7), 15);
    check(ghcomp_loop_range_unsigned(false, UINT64_MAX, 0, -(uint64_t)1), UINT64_MAX);
    check(ghcomp_loop_range_unsigned(false, 100, 0, -(uint64_t)7), 15);
    check(ghcomp_loop_range_unsigned(true, 1, UINT64_MAX, UINT64_C(1) << 63), 2);
}

/* --- the rest of a loop is never kept from idle threads ----------------------------------------------------------- */

enum { WAITED_FOR = 100 };
static _Atomic uint32_t others;

/* The first task of the loop waits for all others. */
static void wait_for_others(void *arg)
{
    struct data *data = arg;
    if (data->bounds[0] != 0)
        ghcomp_add_relaxed(&others, 1u);
    while (data->bounds[0] == 0 && ghcomp_load_relaxed(&others) < WAITED_FOR)
        ghcomp_os_yield();
}

static void the_first_waits(void *data)
{
    (void)data;
    if (ghcomp_self()->tid != 0)
        return;
    struct data own = {.mark = 4711};
    struct ghcomp_taskloop loop = {wait_for_others, &own, NULL, sizeof own, ALIGN,
                                   GHCOMP_TASK_FLAG_IF | GHCOMP_TASK_FLAG_GRAINSIZE, 1, 0, NULL};
    ghcomp_store_relaxed(&others, 0u);
    ghcomp_taskloop_run(ghcomp_self(), &loop, ghcomp_loop_range_signed(0, WAITED_FOR + 1, 1));
}

/* --- a thread that takes the rest back has not emptied its deque -------------------------------------------------- */

static _Atomic bool over;

static void nothing(void *data)
{
    (void)data;
}

/* Members but the first take no task until the first one's test is over. */
static bool stays_out(const struct ghcomp_member *self)
{
    if (self->tid == 0)
        return false;
    while (!ghcomp_load_acquire(&over))
        ghcomp_os_yield();
    return true;
}

/* The other member takes no task, so the rest is taken back each time. Thieves go by this count (task_take.c). */
static void alone_with_the_rest(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (stays_out(self))
        return;
    struct data own = {.mark = 4711};
    struct ghcomp_taskloop loop = {nothing, &own, NULL, sizeof own, ALIGN,
                                   GHCOMP_TASK_FLAG_IF | GHCOMP_TASK_FLAG_GRAINSIZE, 1, 0, NULL};
    for (int round = 0; round < 2; round++) {
        struct ghcomp_deque *deque = ghcomp_load_relaxed(&self->deque);
        uint32_t emptied = deque != NULL ? ghcomp_load_relaxed(&deque->emptied) : 0;
        ghcomp_taskloop_run(self, &loop, ghcomp_loop_range_signed(0, MOST, 1));
        deque = ghcomp_load_relaxed(&self->deque);
        CHECK(deque != NULL);
        CHECK_EQUAL(emptied, ghcomp_load_relaxed(&deque->emptied));
    }
    ghcomp_store_release(&over, true); /* pairs with the load of the other member */
}

/* --- a loop in a deep task, whose thread's deque has as many tiny tasks as those may be --------------------------- */

static void a_loop_in_a_deep_task(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (stays_out(self))
        return;
    struct data own = {.mark = 4711};
    struct ghcomp_taskloop loop = {body, &own, NULL, sizeof own, ALIGN,
                                   GHCOMP_TASK_FLAG_IF | GHCOMP_TASK_FLAG_GRAINSIZE, 1, 0, NULL};
    struct ghcomp_task *one = ghcomp_task_new(self, nothing, 8, 8, 0);
    CHECK(ghcomp_task_defer(self, one)); /* there is a deque from here on */
    ghcomp_store_relaxed(&self->task->depth, (uint32_t)GHCOMP_TASK_DEEP);
    for (uint32_t most = 1; most <= 3; most++) {
        self->deque->tiny = true;
        self->deque->narrow = most == 1;
        while (ghcomp_load_relaxed(&self->deque->bottom) - ghcomp_load_relaxed(&self->deque->top) < most)
            CHECK(ghcomp_task_defer(self, ghcomp_task_new(self, nothing, 8, 8, 0)));
        ghcomp_store_relaxed(&tasks, 0u);
        ghcomp_taskloop_run(self, &loop, ghcomp_loop_range_signed(0, 100, 1));
        CHECK_EQUAL(100, ghcomp_load_relaxed(&tasks));
    }
    ghcomp_store_relaxed(&self->task->depth, 0u);
    ghcomp_store_release(&over, true); /* pairs with the load of the other member */
}

int main(void)
{
    ghcomp_global.max_task_priority = 5;
    everything(NULL);
    for (uint32_t threads = 1; threads <= 5; threads += 2)
        ghcomp_team_parallel(everything, NULL, threads, 0);
    for (ghcomp_settings.taskloop_few = 1; ghcomp_settings.taskloop_few <= MOST; ghcomp_settings.taskloop_few *= MOST)
        ghcomp_team_parallel(everything, NULL, 3, 0);
    ghcomp_settings.taskloop_few = 0;
    for (int round = 0; round < 50; round++)
        ghcomp_team_parallel(the_first_waits, NULL, 2 + (uint32_t)round % 3, 0);
    ghcomp_team_parallel(alone_with_the_rest, NULL, 2, 0);
    ghcomp_store_relaxed(&over, false);
    ghcomp_team_parallel(a_loop_in_a_deep_task, NULL, 2, 0);
    return 0;
}
