/* Tasks with clauses come out of waits as those without do: dependences and priorities, undeferred tasks. Cases of
   pause.c, which includes this once. */
#pragma once

#include "pause_waits.h"

enum { IN = 1, INOUT = 3, CELLS = 4, DEPENDENT_TASKS = 60, MOST_PRIORITY = 10 };

struct cell {
    int writers; /* plain: a task's dependences order it */
};

/* One of a parent's tasks, and what it must find in the cells. */
struct dependent {
    struct cell *cell;
    int kind[CELLS], before[CELLS];
};

struct dependence {
    uintptr_t address, kind;
};

static uint32_t any(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % below;
}

static void check_cells(struct ghcomp_member *self, uintptr_t value)
{
    const struct dependent *mine = (const struct dependent *)value;
    (void)self;
    for (int i = 0; i < CELLS; i++)
        if (mine->kind[i] != 0) {
            CHECK_EQUAL(mine->before[i], mine->cell[i].writers);
            if (mine->kind[i] == INOUT)
                mine->cell[i].writers++;
        }
}

static void make_dependent(struct ghcomp_member *self, struct dependent *about, uint32_t *seed)
{
    enum { HEAD = 5 };
    struct dependence dependences[CELLS];
    void *list[HEAD + CELLS] = {NULL};
    uintptr_t count = 0;
    for (int i = 0; i < CELLS; i++)
        if (about->kind[i] != 0) {
            dependences[count] = (struct dependence){(uintptr_t)&about->cell[i], (uintptr_t)about->kind[i]};
            list[HEAD + count] = &dependences[count];
            count++;
        }
    list[1] = (void *)count;
    struct ghcomp_task *task =
        new_task(self, any(seed, 4) == 0 ? for_the_wait : for_the_caller, check_cells, (uintptr_t)about);
    if (any(seed, 8) == 0)
        ghcomp_task_undefer(task);
    if (any(seed, 3) == 0)
        ghcomp_task_set_priority(task, (int)any(seed, MOST_PRIORITY + 1));
    if (count > 0)
        ghcomp_task_depend(self, task, list);
    ghcomp_task_submit(self, task);
}

static void parent_of_dependents(struct ghcomp_member *self, uintptr_t value)
{
    struct cell cell[CELLS] = {{0}};
    struct dependent about[DEPENDENT_TASKS];
    int writers[CELLS] = {0};
    uint32_t seed = (uint32_t)value;
    bool group = any(&seed, 2);
    if (group)
        ghcomp_taskgroup_start(self);
    for (uint32_t i = 0; i < DEPENDENT_TASKS; i++) {
        about[i].cell = cell;
        for (int k = 0; k < CELLS; k++) {
            uint32_t kind = any(&seed, 4);
            about[i].kind[k] = kind == 0 ? INOUT : kind == 1 ? IN : 0;
            about[i].before[k] = writers[k];
            writers[k] += kind == 0;
        }
        make_dependent(self, &about[i], &seed);
        if (i % 25 == 24)
            taskwait(self, i);
    }
    if (group)
        end_group(self, value);
    else
        taskwait(self, value);
    for (int k = 0; k < CELLS; k++)
        CHECK_EQUAL(writers[k], cell[k].writers);
}

static uint32_t dependents_round;

static void dependents(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    uint32_t number = dependents_round * MOST + self->tid;
    if (number % 2 == 0)
        make(self, parent_of_dependents, number);
    parent_of_dependents(self, number);
    CHECK(!barrier(self, number));
}

static uint32_t order[8], ordered;

static void note_priority(struct ghcomp_member *self, uintptr_t value)
{
    (void)self;
    order[ordered++] = (uint32_t)value;
}

/* Thread 1 is kept busy, so that the tasks come out of thread 0's wait in the order of their priorities. */
static void by_priority(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid == 1) {
        until(&gate, 1);
        return;
    }
    static const int priorities[8] = {3, 1, 7, 0, 5, 2, 6, 4};
    ordered = 0;
    for (int i = 0; i < 8; i++) {
        struct ghcomp_task *task = new_task(self, for_the_caller, note_priority, (uintptr_t)priorities[i]);
        ghcomp_task_set_priority(task, priorities[i]);
        CHECK(ghcomp_task_defer(self, task));
    }
    taskwait(self, 1);
    CHECK_EQUAL(8, ordered);
    for (uint32_t i = 0; i < 8; i++)
        CHECK_EQUAL(7 - i, order[i]);
    ghcomp_store_release(&gate, 1u);
}
