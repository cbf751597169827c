/* A tool that wants to know of some tasks only (ghcomp_set_task_filter), in the program itself. Whatever is left
 * out:
 *
 *   - Each task is reported or filtered: the numbers add up, credit included, which the runtime counts without a call
 *     of the filter.
 *   - Starts and ends of tasks nest on each thread, and what is left for a task is what its end comes back to.
 *   - A reported task is started once and complete once. A filtered one has no creation.
 *   - Each start within a reported task is reported, too, whatever has run in between.
 *   - The dependences of each reported task are reported, also where they are of no consequence.
 *   - A thread that waits starts no task: its wait has ended before, and begins again.
 *   - A wait is in a region of synchronization of its task, and these regions nest, reported early or late.
 *   - A task that starts in a taskyield (clang's code) is reported so.
 *   - The barriers of a team of one have no wait, nor has the last member that comes to a barrier.
 *   - A region's workers begin without the events of the member that opened it. */
#include <omp-tools.h>
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "start.h"

enum { THREADS = 3, TIMES = 10, TASKS = 400, DEEP = 200, NOTED = 0x707ed, STARTED = 0x57a27, LEFT = 0x1ef7 };

static _Atomic unsigned long asked, left, made, created, started, interrupted, completed;
static _Atomic unsigned long taskwaits, taskgroups, waits_told, explicit_waits, yields;
static _Atomic unsigned long dependent_tasks, dependences;
enum { SOME, NONE, EACH };
static _Atomic int told_tasks; /* which tasks are told */
static _Atomic bool meets;    /* member 0 begins when member 1 has begun */
static _Atomic unsigned long met;
static ompt_get_state_t get_state;
static ompt_get_task_info_t get_task_info;
static ghcomp_set_task_filter_t set_filter;

/* What a thread has suspended; a task's end comes back to what its start has left. */
struct thread {
    struct {
        ompt_data_t *prior, *next;
    } stack[4 * DEEP];
    ompt_data_t *regions[4 * DEEP]; /* the tasks whose regions of synchronization the thread is in */
    unsigned depth, draws, region_depth;
    int waits;
    uint64_t granted, left; /* what the runtime may leave out without asking, and of that what it has not yet */
};
static struct thread *threads[64];
static _Atomic unsigned thread_count;
static __thread struct thread *mine;

static struct thread *self(void)
{
    if (mine == NULL) {
        unsigned number = thread_count++;
        CHECK(number < 64);
        mine = threads[number] = calloc(1, sizeof *mine);
    }
    return mine;
}

static void on_thread_begin(ompt_thread_t kind, ompt_data_t *data)
{
    (void)kind;
    data->ptr = self();
}

/* One task in five is told, and a run of others is left to the runtime now and then. */
static int filter(ompt_data_t *data, const void *address, ghcomp_filter_credit_t *pass)
{
    struct thread *thread = data->ptr;
    CHECK(thread == self() && address != NULL && pass->left == NULL);
    asked++;
    if (told_tasks == EACH)
        return 1;
    if (told_tasks == NONE) {
        left++;
        return 0;
    }
    unsigned draw = ++thread->draws;
    if (draw % 3 == 0) {
        thread->granted += draw % 7;
        thread->left += draw % 7;
        pass->left = &thread->left;
    }
    if (draw % 5 == 0)
        return 1;
    left++;
    return 0;
}

static void on_create(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *new, int flags, int dependent,
                      const void *address)
{
    (void)frame;
    CHECK(task != NULL && new->value == 0 && (flags & ompt_task_explicit) && address != NULL);
    new->value = NOTED;
    created++;
    dependent_tasks += dependent != 0;
}

static void on_dependences(ompt_data_t *task, const ompt_dependence_t *list, int count)
{
    CHECK(task->value == NOTED && (count == 1 || count == 2) && list[0].variable.ptr != NULL);
    dependences++;
}

static void on_schedule(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next)
{
    struct thread *thread = self();
    CHECK(!thread->waits);
    if (status == ompt_task_switch || status == ompt_task_yield) {
        CHECK(next->value == NOTED || next->value == 0);
        *(next->value == NOTED ? &started : &interrupted) += 1;
        yields += status == ompt_task_yield;
        next->value = next->value == NOTED ? STARTED : LEFT;
        CHECK(thread->depth < 4 * DEEP);
        thread->stack[thread->depth].prior = prior;
        thread->stack[thread->depth++].next = next;
        return;
    }
    CHECK(status == ompt_task_complete && thread->depth > 0);
    thread->depth--;
    CHECK(thread->stack[thread->depth].prior == next && thread->stack[thread->depth].next == prior);
    CHECK(prior->value == STARTED || prior->value == LEFT);
    completed += prior->value == STARTED;
}

