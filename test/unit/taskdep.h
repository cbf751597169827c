/* The tasks of the tests of dependences: the test makes them, and takes the ready ones from the module (the linker's
 * --wrap=ghcomp_task_ready) and from the team's queue, where those in libgomp's order are. The module's allocations are
 * counted. Lists of dependences in both of the ABI's forms. Included once by taskdep.c and taskdep_memory.c.
 */
#pragma once

#include "core/task/taskdep.h"

#include <string.h>

#include "core/task/task.h"
#include "core/task/taskdep_node.h"
#include "unit.h"

enum { IN = 1, OUT, INOUT, MUTEX, INOUTSET, KINDS };
enum { ADDRESSES = 6, MOST_ITEMS = 7, MOST_JOBS = 3000 };
enum state { ABSENT, WAITING, READY, RUNNING, DONE };

struct job {
    struct ghcomp_task task;
    /* store_release by ghcomp_task_ready, cas_acquire by its runner: orders only them */
    _Atomic int state;
    bool all;                       /* names omp_all_memory */
    unsigned char kind[ADDRESSES];  /* 0 = does not name it; two kinds are OUT */
    bool result;                    /* plain: written by its run, read by those that wait for it */
    int before_count;
    int *before;                    /* the jobs that it must wait for */
};

static struct job *jobs;
static struct ghcomp_task parent;
static struct ghcomp_thread owner_thread, other_thread;
static struct ghcomp_member owner = {.thread = &owner_thread, .task = &parent}, other = {.thread = &other_thread};
static struct ghcomp_task parent = {.executor = &owner};
static struct ghcomp_team team = {.size = 2, .task_room = {256, 129, 4}};

/* Sizes and number of the module's calls of malloc. */
static uint64_t allocations, largest;

void *__real_ghcomp_alloc_zeroed(size_t bytes);
void *__wrap_ghcomp_alloc_zeroed(size_t bytes);
void *__wrap_ghcomp_alloc_zeroed(size_t bytes)
{
    allocations++;
    if (bytes > largest)
        largest = bytes;
    return __real_ghcomp_alloc_zeroed(bytes);
}

void *__real_ghcomp_alloc_lines(size_t bytes);
void *__wrap_ghcomp_alloc_lines(size_t bytes);
void *__wrap_ghcomp_alloc_lines(size_t bytes)
{
    allocations++;
    return __real_ghcomp_alloc_lines(bytes);
}

static struct ghcomp_team *expected_team = &team;

static inline void becomes_ready(struct ghcomp_task *task)
{
    struct job *job = (struct job *)task;
    CHECK_EQUAL(WAITING, ghcomp_load_relaxed(&job->state));
    ghcomp_store_release(&job->state, READY);
}

void __wrap_ghcomp_task_ready(struct ghcomp_member *self, struct ghcomp_team *the_team, struct ghcomp_task *task);
void __wrap_ghcomp_task_ready(struct ghcomp_member *self, struct ghcomp_team *the_team, struct ghcomp_task *task)
{
    CHECK(self == NULL || self->thread == &owner_thread || self->thread == &other_thread);
    CHECK(the_team == expected_team);
    becomes_ready(task);
}

/* The task of a job is complete; `keep` as there. */
static inline void complete_task(struct job *job, struct ghcomp_member *self, bool keep)
{
    struct ghcomp_task *task = ghcomp_depend_complete(self, &team, &job->task, keep && self != NULL);
    CHECK(task == NULL || (keep && self != NULL));
    for (; task != NULL || (task = ghcomp_task_queue_get(&team, NULL)) != NULL; task = NULL)
        becomes_ready(task);
}

static uint64_t seed;

static inline uint32_t any(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

struct item {
    void *address;
    int kind;
    bool object;
};

/* The ABI's list of the items; the objects live in `object`. */
static inline void encode(const struct item *item, int count, bool plain, void **list, void *object[][2])
{
    int at, counts[4] = {0};
    if (plain) {
        at = 2;
        for (int turn = 0; turn < 2; turn++)
            for (int i = 0; i < count; i++)
                if ((item[i].kind == IN) == turn) {
                    list[at++] = item[i].address;
                    counts[turn]++;
                }
        list[0] = (void *)(intptr_t)count;
        list[1] = (void *)(intptr_t)counts[0];
        return;
    }
    at = 5;
    for (int turn = 0; turn < 4; turn++)
        for (int i = 0; i < count; i++) {
            int group = item[i].object || item[i].kind == INOUTSET ? 3
                        : item[i].kind == IN ? 2 : item[i].kind == MUTEX ? 1 : 0;
            if (group != turn)
                continue;
            counts[turn]++;
            if (group < 3) {
                list[at++] = item[i].address;
            } else {
                object[i][0] = item[i].address;
                object[i][1] = (void *)(intptr_t)item[i].kind;
                list[at++] = object[i];
            }
        }
    list[0] = NULL;
    list[1] = (void *)(intptr_t)count;
    for (int i = 0; i < 3; i++)
        list[2 + i] = (void *)(intptr_t)counts[i];
}

static inline void submit(struct job *job, const struct item *item, int count, bool plain)
{
    void *list[5 + MOST_ITEMS], *object[MOST_ITEMS][2];
    encode(item, count, plain, list, object);
    ghcomp_store_relaxed(&job->state, WAITING);
    ghcomp_store_relaxed(&job->task.parent, &parent);
    ghcomp_depend_register(&owner, &job->task, list);
    if (ghcomp_depend_commit(&owner, &job->task)) {
        CHECK_EQUAL(WAITING, ghcomp_load_relaxed(&job->state));
        ghcomp_store_release(&job->state, READY);
    }
}

/* Every block is free: nothing refers to any. */
static inline void check_heap(void)
{
    struct ghcomp_depend_heap *heap = owner_thread.memory.dependences;
    if (heap == NULL)
        return;
    uint64_t count = 0;
    for (struct ghcomp_block *block = heap->blocks.free; block != NULL; block = block->next)
        count++;
    for (struct ghcomp_block *block = ghcomp_load_acquire(&heap->blocks.returned); block != NULL; block = block->next)
        count++;
    CHECK_EQUAL(heap->blocks.count, count);
    CHECK_EQUAL(0, ghcomp_load_relaxed(&heap->mutex_lock));
}

static inline void submit_one(struct job *job, void *address, int kind)
{
    submit(job, &(struct item){address, kind, false}, 1, kind <= INOUT);
}

static inline void complete(struct job *job, struct ghcomp_member *self)
{
    CHECK_EQUAL(READY, ghcomp_load_relaxed(&job->state));
    ghcomp_store_relaxed(&job->state, DONE);
    complete_task(job, self, false);
}
