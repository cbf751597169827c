/* Tasks with a transparent clause, as calls of clang 23's entries: bit 0x100 of the flags. The rows are the rules of
   OpenMP 6.0, sections 17.9.5 (the four ways to be a preceding dependence-compatible task) and 17.9.6. A task that must
   not run yet has every chance to: the one that holds it back goes on when the maker has yielded many times.
   ghcomp-only: libomp ignores the flag */
#include "task_abi.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../conformance/common.h"
#include "../conformance/gate.h"

enum { TRANSPARENT = 0x100, NONE = 0 };

void __kmpc_omp_task_begin_if0(ident_t *, int32_t, task_t *);
void __kmpc_omp_task_complete_if0(ident_t *, int32_t, task_t *);

static int x, y, z, h;        /* names */
static int began, held, done, free_ran, forked;

static void reset(void)
{
    began = held = done = free_ran = 0;
}

static task_t *make(int flags, task_fn fn, long argument)
{
    task_t *task = __kmpc_omp_task_alloc(&here, __kmpc_global_thread_num(&here), TIED | flags, sizeof *task, 0, fn);
    task->own[0] = argument;
    return task;
}

static void submit(int flags, task_fn fn, long argument, int *first, int first_kind, int *second, int second_kind)
{
    depend_t list[2] = {{first, 4, (uint8_t)first_kind}, {second, 4, (uint8_t)second_kind}};
    int count = (first_kind != NONE) + (second_kind != NONE), thread = __kmpc_global_thread_num(&here);
    task_t *task = make(flags, fn, argument);
    if (count == 0)
        __kmpc_omp_task(&here, thread, task);
    else
        __kmpc_omp_task_with_deps(&here, thread, task, count, list, 0, NULL);
}

/* The held task: it runs until the maker lets it go. The second form says when it is done, too. */
static int32_t hold_quietly(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    open_gate(&began);
    wait_for(&held);
    return 0;
}

static int32_t hold(int32_t thread, task_t *task)
{
    hold_quietly(thread, task);
    open_gate(&done);
    return 0;
}

static int32_t after_held(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    CHECK(look(&done) == 1);
    return 0;
}

/* Runs while the other one is held. */
static int32_t free_one(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    count_up(&free_ran);
    return 0;
}

static void let_go(int when_free_ran)
{
    wait_until(&free_ran, when_free_ran);
    for (int i = 0; i < 2000; i++)
        sched_yield();
    open_gate(&held);
    __kmpc_omp_taskwait(&here, __kmpc_global_thread_num(&here));
}

/* 17.9.6, omp_import: a child depends on its parent's siblings, by address. */
static int32_t two_children(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    submit(0, after_held, 0, &x, IN, NULL, NONE);
    submit(0, free_one, 0, &y, INOUT, NULL, NONE);
    return 0;
}

static void imports(void)
{
    submit(0, hold, 0, &x, OUT, NULL, NONE);
    submit(TRANSPARENT, two_children, 0, NULL, NONE, NULL, NONE);
    let_go(1);
}

/* ... and if the parent has not the clause, it does not. */
static int32_t free_child(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    submit(0, free_one, 0, &x, IN, NULL, NONE);
    return 0;
}

static void plain(void)
{
    submit(0, hold, 0, &x, OUT, NULL, NONE);
    submit(0, free_child, 0, NULL, NONE, NULL, NONE);
    let_go(1);
}

/* Third rule: the children of an exporting task come before the tasks that depend on it, also if these were made before
   the children were; a task that does not name the address goes on. */
static int32_t held_child(int32_t thread, task_t *task)
{
    (void)thread;
    wait_until(&free_ran, (int)task->own[0]);
    submit(0, hold, 0, &x, OUT, NULL, NONE);
    return 0;
}

static void exports(void)
{
    submit(TRANSPARENT, held_child, 0, &h, OUT, NULL, NONE);
    submit(0, after_held, 0, &h, IN, &x, INOUT);
    submit(0, free_one, 0, &h, IN, &y, INOUT);
    let_go(1);
}

/* ... through other tasks, too; here all of them are made before the child is. */
static void exports_far(void)
{
    submit(TRANSPARENT, held_child, 1, &h, OUT, NULL, NONE);
    submit(0, free_one, 0, &y, INOUT, NULL, NONE);
    submit(0, free_one, 0, &h, IN, &z, OUT);
    submit(0, after_held, 0, &z, IN, &x, IN);
    let_go(2);
}

/* First to third: generations. The grandchild is held; a task in a later transparent one waits for it. */
static int32_t held_grandchild(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    submit(TRANSPARENT, held_child, 0, &y, INOUT, NULL, NONE);
    return 0;
}

