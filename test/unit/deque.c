/* deque.h: every task that is pushed is taken exactly once, by its owner or by one of the thieves; a full deque
   refuses. */
#include "core/task/deque.h"

#include <pthread.h>

#include "unit.h"

enum { MOST_TASKS = 300000, THIEVES = 3, SLOTS = 256 };

static struct {
    struct ghcomp_deque deque;
    _Atomic(struct ghcomp_task *) slots[SLOTS];
} whole = {.deque.mask = SLOTS - 1};
static struct ghcomp_deque *const deque = &whole.deque;
static struct ghcomp_task *tasks;
static _Atomic unsigned char taken[MOST_TASKS];
static _Atomic uint32_t stolen;
static _Atomic bool over;

static void take(struct ghcomp_task *task)
{
    CHECK_EQUAL(0, ghcomp_add_relaxed(&taken[task - tasks], 1));
    /* The owner's writes before its push are visible. */
    CHECK_EQUAL(task - tasks, task->id);
}

static void *thief(void *argument)
{
    (void)argument;
    uint32_t mine = 0;
    for (;;) {
        bool last = ghcomp_load_acquire(&over);
        uint32_t ticket;
        struct ghcomp_task *task = ghcomp_deque_peek(deque, &ticket);
        if (task != NULL && ghcomp_deque_steal(deque, ticket)) {
            take(task);
            mine++;
        } else if (last && task == NULL) {
            break;
        }
    }
    ghcomp_add_relaxed(&stolen, mine);
    return NULL;
}

static void owner_and_thieves(unsigned seed)
{
    const uint32_t count = (uint32_t)unit_rounds(MOST_TASKS);
    pthread_t thieves[THIEVES];
    ghcomp_store_relaxed(&over, false);
    for (uint32_t i = 0; i < count; i++)
        ghcomp_store_relaxed(&taken[i], 0);
    for (int i = 0; i < THIEVES; i++)
        pthread_create(&thieves[i], NULL, thief, NULL);
    uint32_t mine = 0;
    for (uint32_t next = 0; next < count;) {
        seed = seed * 1103515245u + 12345u;
        for (unsigned burst = seed >> 28; burst > 0 && next < count; burst--) {
            tasks[next].id = next;
            if (ghcomp_deque_push(deque, &tasks[next], SLOTS))
                next++;
            else
                break;
        }
        for (unsigned burst = seed >> 16 & 7; burst > 0; burst--) {
            struct ghcomp_task *task = seed >> 20 & 1 ? ghcomp_deque_take_oldest(deque)
                                                      : ghcomp_deque_pop(deque, ghcomp_load_relaxed(&deque->top));
            if (task == NULL)
                break;
            take(task);
            mine++;
        }
    }
    struct ghcomp_task *task;
    while ((task = ghcomp_deque_pop(deque, ghcomp_load_relaxed(&deque->top))) != NULL) {
        take(task);
        mine++;
    }
    ghcomp_store_release(&over, true);
    for (int i = 0; i < THIEVES; i++)
        pthread_join(thieves[i], NULL);
    CHECK_EQUAL(count, mine + ghcomp_xchg_relaxed(&stolen, 0u));
    CHECK(ghcomp_deque_seems_empty(deque));
}

static void order_and_bounds(void)
{
    uint32_t bottom = ghcomp_load_relaxed(&deque->bottom);
    for (int i = 0; i < SLOTS; i++)
        CHECK(ghcomp_deque_push(deque, &tasks[i], SLOTS));
    CHECK(!ghcomp_deque_push(deque, &tasks[0], SLOTS));
    CHECK(!ghcomp_deque_push(deque, &tasks[0], 10));
    uint32_t ticket;
    CHECK(ghcomp_deque_peek(deque, &ticket) == &tasks[0]);
    CHECK(ghcomp_deque_steal(deque, ticket));
    CHECK(!ghcomp_deque_steal(deque, ticket));
    CHECK(ghcomp_deque_push(deque, &tasks[SLOTS], SLOTS));
    for (int i = SLOTS; i > 10; i--)
        CHECK(ghcomp_deque_pop(deque, bottom + 11) == &tasks[i] || i == 10);
    CHECK(ghcomp_deque_pop(deque, bottom + 11) == NULL);
    for (int i = 10; i > 0; i--)
        CHECK(ghcomp_deque_pop(deque, bottom) == &tasks[i]);
    CHECK(ghcomp_deque_pop(deque, bottom) == NULL);
    /* The oldest ones first; who steals is told from the owner. */
    uint32_t emptied = ghcomp_load_relaxed(&deque->emptied), oldest = deque->oldest;
    for (int i = 0; i < 3; i++)
        CHECK(ghcomp_deque_push(deque, &tasks[i], SLOTS));
    for (int i = 0; i < 3; i++)
        CHECK(ghcomp_deque_take_oldest(deque) == &tasks[i]);
    CHECK(ghcomp_deque_take_oldest(deque) == NULL);
    CHECK_EQUAL(emptied + 1, ghcomp_load_relaxed(&deque->emptied));
    CHECK_EQUAL(oldest + 2, deque->oldest);
}

int main(void)
{
    tasks = calloc(MOST_TASKS, sizeof *tasks);
    CHECK(tasks != NULL);
    order_and_bounds();
    /* The indices wrap around. */
    ghcomp_store_relaxed(&deque->bottom, UINT32_MAX - 1000);
    ghcomp_store_relaxed(&deque->top, UINT32_MAX - 1000);
    deque->seen_top = UINT32_MAX - 1000;
    for (unsigned seed = 1; seed <= 3; seed++)
        owner_and_thieves(seed);
    order_and_bounds();
    free(tasks);
    return 0;
}
