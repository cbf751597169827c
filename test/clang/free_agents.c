/* Tasks with threadset(omp_pool), as clang 23 passes them, in free agents: OpenMP 6.0's rules, section by section. What
 * is to run in an agent is made by a thread that waits for it without a task scheduling point.
 *
 * ghcomp-only: libomp ignores the clause, and LLVM 19's lacks the routines
 * env: OMP_THREADS_RESERVE=free_agent(2) OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=10
 * limit: 200
 * symbols: omp_is_free_agent omp_ancestor_is_free_agent
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "task_abi.h"

#include "../conformance/common.h"

enum { POOL = 0x80, FINAL = 2, DETACHABLE = 0x40, UNASSIGNED = -2, MANY = 2000 };

typedef struct {
    void *shared, *original;
    size_t bytes;
    void (*init)(void *, void *);
    void (*finish)(void *);
    void (*combine)(void *, void *);
    uint32_t flags;
} taskred_t;

static int (*omp_is_free_agent)(void);
static int (*omp_ancestor_is_free_agent)(int level);
static int32_t (*omp_is_free_agent_)(void);
static int32_t (*omp_ancestor_is_free_agent_)(const int32_t *level);
static int32_t (*omp_ancestor_is_free_agent_8_)(const int64_t *level);
void __kmpc_taskgroup(ident_t *, int32_t);
void __kmpc_end_taskgroup(ident_t *, int32_t);
void __kmpc_omp_task_begin_if0(ident_t *, int32_t, task_t *);
void __kmpc_omp_task_complete_if0(ident_t *, int32_t, task_t *);
int32_t __kmpc_cancel(ident_t *, int32_t, int32_t);
int32_t __kmpc_cancellationpoint(ident_t *, int32_t, int32_t);
void *__kmpc_taskred_init(int32_t, int32_t, void *);
omp_event_handle_t __kmpc_task_allow_completion_event(ident_t *, int32_t, task_t *);

static int self(void)
{
    return __kmpc_global_thread_num(&here);
}

static task_t *new_task(int flags, task_fn fn, void *data)
{
    task_t *task = __kmpc_omp_task_alloc(&here, self(), flags, sizeof *task, 0, fn);
    task->own[0] = (long)data;
    return task;
}

static void make(int flags, task_fn fn, void *data)
{
    __kmpc_omp_task(&here, self(), new_task(flags, fn, data));
}

static void await(atomic_int *flag, int value)
{
    while (*flag < value)
        sched_yield();
}

static void taskwait(void)
{
    __kmpc_omp_taskwait(&here, self());
}

/* What a task finds. */
struct found {
    atomic_int done;
    int agent, number, threads, level, final, explicit, max_threads, ancestor, outer;
    pthread_t thread;
    void *private;
};

static _Thread_local int private;

static int32_t look(int32_t thread, task_t *task)
{
    struct found *found = (struct found *)task->own[0];
    CHECK(thread == self());
    found->agent = omp_is_free_agent();
    found->number = omp_get_thread_num();
    found->threads = omp_get_num_threads();
    found->level = omp_get_level();
    found->final = omp_in_final();
    found->max_threads = omp_get_max_threads();
    found->ancestor = omp_ancestor_is_free_agent(found->level);
    found->outer = omp_ancestor_is_free_agent(found->level - 1);
    found->thread = pthread_self();
    found->private = &private;
    found->done = 1;
    return 0;
}

/* 23.1.4, 23.1.5, 21.3: in the initial task, without any region. */
static void routines(void)
{
    struct found found = {0};
    CHECK(!omp_is_free_agent() && !omp_ancestor_is_free_agent(0) && !omp_ancestor_is_free_agent(-1) &&
          !omp_ancestor_is_free_agent(1));
    CHECK(!omp_is_free_agent_() && !omp_ancestor_is_free_agent_(&(int32_t){0}) &&
          !omp_ancestor_is_free_agent_8_(&(int64_t){0}) && !omp_ancestor_is_free_agent_8_(&(int64_t){1L << 32}));
    omp_set_num_threads(7);
    make(TIED | POOL, look, &found);
    omp_set_num_threads(2);
    await(&found.done, 1);
    CHECK(found.agent && found.number == UNASSIGNED && found.threads == 1 && found.level == 0 && found.ancestor);
    CHECK(!found.outer && !found.final && found.max_threads == 7); /* Table 3.1: the task's ICVs */
    CHECK(!pthread_equal(found.thread, pthread_self()));
    CHECK(found.private != (void *)&private); /* 7.3: threadprivate data is the thread's */
    taskwait();
}