static int32_t waiting_child(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    submit(0, after_held, 0, &y, IN, &x, IN);
    submit(0, free_one, 0, &z, IN, NULL, NONE);
    return 0;
}

static void generations(void)
{
    submit(TRANSPARENT, held_grandchild, 0, &h, INOUT, NULL, NONE);
    submit(TRANSPARENT, waiting_child, 0, &h, INOUT, NULL, NONE);
    let_go(1);
}

/* Fourth rule: an undeferred exporting task, without a dependence. */
static void undeferred(void)
{
    int thread = __kmpc_global_thread_num(&here);
    task_t *task = make(TRANSPARENT, held_child, 0);
    __kmpc_omp_task_begin_if0(&here, thread, task);
    held_child(thread, task);
    __kmpc_omp_task_complete_if0(&here, thread, task);
    submit(0, after_held, 0, &x, IN, NULL, NONE);
    submit(0, free_one, 0, &y, IN, NULL, NONE);
    let_go(1);
}

/* omp_all_memory of a child, and of what it waits for. */
static int32_t child_of_all(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    submit(0, after_held, 0, &y, ALL_MEMORY, NULL, NONE);
    return 0;
}

static void all_memory(void)
{
    submit(0, hold, 0, &x, IN, NULL, NONE);
    submit(TRANSPARENT, child_of_all, 0, NULL, NONE, NULL, NONE);
    let_go(0);
}

static int32_t held_child_of_all(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    submit(0, hold, 0, &y, ALL_MEMORY, NULL, NONE);
    return 0;
}

static void exported_all_memory(void)
{
    submit(TRANSPARENT, held_child_of_all, 0, &h, OUT, NULL, NONE);
    submit(0, after_held, 0, &h, IN, &x, IN);
    let_go(0);
}

/* mutexinoutset: mutually exclusive with those of other generations. */
static int inside;

static int32_t exclusive(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    CHECK(__atomic_add_fetch(&inside, 1, __ATOMIC_RELAXED) == 1);
    for (int i = 0; i < 3; i++)
        sched_yield();
    __atomic_sub_fetch(&inside, 1, __ATOMIC_RELAXED);
    return 0;
}

static int32_t exclusive_children(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    for (int i = 0; i < 8; i++)
        submit(0, exclusive, 0, &x, MUTEXINOUTSET, NULL, NONE);
    return 0;
}

static void mutual(void)
{
    exclusive_children(0, NULL);
    submit(TRANSPARENT, exclusive_children, 0, &h, INOUT, NULL, NONE);
    submit(TRANSPARENT, exclusive_children, 0, &h, INOUT, NULL, NONE);
    open_gate(&held);
    let_go(0);
}

/* taskwait in a transparent task waits for its children alone; taskwait depend for what it imports. */
static int32_t waits(int32_t thread, task_t *task)
{
    (void)task;
    submit(0, free_one, 0, &y, INOUT, NULL, NONE);
    __kmpc_omp_taskwait(&here, thread);
    CHECK(look(&free_ran) == 1);
    submit(0, free_one, 0, NULL, NONE, NULL, NONE);
    depend_t list = {&x, 4, IN};
    __kmpc_omp_wait_deps(&here, thread, 1, &list, 0, NULL);
    CHECK(look(&done) == 1);
    return 0;
}

static void waiting(void)
{
    submit(0, hold, 0, &x, OUT, NULL, NONE);
    submit(TRANSPARENT, waits, 0, NULL, NONE, NULL, NONE);
    let_go(2);
}

/* A thread that waits in a transparent task takes no later one of the same generation, whose child depends on the task
   below it. The child of the first is held by one thread, so only the thread that waits could take the second. */
static int second_ran;

static int32_t waits_for_child(int32_t thread, task_t *task)
{
    (void)task;
    submit(0, hold_quietly, 0, NULL, NONE, NULL, NONE);
    wait_for(&began);
    count_up(&free_ran);
    __kmpc_omp_taskwait(&here, thread);
    open_gate(&done);
    return 0;
}

static int32_t later_waits(int32_t thread, task_t *task)
{
    (void)task;
    submit(0, after_held, 0, &x, IN, NULL, NONE);
    __kmpc_omp_taskwait(&here, thread);
    count_up(&second_ran);
    return 0;
}

static void later_is_left(void)
{
    second_ran = 0;
    submit(TRANSPARENT, waits_for_child, 0, &x, OUT, NULL, NONE);
    wait_until(&free_ran, 1);
    for (int i = 0; i < 4; i++)
        submit(TRANSPARENT, later_waits, 0, NULL, NONE, NULL, NONE);
    let_go(1);
    CHECK(look(&second_ran) == 4);
}

