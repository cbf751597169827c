/* Tasks with threadset(omp_pool) for Pool.hs, by the entries of clang's code: no clang before 23 compiles the clause.
   What a task does is for it to find out on its own thread; all flags that threads wait for are here. */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>

#include "ghcomp.h"

#include "../../clang/task_abi.h"

enum { POOL = 0x80, MOST_HELD = 64 };

int omp_is_free_agent(void);
int omp_ancestor_is_free_agent(int level);
void __kmpc_taskgroup(ident_t *, int32_t);
void __kmpc_end_taskgroup(ident_t *, int32_t);
int32_t __kmpc_cancel(ident_t *, int32_t, int32_t);
int32_t __kmpc_omp_taskyield(ident_t *, int32_t, int);

static task_t *new_task(int flags, task_fn fn)
{
    return __kmpc_omp_task_alloc(&here, __kmpc_global_thread_num(&here), flags, sizeof(task_t), 0, fn);
}

static void submit(task_t *task)
{
    __kmpc_omp_task(&here, __kmpc_global_thread_num(&here), task);
}

static atomic_int running;
int pool_running(void);

/* How many tasks have begun and have not ended. */
int pool_running(void)
{
    return running;
}

/* --- what a task finds -------------------------------------------------------------------------------------------- */

struct pool_found {
    atomic_int done;
    int agent, number, threads, level, team_size, ancestor, own_thread;
};

struct pool_found *pool_found_new(void);
void pool_found_free(struct pool_found *found);
int pool_found_done(struct pool_found *found);
int pool_found_word(const struct pool_found *found, int word);
void pool_look(struct pool_found *found, void (*then)(int));

struct pool_found *pool_found_new(void)
{
    return calloc(1, sizeof(struct pool_found));
}

void pool_found_free(struct pool_found *found)
{
    free(found);
}

int pool_found_done(struct pool_found *found)
{
    return found->done;
}

int pool_found_word(const struct pool_found *found, int word)
{
    const int words[] = {found->agent, found->number, found->threads, found->level, found->team_size, found->ancestor,
                         found->own_thread};
    return words[word];
}

static int32_t look(int32_t thread, task_t *task)
{
    struct pool_found *found = (struct pool_found *)task->own[0];
    void (*then)(int) = (void (*)(int))task->own[1];
    int agent = omp_is_free_agent();
    (void)thread;
    running++;
    found->agent = agent;
    found->number = omp_get_thread_num();
    found->threads = omp_get_num_threads();
    found->level = omp_get_level();
    found->team_size = omp_get_team_size(found->level);
    found->ancestor = omp_ancestor_is_free_agent(found->level);
    found->own_thread = syscall(SYS_gettid) != task->own[2];
    found->done = 1;
    if (then != NULL)
        then(agent);
    running--;
    return 0;
}

/* A task that looks, and then calls `then`, unless that is NULL, with whether it runs on an agent. */
void pool_look(struct pool_found *found, void (*then)(int))
{
    task_t *task = new_task(TIED | POOL, look);
    task->own[0] = (long)found;
    task->own[1] = (long)then;
    task->own[2] = syscall(SYS_gettid);
    submit(task);
}

/* --- tasks whose code is Haskell ---------------------------------------------------------------------------------- */

void pool_call(int pool, int final, int priority, int chained, void (*body)(int), int value);
void pool_group(void);
void pool_group_end(void);
void pool_taskwait(void);
void pool_taskyield(void);
int pool_cancel(void);
long pool_thread(void);
void pool_object(ghcomp_callback *object, intptr_t argument);
int pool_objects(void);

static int32_t call(int32_t thread, task_t *task)
{
    (void)thread;
    running++;
    ((void (*)(int))task->own[0])((int)task->own[1]);
    running--;
    return 0;
}