static void on_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                    const void *address)
{
    struct thread *thread = self();
    (void)address;
    waits_told++;
    explicit_waits += kind == ompt_sync_region_barrier_explicit && endpoint == ompt_scope_begin;
    CHECK(endpoint != ompt_scope_begin || !thread->waits);
    /* The end of a region's end is told in any case. */
    CHECK(endpoint != ompt_scope_end || thread->waits ||
          (kind == ompt_sync_region_barrier_implicit_parallel && region == NULL));
    CHECK(thread->region_depth > 0 && thread->regions[thread->region_depth - 1] == task);
    thread->waits = endpoint == ompt_scope_begin;
}

static void on_region(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task,
                      const void *address)
{
    struct thread *thread = self();
    (void)region, (void)address;
    CHECK(!thread->waits);
    if (endpoint == ompt_scope_begin) {
        CHECK(thread->region_depth < 4 * DEEP);
        thread->regions[thread->region_depth++] = task;
        taskwaits += kind == ompt_sync_region_taskwait;
        taskgroups += kind == ompt_sync_region_taskgroup;
        return;
    }
    CHECK(thread->region_depth > 0 && thread->regions[--thread->region_depth] == task);
}

static void await(const _Atomic unsigned long *number, unsigned long least)
{
    while (*number < least)
        sched_yield();
}

static void on_implicit(ompt_scope_endpoint_t endpoint, ompt_data_t *region, ompt_data_t *task, unsigned size,
                        unsigned index, int flags)
{
    (void)region, (void)task, (void)size;
    if (!meets || endpoint != ompt_scope_begin || !(flags & ompt_task_implicit))
        return;
    if (index == 1)
        met++;
    else
        await(&met, 1);
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    get_state = (ompt_get_state_t)lookup("ompt_get_state");
    get_task_info = (ompt_get_task_info_t)lookup("ompt_get_task_info");
    set_filter = (ghcomp_set_task_filter_t)lookup("ghcomp_set_task_filter");
    set(ompt_callback_thread_begin, (ompt_callback_t)on_thread_begin);
    set(ompt_callback_implicit_task, (ompt_callback_t)on_implicit);
    set(ompt_callback_task_create, (ompt_callback_t)on_create);
    set(ompt_callback_dependences, (ompt_callback_t)on_dependences);
    set(ompt_callback_task_schedule, (ompt_callback_t)on_schedule);
    set(ompt_callback_sync_region_wait, (ompt_callback_t)on_wait);
    set(ompt_callback_sync_region, (ompt_callback_t)on_region);
    CHECK(set_filter(filter) == 1);
    return 1;
}

static void finalize(ompt_data_t *data)
{
    (void)data;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static ompt_data_t *in_any_task(void)
{
    ompt_data_t *data = NULL;
    int flags = 0, known = get_task_info(0, &flags, &data, NULL, NULL, NULL);
    CHECK(known == 1 || (known == 2 && (flags & ompt_task_explicit)));
    CHECK(get_state(NULL) == ompt_state_work_parallel);
    made++;
    return known == 2 ? data : NULL;
}

/* Not in a region inside of a task. */
static void in_task(void)
{
    const struct thread *thread = self();
    ompt_data_t *data = in_any_task(), *last = thread->depth > 0 ? thread->stack[thread->depth - 1].next : NULL;
    CHECK(last == NULL || last->value != STARTED || last == data);
}

static long fibonacci(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    {
        in_task();
        a = fibonacci(n - 1);
    }
#pragma omp task shared(b) if (n > 4)
    {
        in_task();
        b = fibonacci(n - 2);
    }
#pragma omp taskwait
    return a + b;
}

static void deeper(int depth)
{
    if (depth == 0)
        return;
#pragma omp task
    {
        in_task();
        deeper(depth - 1);
        if (depth % 50 == 0) {
#pragma omp taskwait
        }
    }
}

/* Constructs that are told, in tasks that are not. */
static void inside(int i, int *sum)
{
    in_task();
#pragma omp taskgroup
    {
#pragma omp task shared(sum)
        {
            in_task();
#pragma omp taskyield
#pragma omp atomic
            *sum += 1;
        }
    }
    if (i % 16 == 0) {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task
        in_any_task();
    }
}

static void run(int threads)
{
    int x = 0, y = 0, sum = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        {
            CHECK(fibonacci(12) == 144);
            for (int i = 0; i < TASKS; i++)
#pragma omp task shared(sum)
                inside(i, &sum);
            deeper(DEEP);
            for (int i = 0; i < 20; i++) {
#pragma omp task depend(out : x)
                {
                    in_task();
                    x++;
                }
#pragma omp task depend(in : x) depend(inout : y) untied
                {
                    in_task();
                    y += x;
                }
            }
#pragma omp task final(1)
            {
                in_task();
#pragma omp task
                in_task();
            }
        }
        /* Every member makes some, at the region's end. */
        for (int i = 0; i < 20; i++)
#pragma omp task
            in_task();
    }
    CHECK(x == 20 && sum == TASKS && y == 210);
}

