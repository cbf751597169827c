/* Kinds of dependence that GCC 12 does not know, by the entry's own arguments: inoutset, whose tasks are concurrent
   with each other and with no other task, and all memory, which conflicts with everything.
   ghcomp-only: libgomp 12 knows neither
   limit: 60
   symbols: GOMP_task */
#define _GNU_SOURCE
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>

#include "../common.h"
#include "../gate.h"

void GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int, void *);

enum { DEPEND = 8, IN = 1, OUT = 2, INOUT = 3, MUTEX = 4, SET = 5 };

struct object {
    void *address;
    void *kind;
};

struct work {
    void (*body)(void *);
    int number;
};

static int x, y, order, here, team, ended;

static void run(void *data)
{
    struct work *work = data;
    work->body(&work->number);
}

/* A task with one dependence of some kind, given as an object; address NULL is all memory. */
static void task(void (*body)(void *), int number, void *address, int kind, bool deferred)
{
    struct object object = {address, (void *)(intptr_t)kind};
    void *depend[6] = {NULL, (void *)1, NULL, NULL, NULL, &object};
    struct work work = {body, number};
    GOMP_task(run, &work, NULL, sizeof work, _Alignof(struct work), deferred, DEPEND, depend, 0, NULL);
}

/* The same with a plain writer or reader, as GCC lays out omp_all_memory. */
static void plain(void (*body)(void *), int number, void *address, bool writer)
{
    void *depend[3] = {(void *)1, (void *)(intptr_t)writer, address};
    struct work work = {body, number};
    GOMP_task(run, &work, NULL, sizeof work, _Alignof(struct work), true, DEPEND, depend, 0, NULL);
}

static void in_turn(void *number)
{
    CHECK(__atomic_fetch_add(&order, 1, __ATOMIC_ACQ_REL) == *(int *)number);
}

static void together(void *number)
{
    (void)number;
    meet(&here, team);
    count_up(&ended);
}

static void after_all(void *number)
{
    CHECK(look(&ended) == *(int *)number);
}

static void after_some(void *number)
{
    CHECK(look(&ended) >= *(int *)number);
}

static void count(void *number)
{
    (void)number;
    count_up(&ended);
}

static void sets(void)
{
    order = here = ended = 0;
    task(in_turn, 0, &x, OUT, true);
    task(in_turn, 1, &x, INOUT, true);
    for (int i = 0; i < team; i++)
        task(together, i, &x, SET, true);
    /* A reader, a writer or a mutexinoutset comes after the whole set. */
    task(after_all, team, &x, IN, true);
    task(after_all, team, &x, MUTEX, true);
    for (int i = 0; i < 10; i++)
        task(count, i, &x, SET, true);
    task(after_all, team + 10, &x, OUT, false);
    task(count, 0, &x, SET, false);
    task(count, 0, &x, SET, true);
    task(after_all, team + 12, &x, IN, true);
#pragma omp taskwait
}

static void all_memory(void)
{
    order = ended = 0;
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 5; i++) {
            task(count, 0, &x, IN, true);
            plain(count, 0, &y, true);
        }
        plain(after_all, 10 * (round + 1) + round, NULL, true);
        plain(count, 0, NULL, true);
        plain(after_some, 10 * (round + 1) + round + 1, &x, false); /* beside the next round's */
    }
    task(in_turn, 0, &y, OUT, true);
    task(in_turn, 1, NULL, INOUT, true);
    task(in_turn, 2, &x, MUTEX, true);
    task(in_turn, 3, NULL, OUT, true);
    task(in_turn, 4, &y, SET, true);
    task(in_turn, 5, NULL, OUT, false);
    CHECK(order == 6);
#pragma omp taskwait
}

int main(void)
{
    omp_set_dynamic(0);
    team = 1;
    sets();
    all_memory();
    for (team = 1; team <= 8; team *= 2) {
#pragma omp parallel num_threads(team)
#pragma omp single
        for (int pass = 0; pass < 20; pass++) {
            sets();
            all_memory();
        }
    }
    return 0;
}