/* chained: with depend(inout: ...) of one address. */
void pool_call(int pool, int final, int priority, int chained, void (*body)(int), int value)
{
    static char address;
    enum { FINAL = 2 };
    task_t *task = new_task(TIED | (pool ? POOL : 0) | (final ? FINAL : 0) | (priority > 0 ? PRIORITY : 0), call);
    task->own[0] = (long)body;
    task->own[1] = value;
    task->data2.priority = priority;
    if (chained) {
        depend_t inout = {&address, sizeof address, INOUT};
        __kmpc_omp_task_with_deps(&here, __kmpc_global_thread_num(&here), task, 1, &inout, 0, NULL);
    } else {
        submit(task);
    }
}

void pool_group(void)
{
    __kmpc_taskgroup(&here, __kmpc_global_thread_num(&here));
}

void pool_group_end(void)
{
    __kmpc_end_taskgroup(&here, __kmpc_global_thread_num(&here));
}

void pool_taskwait(void)
{
    __kmpc_omp_taskwait(&here, __kmpc_global_thread_num(&here));
}

void pool_taskyield(void)
{
    __kmpc_omp_taskyield(&here, __kmpc_global_thread_num(&here), 0); /* that of gcc's code runs no task */
}

/* The innermost taskgroup of the current task. */
int pool_cancel(void)
{
    enum { TASKGROUP = 4 };
    return __kmpc_cancel(&here, __kmpc_global_thread_num(&here), TASKGROUP);
}

long pool_thread(void)
{
    return syscall(SYS_gettid);
}

static atomic_int objects;

static int32_t call_object(int32_t thread, task_t *task)
{
    (void)thread;
    running++;
    (void)ghcomp_callback_call((ghcomp_callback *)task->own[0], task->own[1]);
    running--;
    objects++;
    return 0;
}

/* A task that calls a callback object. */
void pool_object(ghcomp_callback *object, intptr_t argument)
{
    task_t *task = new_task(TIED | POOL, call_object);
    task->own[0] = (long)object;
    task->own[1] = argument;
    submit(task);
}

int pool_objects(void)
{
    return objects;
}

/* --- tasks that hold their threads -------------------------------------------------------------------------------- */

static atomic_int gate, taken, begun, ended, most_agents, agents_inside;
static atomic_long holders[MOST_HELD];

void pool_hold(void);
void pool_open(void);
int pool_begun(void);
int pool_ended(void);
int pool_most_agents(void);
int pool_distinct_holders(void);
void pool_rest(void);
void pool_open_at_exit(void);

static int32_t hold(int32_t thread, task_t *task)
{
    (void)thread, (void)task;
    int agent = omp_is_free_agent(), inside = agent ? ++agents_inside : 0, most = most_agents;
    while (inside > most && !atomic_compare_exchange_weak(&most_agents, &most, inside))
        continue;
    int number = taken++;
    holders[number % MOST_HELD] = syscall(SYS_gettid);
    begun++;
    while (gate == 0)
        sched_yield();
    agents_inside -= agent;
    ended++;
    return 0;
}

/* A task that holds its thread until pool_open. */
void pool_hold(void)
{
    submit(new_task(TIED | POOL, hold));
}

void pool_open(void)
{
    gate = 1;
}

int pool_begun(void)
{
    return begun;
}

int pool_ended(void)
{
    return ended;
}

/* The most that have run on agents at the same time. */
int pool_most_agents(void)
{
    return most_agents;
}

/* On how many threads of the kernel the tasks run that have begun, while none ends. */
int pool_distinct_holders(void)
{
    int distinct = 0;
    for (int i = 0; i < begun; i++) {
        int before = 0;
        while (before < i && holders[before] != holders[i])
            before++;
        distinct += before == i;
    }
    return distinct;
}

static void at_exit(void)
{
    enum { YIELDS = 10000 }; /* so that agents that look for other tasks find them, which would be wrong */
    int held = begun;
    gate = 1;
    while (ended < held)
        sched_yield();
    for (int i = 0; i < YIELDS; i++)
        sched_yield();
}

/* The gate opens when the runtime's exit handlers have run. To be called before the first task. */
void pool_open_at_exit(void)
{
    atexit(at_exit);
}

/* Until the gate is open, for a Haskell thread that calls C. */
void pool_rest(void)
{
    while (gate == 0)
        sched_yield();
}