/* 14.8: the default, omp_team, and an undeferred task stay with the team; in a final task the clause is ignored. */
static int32_t in_final(int32_t thread, task_t *task)
{
    struct found *found = (struct found *)task->own[0], inner = {0};
    (void)thread;
    make(TIED | POOL, look, &inner);
    CHECK(inner.done && inner.final && pthread_equal(inner.thread, pthread_self()));
    found->done = 1;
    return 0;
}

static void stays(void)
{
    struct found team = {0}, now = {0}, last = {0};
    make(TIED, look, &team);
    taskwait();
    CHECK(team.done && !team.agent && pthread_equal(team.thread, pthread_self()));
    task_t *task = new_task(TIED | POOL, look, &now);
    __kmpc_omp_task_begin_if0(&here, self(), task);
    look(self(), task);
    __kmpc_omp_task_complete_if0(&here, self(), task);
    CHECK(now.done && !now.agent && pthread_equal(now.thread, pthread_self()));
    make(TIED | POOL | FINAL, in_final, &last);
    taskwait();
    CHECK(last.done);
}

/* 14.8: children without the clause run on the team's threads alone; those with it on any; taskwait in an agent waits
   for both. 17.5. */
static int32_t with_children(int32_t thread, task_t *task)
{
    struct found *found = (struct found *)task->own[0], team = {0}, pool[8] = {0}, now = {0};
    CHECK(omp_is_free_agent());
    make(TIED, look, &team);
    for (int i = 0; i < 8; i++)
        make(TIED | POOL, look, &pool[i]);
    task_t *undeferred = new_task(TIED, look, &now);
    __kmpc_omp_task_begin_if0(&here, thread, undeferred);
    look(thread, undeferred);
    __kmpc_omp_task_complete_if0(&here, thread, undeferred);
    CHECK(now.agent && pthread_equal(now.thread, pthread_self()));
    found->done = 1; /* the maker comes to its taskwait */
    taskwait();
    CHECK(team.done && !team.agent && team.number >= 0 && team.number < omp_get_num_threads());
    for (int i = 0; i < 8; i++)
        CHECK(pool[i].done);
    found->done = 2;
    return 0;
}

static void children(void)
{
    struct found found = {0};
    make(TIED | POOL, with_children, &found);
    await(&found.done, 1);
    taskwait();
    CHECK(found.done == 2);
}

/* 17.4: a taskgroup waits for descendants on any thread; in an agent, too. */
static atomic_int grand, ran;

static int32_t count_grand(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    grand++;
    return 0;
}

static int32_t leaves_child(int32_t thread, task_t *task)
{
    atomic_int *done = (atomic_int *)task->own[0];
    int before = grand;
    __kmpc_taskgroup(&here, thread);
    make(TIED | POOL, count_grand, NULL);
    __kmpc_end_taskgroup(&here, thread);
    CHECK(grand > before);
    make(TIED | POOL, count_grand, NULL); /* not waited for here */
    *done = 1;
    return 0;
}

static int32_t counts(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    ran++;
    return 0;
}

static void groups(void)
{
    atomic_int done = 0;
    grand = 0;
    __kmpc_taskgroup(&here, self());
    make(TIED | POOL, leaves_child, &done);
    await(&done, 1);
    __kmpc_end_taskgroup(&here, self());
    CHECK(grand == 2);
}

/* 7.6.9, 7.6.10: the copies of task reductions, of a group that the encountering thread opens. */
static void add(void *into, void *from)
{
    *(long *)into += *(long *)from;
}

static void zero(void *copy, void *original)
{
    (void)original;
    *(long *)copy = 0;
}

static long sum;
static atomic_int agents_ran;

static int32_t reduces(int32_t thread, task_t *task)
{
    long *copy = __kmpc_task_reduction_get_th_data(thread, NULL, &sum);
    CHECK(copy != &sum);
    for (int i = 0; i < 10; i++) {
        long value = *copy;
        *copy = value + task->own[0];
        CHECK(__kmpc_task_reduction_get_th_data(thread, NULL, copy) == copy);
    }
    agents_ran += omp_is_free_agent();
    return 0;
}

static int32_t reduces_below(int32_t thread, task_t *task)
{
    reduces(thread, task);
    make(TIED | POOL, reduces, (void *)task->own[0]);
    return 0;
}

