/* The simulated threads: stacks of one OS thread. Their thread-local variables are in one section, as in the explorer
 * (test/explore/engine/fiber.c): the fiber that runs has its own there, the others in a copy. Nothing but the
 * simulator switches, so nothing here is shared. x86-64 only. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim.h"

enum { STACK = 1 << 18 };

struct fiber fibers[MOST_FIBERS];
uint32_t fiber_count;
struct fiber *me;
static struct fiber outside; /* whoever called fibers_run */

extern char __start_explore_tls[] __attribute__((weak)), __stop_explore_tls[] __attribute__((weak));

static size_t tls_size(void)
{
    return (size_t)(__stop_explore_tls - __start_explore_tls);
}

void sim_switch(void **from, void *to);
__asm__(".text\n.globl sim_switch\nsim_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

void fiber_go_to(struct fiber *next)
{
    struct fiber *before = me;
    if (before == next)
        return;
    memcpy(before->tls, __start_explore_tls, tls_size());
    memcpy(__start_explore_tls, next->tls, tls_size());
    me = next;
    sim_switch(&before->sp, next->sp);
}

static void begin(void)
{
    me->function(me->argument);
    cpu_end();
    abort();
}

struct fiber *fiber_new(uint32_t process, void (*function)(void *), void *argument)
{
    if (fiber_count == MOST_FIBERS) {
        fprintf(stderr, "simulate: too many threads; raise MOST_FIBERS\n");
        exit(1);
    }
    struct fiber *fiber = &fibers[fiber_count];
    *fiber = (struct fiber){.number = fiber_count++, .process = process, .state = ASLEEP, .function = function,
                            .argument = argument};
    for (uint32_t i = 0; i < cpu_count; i++)
        CPU_SET(i, &fiber->mask);
    fiber->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    fiber->tls = calloc(1, tls_size() + 1);
    if (fiber->stack == MAP_FAILED || fiber->tls == NULL)
        abort();
    void **sp = (void **)(fiber->stack + STACK) - 1; /* begin() finds its stack aligned as after a call */
    *sp = NULL;
    *--sp = (void *)begin;
    fiber->sp = sp - 6;
    return fiber;
}

void fibers_run(void)
{
    outside.tls = calloc(1, tls_size() + 1);
    me = &outside;
    cpus_run();
    me = NULL;
}

void fibers_stop(void)
{
    fiber_go_to(&outside);
}
