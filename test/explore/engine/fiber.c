/* Fibers: the explorer's threads are stacks of its one OS thread, and their thread-local variables take turns.
 *
 * thread.h puts all variables declared __thread into the section explore_tls. The fiber that runs has its variables
 * there, the others in a copy; a switch exchanges them. The main context, which runs the search (explore.c), starts
 * each fiber up to its first step, and gets control back when the schedule is at its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine.h"
#include "history.h"
#include "state.h"

enum { STACK = 1 << 18 };

extern char __start_explore_tls[] __attribute__((weak)), __stop_explore_tls[] __attribute__((weak));

static size_t tls_size(void)
{
    return (size_t)(__stop_explore_tls - __start_explore_tls);
}

void explore_switch(void **from, void *to);
__asm__(".text\n.globl explore_switch\nexplore_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

void fiber_go_to(unsigned next)
{
    unsigned before = X->current;
    if (before == next)
        return;
    memcpy(X->fiber[before].tls, __start_explore_tls, tls_size());
    memcpy(__start_explore_tls, X->fiber[next].tls, tls_size());
    X->current = next;
    explore_switch(&X->fiber[before].sp, X->fiber[next].sp);
}

void fiber_to_main(void)
{
    explore_switch(&X->fiber[X->current].sp, X->main_sp);
}

static void fiber_main(void)
{
    struct fiber *me = &X->fiber[X->current];
    me->function(me->argument);
    me->done = true;
    me->pending = (struct pending){.op = OP_LOCAL};
    if (X->starting)
        fiber_to_main();
    unsigned next = scheduler_decide();
    if (next == MOST)
        fiber_to_main();
    fiber_go_to(next);
    abort();
}

void fiber_new(void (*function)(void *), void *argument, bool daemon)
{
    if (X->fibers == MOST) {
        fprintf(stderr, "too many threads\n");
        exit(1);
    }
    struct fiber *fiber = &X->fiber[X->fibers++];
    char *stack = fiber->stack, *tls = fiber->tls;
    *fiber = (struct fiber){.stack = stack, .tls = tls, .function = function, .argument = argument, .daemon = daemon};
    if (stack == NULL) {
        fiber->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fiber->tls = mmap(NULL, tls_size() + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    memset(fiber->tls, 0, tls_size());
    void **sp = (void **)(fiber->stack + STACK) - 1; /* fiber_main finds its stack aligned as after a call */
    *sp = NULL;
    *--sp = (void *)fiber_main;
    sp -= 6;
    fiber->sp = sp;
}

void explore_thread(void (*function)(void *), void *argument)
{
    fiber_new(function, argument, false);
}

unsigned explore_self(void)
{
    return X->current;
}

struct spawned {
    void *(*entry)(void *);
    void *argument;
};

static void run_spawned(void *argument)
{
    struct spawned spawned = *(struct spawned *)argument;
    spawned.entry(spawned.argument);
}

void explore_spawn(void *(*entry)(void *), void *argument)
{
    if (!X->running) {
        fprintf(stderr, "a thread outside of a schedule\n");
        exit(1);
    }
    struct spawned *spawned = malloc(sizeof *spawned);
    *spawned = (struct spawned){entry, argument};
    buffer_flush_all(X->current);
    fiber_new(run_spawned, spawned, true);
    if (X->mode == RANDOM_C11)
        history_thread(X->fibers - 1, X->current);
}

void fibers_clear(void)
{
    memset(__start_explore_tls, 0, tls_size());
    X->fibers = X->current = 0;
}

static void enter(unsigned who)
{
    memcpy(__start_explore_tls, X->fiber[who].tls, tls_size());
    X->current = who;
    explore_switch(&X->main_sp, X->fiber[who].sp);
}

void fibers_start(void)
{
    unsigned made = X->fibers;
    for (unsigned i = 0; i < made; i++) {
        X->starting = true;
        enter(i);
        memcpy(X->fiber[i].tls, __start_explore_tls, tls_size());
    }
    X->starting = false;
    X->current = 0;
    memcpy(__start_explore_tls, X->fiber[0].tls, tls_size());
}

void fibers_run(void)
{
    unsigned next = scheduler_decide();
    if (next != MOST)
        enter(next);
}