static void reductions(void)
{
    taskred_t item = {&sum, &sum, sizeof sum, zero, NULL, add, 0};
    sum = 5;
    agents_ran = 0;
    __kmpc_taskgroup(&here, self());
    __kmpc_taskred_init(self(), 1, &item);
    make(TIED | POOL, reduces, (void *)1L);
    await(&agents_ran, 1);
    for (int i = 0; i < MANY; i++)
        make(TIED | POOL, i % 2 ? reduces : reduces_below, (void *)1L);
    __kmpc_end_taskgroup(&here, self());
    CHECK(sum == 5 + 10 + 10 * MANY + 10 * MANY / 2);
}

/* 14.9: of the tasks that wait, one with a higher priority comes first. The agents are busy while they are made. */
static atomic_int busy, gate, order[4], next_in_order;

static int32_t holds(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    busy++;
    await(&gate, 1);
    return 0;
}

static int32_t holds_longer(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    busy++;
    await(&gate, 2);
    return 0;
}

static int32_t in_order(int32_t thread, task_t *task)
{
    (void)thread;
    order[next_in_order++] = (int)task->own[0];
    return 0;
}

static void priorities(void)
{
    busy = gate = next_in_order = 0;
    make(TIED | POOL, holds, NULL);
    await(&busy, 1);
    make(TIED | POOL, holds, NULL);
    await(&busy, 2);
    for (long i = 0; i < 4; i++) {
        task_t *task = new_task(TIED | POOL | PRIORITY, in_order, (void *)i);
        task->data2.priority = (int)(i == 2 ? 9 : i);
        __kmpc_omp_task(&here, self(), task);
    }
    CHECK(next_in_order == 0);
    /* The agents wait: this thread runs all, in a taskwait that needs them to go on. */
    make(TIED | POOL, count_grand, NULL);
    for (int i = 0; i < 4; i++) {
#pragma omp taskyield
    }
    gate = 1;
    taskwait();
    CHECK(next_in_order == 4 && order[0] == 2 && order[1] == 3 && order[2] == 1 && order[3] == 0);
}

/* 17.9: dependences between siblings on any threads. */
static long chain;
static atomic_int chained;

static int32_t links(int32_t thread, task_t *task)
{
    (void)thread;
    CHECK(chain == task->own[0]);
    chain++;
    chained++;
    return 0;
}

static void dependences(void)
{
    depend_t inout = {&chain, sizeof chain, INOUT};
    chain = chained = 0;
    for (long i = 0; i < 100; i++)
        __kmpc_omp_task_with_deps(&here, self(), new_task(i % 3 ? TIED | POOL : POOL, links, (void *)i), 1, &inout, 0,
                                  NULL);
    await(&chained, 100);
    __kmpc_omp_wait_deps(&here, self(), 1, &inout, 0, NULL);
    taskwait();
    CHECK(chain == 100);
}

/* 14.11: a detachable task is complete when its event is fulfilled, by an agent, too. */
static int32_t fulfills(int32_t thread, task_t *task)
{
    (void)thread;
    omp_fulfill_event((omp_event_handle_t)task->own[0]);
    return 0;
}

static void detached(void)
{
    struct found found = {0};
    task_t *task = new_task(TIED | POOL | DETACHABLE, look, &found);
    omp_event_handle_t event = __kmpc_task_allow_completion_event(&here, self(), task);
    __kmpc_omp_task(&here, self(), task);
    await(&found.done, 1);
    CHECK(found.agent);
    make(TIED | POOL, fulfills, (void *)event);
    taskwait();
}

/* 14.1: an untied task in parts. */
static int32_t in_parts(int32_t thread, task_t *task)
{
    if (task->part++ < 4) {
        __kmpc_omp_task_parts(&here, thread, task);
        return 0;
    }
    return look(thread, task);
}

static void untied(void)
{
    struct found found = {0};
    make(POOL, in_parts, &found);
    await(&found.done, 1);
    CHECK(found.agent);
    taskwait();
}

/* 12.1: an agent is the primary thread of the regions in its tasks. */
static int32_t opens_region(int32_t thread, task_t *task)
{
    struct found *found = (struct found *)task->own[0];
    (void)thread;
    atomic_int members = 0, right = 0;
#pragma omp parallel num_threads(3)
    {
        members++;
        right += omp_get_level() == found->level + 1 && !omp_is_free_agent() &&
                 omp_ancestor_is_free_agent(found->level) &&
                 omp_get_ancestor_thread_num(found->level) == UNASSIGNED && omp_get_num_threads() == 3;
    }
    CHECK(members == 3 && right == 3);
    CHECK(omp_is_free_agent() && omp_get_level() == found->level);
    struct found child = {0};
    make(TIED, look, &child); /* the team's, after a region, too */
    found->done = 1;
    taskwait();
    CHECK(!child.agent);
    return 0;
}