static _Atomic unsigned long held, let_go;

/* A task that another member runs until the tool has been told of its maker's wait. */
static void hold(const _Atomic unsigned long *waits_begun, unsigned long least)
{
    in_task();
    held++;
    await(waits_begun, least);
    let_go++;
}

/* The end of a taskgroup of a task that was left out, as a wait: see below. */
static void grouped(void)
{
    unsigned long told = taskgroups, times = held;
#pragma omp taskgroup
    {
#pragma omp task
        hold(&taskgroups, told + 1);
        await(&held, times + 1);
    }
    CHECK(let_go == times + 1 && taskgroups > told);
}

/* The wait of a task that was left out: with tasks to run it is none, else it is told when the thread is idle. Comes
   first: a deque that is new defers all tasks. */
static void waits(void)
{
    static _Atomic unsigned long waited;
    told_tasks = NONE;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            await(&waited, 1); /* takes no task before */
        } else {
#pragma omp task
            {
                unsigned long told = taskwaits;
                for (int i = 0; i < 5; i++)
#pragma omp task
                    in_task();
#pragma omp taskwait
                CHECK(taskwaits == told);
#pragma omp taskgroup
                for (int i = 0; i < 5; i++)
#pragma omp task
                    in_task();
                CHECK(taskwaits == told && taskgroups == 0);
                in_task();
                waited++;
#pragma omp task
                hold(&taskwaits, told + 1);
                await(&held, 1);
#pragma omp taskwait
                CHECK(let_go == 1 && taskwaits > told);
#pragma omp task
                {
                    in_task();
                    grouped();
                }
#pragma omp taskwait
            }
#pragma omp taskwait
        }
    }
    told_tasks = SOME;
}

#ifdef __clang__ /* gcc's taskyield runs no task */
/* A task that starts is told as one that came by a taskyield when it has, and not when one that was left out has. */
static void yielded(void)
{
    static _Atomic unsigned long done;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            await(&done, 1); /* takes no task before */
        } else {
            unsigned long before = made;
            told_tasks = NONE;
#pragma omp task
            in_task();
            CHECK(made == before);
#pragma omp taskyield
            CHECK(made == before + 1 && yields == 0);
            told_tasks = EACH;
#pragma omp task
            in_task();
#pragma omp taskwait
            CHECK(made == before + 2 && yields == 0);
#pragma omp task
            in_task();
#pragma omp taskyield
            CHECK(made == before + 3 && yields == 1);
            told_tasks = SOME;
            done++;
        }
    }
}
#endif

/* A barrier of a team of one. */
static void alone(void)
{
    unsigned long told = waits_told;
#pragma omp parallel num_threads(1)
    {
#pragma omp barrier
    }
    CHECK(waits_told == told);
}

/* A barrier to which member 1 comes when member 0 waits there. */
static void last(void)
{
    unsigned long told = explicit_waits;
#pragma omp parallel num_threads(2)
    {
        CHECK(omp_get_num_threads() == 2);
        if (omp_get_thread_num() == 1)
            await(&explicit_waits, told + 1);
#pragma omp barrier
        CHECK(explicit_waits == told + 1);
    }
}

static void together(void)
{
    meets = true;
#pragma omp parallel num_threads(2)
    CHECK(omp_get_num_threads() == 2);
    meets = false;
    CHECK(met == 1);
}

int main(void)
{
    unsigned long passed = 0;
    waits();
#ifdef __clang__
    yielded();
#endif
    alone();
    last();
    together();
    for (int i = 0; i < TIMES; i++) {
        run(THREADS);
        run(1);
    }
    CHECK(set_filter(NULL) == 0); /* too late */
    for (unsigned i = 0; i < thread_count; i++) {
        CHECK(!threads[i]->waits && threads[i]->depth == 0 && threads[i]->region_depth == 0);
        passed += threads[i]->granted - threads[i]->left;
    }
    CHECK(made == created + left + passed);
    CHECK(created == started && created == completed);
    CHECK(dependences == dependent_tasks && dependences > 0);
    CHECK(asked == created + left && left > created && passed > created / 2 && interrupted > 0);
    return 0;
}
