/* explore: the deque (core/task/deque.h). The owner pushes and pops, thieves steal: every task is taken exactly
   once, and the thread that takes it sees its maker's writes.
   mutant: plain-pop | core/task/deque.h | ghcomp_xchg_seqcst\(&deque->bottom, bottom\); => ghcomp_store_relaxed(&deque->bottom, bottom);
   mutant: last-for-both | core/task/deque.h | bool taken = ghcomp_cas_seqcst\(&deque->top, &top, top \+ 1\); => bool taken = ghcomp_load_seqcst(&deque->top) == top; ghcomp_store_relaxed(&deque->top, top + 1);
   mutant: peek-acquires | core/task/deque.h | uint32_t bottom = ghcomp_load_seqcst\(&deque->bottom\);\s*\*ticket => uint32_t bottom = ghcomp_load_acquire(&deque->bottom); *ticket
   mutant: pop-acquires | core/task/deque.h | bottom\);\s*top = ghcomp_load_seqcst\(&deque->top\); => bottom); top = ghcomp_load_acquire(&deque->top);
   mutant: never-full | core/task/deque.h | if \(bottom - deque->seen_top >= room\)\s*return false; => if (bottom - deque->seen_top > room) return false; */
#include "explore.h"

#include "core/task/deque.h"

enum { SLOTS = 16, TASKS = SLOTS + 4 };
#define NOT_OLDER_THAN UINT32_C(0x80000000) /* no task is */

static struct {
    struct ghcomp_deque deque;
    _Atomic(struct ghcomp_task *) slots[SLOTS];
} whole = {.deque.mask = SLOTS - 1};
static struct ghcomp_deque *const deque = &whole.deque;
static struct ghcomp_task tasks[TASKS];
static unsigned taken[TASKS], made;

static void take(struct ghcomp_task *task)
{
    EXPLORE_CHECK(task >= tasks && task < tasks + TASKS);
    EXPLORE_EQUAL(task - tasks + 1, task->id);
    EXPLORE_EQUAL(0, taken[task - tasks]);
    taken[task - tasks]++;
}

static bool push(void)
{
    tasks[made].id = made + 1;
    bool fits = ghcomp_deque_push(deque, &tasks[made], SLOTS);
    made += fits;
    return fits;
}

static void pop(void)
{
    struct ghcomp_task *task = ghcomp_deque_pop(deque, NOT_OLDER_THAN);
    if (task != NULL)
        take(task);
}

static void steal(void *attempts)
{
    for (uintptr_t i = 0; i < (uintptr_t)attempts; i++) {
        uint32_t ticket;
        struct ghcomp_task *task = ghcomp_deque_peek(deque, &ticket);
        if (task != NULL && ghcomp_deque_steal(deque, ticket))
            take(task);
    }
}

static void pop_the_last(void *nothing)
{
    (void)nothing;
    push();
    pop();
}

static void push_pop_twice(void *nothing)
{
    (void)nothing;
    push();
    push();
    pop();
    pop();
}

static void take_oldest(void)
{
    struct ghcomp_task *task = ghcomp_deque_take_oldest(deque);
    if (task != NULL)
        take(task);
}

static void push_take_oldest(void *nothing)
{
    (void)nothing;
    push();
    push();
    take_oldest();
    push();
    pop();
    take_oldest();
}

/* Room for two more: the slot of the third is that of a stolen one. */
static void push_when_full(void *nothing)
{
    (void)nothing;
    push();
    push();
    push();
    pop();
    push();
    pop();
}

static void all_taken(void)
{
    struct ghcomp_task *task;
    while ((task = ghcomp_deque_pop(deque, NOT_OLDER_THAN)) != NULL)
        take(task);
    for (unsigned i = 0; i < made; i++)
        EXPLORE_EQUAL(1, taken[i]);
}

static void begin(void)
{
    ghcomp_store_relaxed(&deque->bottom, UINT32_MAX - 1); /* the counts wrap around */
    ghcomp_store_relaxed(&deque->top, UINT32_MAX - 1);
    deque->seen_top = UINT32_MAX - 1;
}

static void one_task(void)
{
    begin();
    explore_thread(pop_the_last, NULL);
    explore_thread(steal, (void *)1);
    explore_thread(steal, (void *)1);
}

static void two_tasks(void)
{
    begin();
    explore_thread(push_pop_twice, NULL);
    explore_thread(steal, (void *)2);
}

static void two_tasks_two_thieves(void)
{
    begin();
    explore_thread(push_pop_twice, NULL);
    explore_thread(steal, (void *)1);
    explore_thread(steal, (void *)2);
}

static void the_oldest(void)
{
    begin();
    explore_thread(push_take_oldest, NULL);
    explore_thread(steal, (void *)1);
    explore_thread(steal, (void *)1);
}

static void a_full_deque(void)
{
    begin();
    while (made < SLOTS - 2)
        push();
    explore_thread(push_when_full, NULL);
    explore_thread(steal, (void *)1);
    explore_thread(steal, (void *)2);
}

int main(int argc, char **argv)
{
    static const struct explore_scenario scenarios[] = {
        {.name = "the last task", .setup = one_task, .finish = all_taken, .full = true},
        {.name = "two tasks", .setup = two_tasks, .finish = all_taken, .full = true, .random = 1000},
        {.name = "two tasks, two thieves", .setup = two_tasks_two_thieves, .finish = all_taken, .full = true,
         .schedules = 30000, .random = 2000},
        {.name = "the oldest", .setup = the_oldest, .finish = all_taken, .full = true, .schedules = 30000,
         .random = 2000},
        {.name = "a full deque", .setup = a_full_deque, .finish = all_taken, .preemptions = 3, .delays = 1,
         .schedules = 30000, .random = 4000},
    };
    return explore_main(argc, argv, scenarios, sizeof scenarios / sizeof scenarios[0]);
}