static void regions_in_tasks(void)
{
    struct found found = {0};
    found.level = omp_get_level();
    make(TIED | POOL, opens_region, &found);
    await(&found.done, 1);
    taskwait();
}

/* 14.2: a taskloop with the clause. */
static atomic_int iterations;

static int32_t in_loop(int32_t thread, task_t *task)
{
    (void)thread;
    iterations += (int)(task->own[1] - task->own[0] + 1);
    return 0;
}

static void loops(void)
{
    iterations = 0;
    task_t *pattern = new_task(TIED | POOL, in_loop, NULL);
    pattern->own[0] = 0;
    pattern->own[1] = 999;
    __kmpc_taskloop(&here, self(), pattern, 1, (uint64_t *)&pattern->own[0], (uint64_t *)&pattern->own[1], 1, 0, 2, 50,
                    NULL);
    CHECK(iterations == 1000);
}

/* Many small tasks of a few generations: each runs once. */
static atomic_int tree;

static int32_t branches(int32_t thread, task_t *task)
{
    long depth = task->own[0];
    tree++;
    for (int i = 0; depth > 0 && i < 3; i++)
        make(i == 1 ? TIED : TIED | POOL, branches, (void *)(depth - 1));
    if (depth % 2)
        __kmpc_omp_taskwait(&here, thread);
    return 0;
}

static void trees(void)
{
    tree = 0;
    __kmpc_taskgroup(&here, self());
    make(TIED | POOL, branches, (void *)6L);
    __kmpc_end_taskgroup(&here, self());
    CHECK(tree == 1093);
}

static void all(void)
{
    children();
    groups();
    reductions();
    dependences();
    detached();
    untied();
    regions_in_tasks();
    loops();
    trees();
}

/* 14.8: in teams of one and of many. The region's end waits for tasks on agents. */
static void in_team(int size)
{
    static struct found found;
    static atomic_int over;
    memset(&found, 0, sizeof found);
    over = 0;
#pragma omp parallel num_threads(size)
    {
        CHECK(omp_get_num_threads() == size);
        if (omp_get_thread_num() == size - 1) {
            make(TIED | POOL, look, &found);
            await(&found.done, 1);
            CHECK(found.agent && found.number == UNASSIGNED && found.threads == size && found.level == 1);
            all();
            over = 1;
        }
        await(&over, 1); /* members in a barrier would run the tasks, too */
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            make(TIED | POOL, branches, (void *)4L);
    }
    CHECK(tree == 1093 + 121);
}

/* 18.2: the tasks of a cancelled taskgroup that have not started do not; an agent may cancel it. */
static int32_t cancels(int32_t thread, task_t *task)
{
    (void)task;
    busy++;
    await(&gate, 1);
    CHECK(__kmpc_cancel(&here, thread, 4) && __kmpc_cancellationpoint(&here, thread, 4));
    gate = 2;
    return 0;
}

static void cancellation(void)
{
    ran = busy = gate = 0;
#pragma omp parallel num_threads(1)
#pragma omp taskgroup
    {
        make(TIED | POOL, cancels, NULL);
        await(&busy, 1);
        make(TIED | POOL, holds_longer, NULL);
        await(&busy, 2);
        for (int i = 0; i < 50; i++)
            make(TIED | POOL, counts, NULL);
        gate = 1;
        await(&gate, 2);
    }
    CHECK(ran == 0);
}

static void *in_thread(void *nothing)
{
    (void)nothing;
    all();
    return NULL;
}

#define FIND(name) CHECK((name = (__typeof__(name))dlvsym(RTLD_DEFAULT, #name, "VERSION")) != NULL)

int main(void)
{
    FIND(omp_is_free_agent);
    FIND(omp_ancestor_is_free_agent);
    FIND(omp_is_free_agent_);
    FIND(omp_ancestor_is_free_agent_);
    FIND(omp_ancestor_is_free_agent_8_);
    omp_set_max_active_levels(2);
    routines();
    stays();
    all();
    priorities();
    in_team(1);
    in_team(2);
    in_team(3);
    cancellation();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, in_thread, NULL) == 0);
    pthread_join(thread, NULL);
    return 0;
}