/* A maker that ends before its children do, and its task's struct may be another's then. */
static int32_t early(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    submit(TRANSPARENT, held_child, 0, &h, OUT, NULL, NONE);
    submit(TRANSPARENT, waiting_child, 0, &h, IN, NULL, NONE);
    return 0;
}

static void ends_early(void)
{
    submit(0, early, 0, NULL, NONE, NULL, NONE);
    let_go(1);
}

/* fork() in a transparent task, whose end the child of the process reaches, too. */
static int32_t forks(int32_t thread, task_t *task)
{
    (void)task;
    submit(0, free_one, 0, &y, INOUT, NULL, NONE);
    pid_t child = fork();
    if (child == 0) {
        forked = 1;
        submit(0, free_one, 0, &x, INOUT, NULL, NONE);
        __kmpc_omp_taskwait(&here, thread);
        return 0;
    }
    int status = 1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    return 0;
}

static void fork_inside(void)
{
    int thread = __kmpc_global_thread_num(&here);
    task_t *task = make(TRANSPARENT, forks, 0);
    submit(0, free_one, 0, &x, OUT, NULL, NONE);
    __kmpc_omp_task_begin_if0(&here, thread, task);
    forks(thread, task);
    __kmpc_omp_task_complete_if0(&here, thread, task);
    if (forked)
        _exit(0);
    let_go(0);
}

/* A transparent taskloop: so is each of its tasks. */
typedef struct {
    task_t task;
    uint64_t lower, upper, stride;
    int32_t last;
} loop_t;

static int32_t loop_part(int32_t thread, task_t *task)
{
    (void)thread;
    loop_t *loop = (loop_t *)task;
    for (uint64_t i = loop->lower; i <= loop->upper; i++)
        submit(0, after_held, 0, &x, IN, NULL, NONE);
    submit(0, free_one, 0, &y, IN, NULL, NONE);
    return 0;
}

static void loops(void)
{
    int thread = __kmpc_global_thread_num(&here);
    submit(0, hold, 0, &x, OUT, NULL, NONE);
    loop_t *loop = (loop_t *)__kmpc_omp_task_alloc(&here, thread, TIED | TRANSPARENT, sizeof *loop, 0, loop_part);
    loop->lower = 0;
    loop->upper = 7;
    loop->stride = 1;
    __kmpc_taskloop(&here, thread, &loop->task, 1, &loop->lower, &loop->upper, 1, 1, 2, 4, NULL);
    let_go(4);
}

/* The example of a matrix that several tasks multiply, each by its children: their order is that of the makers. */
enum { FACTORS = 12, ROWS = 9 };
static unsigned row[ROWS];

static int32_t multiply(int32_t thread, task_t *task)
{
    (void)thread;
    unsigned *at = &row[task->own[0] % ROWS];
    *at = *at * 3 + (unsigned)(task->own[0] / ROWS);
    return 0;
}

static int32_t factor(int32_t thread, task_t *task)
{
    (void)thread;
    for (int i = 0; i < ROWS; i++)
        submit(0, multiply, task->own[0] * ROWS + i, (int *)&row[i], INOUT, NULL, NONE);
    return 0;
}

static void matrix(void)
{
    unsigned expected = 1;
    for (int i = 0; i < ROWS; i++)
        row[i] = 1;
    for (int k = 0; k < FACTORS; k++) {
        submit(TRANSPARENT, factor, k, &h, INOUT, NULL, NONE);
        expected = expected * 3 + (unsigned)k;
    }
    depend_t last = {&row[4], 4, IN};
    depend_t order = {&h, 4, IN};
    __kmpc_omp_wait_deps(&here, __kmpc_global_thread_num(&here), 1, &last, 1, &order);
    CHECK(row[4] == expected);
}

static void each_row(void)
{
    for (int i = 0; i < ROWS; i++)
        CHECK(row[i] == row[0]);
}

static void (*const rows[])(void) = {imports, plain, exports, exports_far, generations, undeferred, all_memory,
                                     exported_all_memory, mutual, waiting, later_is_left,
                                     ends_early, loops, fork_inside};

int main(void)
{
    /* More than once, since a scope may remain of the one before. */
    for (int turn = 0; turn < 4; turn++) {
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
#pragma omp parallel num_threads(4)
#pragma omp single
            {
                reset();
                rows[i]();
            }
        }
#pragma omp parallel num_threads(4)
#pragma omp single
        for (int again = 0; again < 3; again++) {
#pragma omp taskgroup
            matrix();
            each_row();
        }
    }
    for (int again = 0; again < 3; again++)
        matrix();
    return 0;
}
