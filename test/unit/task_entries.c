/* task_entries.h: the entries of a team's queue come by priority, then by age, whatever is taken out from their middle;
   compared with a list that is searched as a whole. */
#include "core/task/task_entries.h"

#include "unit.h"

enum { MOST = 300, ROUNDS = 200000, PRIORITIES = 4 };

static struct ghcomp_task_entries list;
static struct ghcomp_task tasks[MOST];
static bool there[MOST];
static uint32_t ages[MOST], age;
static uint32_t seed = 7;

static uint32_t any(uint32_t below)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) % below;
}

static bool comes_before(int a, int b)
{
    return tasks[a].priority != tasks[b].priority ? tasks[a].priority > tasks[b].priority
                                                  : (int32_t)(ages[a] - ages[b]) < 0;
}

/* The first of those that are there, and their number. */
static int first_of(uint32_t *count)
{
    int first = -1;
    *count = 0;
    for (int i = 0; i < MOST; i++) {
        if (!there[i])
            continue;
        ++*count;
        if (first < 0 || comes_before(i, first))
            first = i;
    }
    return first;
}

static void add(int which, int priority)
{
    there[which] = true;
    ages[which] = age;
    tasks[which].priority = priority;
    ghcomp_task_entries_add(&list, &(struct ghcomp_task_entry){.task = &tasks[which], .age = age++});
}

static void take(uint32_t at)
{
    int which = (int)(ghcomp_task_entries_at(&list, at)->task - tasks);
    CHECK(there[which]);
    there[which] = false;
    ghcomp_task_entries_remove(&list, at);
}

/* `priorities`: 1: all entries have priority 0. `middle`: one in so many is taken out at any place; 0: none. */
static void compare(uint32_t most, uint32_t priorities, uint32_t middle)
{
    for (int i = 0; i < unit_rounds(ROUNDS) / 20; i++) {
        uint32_t count;
        int first = first_of(&count);
        CHECK_EQUAL(count, ghcomp_task_entries_count(&list));
        if (count > 0)
            CHECK_EQUAL(first, ghcomp_task_entries_at(&list, 0)->task - tasks);
        int free_one = (int)any(most);
        if (!there[free_one])
            add(free_one, (int)any(priorities));
        else if (count > 0)
            take(middle != 0 && any(middle) == 0 ? any(count) : 0);
    }
    while (ghcomp_task_entries_count(&list) > 0) {
        uint32_t count;
        CHECK_EQUAL(first_of(&count), ghcomp_task_entries_at(&list, 0)->task - tasks);
        take(0);
    }
}

int main(void)
{
    age = UINT32_MAX - 1000; /* ages wrap around */
    compare(MOST, PRIORITIES, 3);
    compare(MOST, 1, 0);
    compare(MOST, 1, 3);
    compare(MOST, PRIORITIES, 0);
    compare(1, PRIORITIES, 0);
    free(list.ring);
    free(list.heap);
    return 0;
}
