/* When a thief may take what a maker of tasks has left in its deque (core/task/task_take.c, "Ripe tasks"): at once
   where the maker has not emptied the deque lately, otherwise later, the more threads there are for a CPU. And after
   which tasks a thief rests. The clock is made up, and one thread plays all members. */
#include "unit.h"

#include <string.h>

#include "base/machine.h"
#include "core/cpu/wait.h"
#include "core/state/types.h"

enum { CPUS = 2, MOST = 64 };

static uint64_t ticks = 1000000, step;

static uint64_t fake_ticks(void)
{
    return ticks += step;
}

/* The source itself, with this fake. */
#define ghcomp_cpu_ticks fake_ticks
#include "core/task/task_take.c"

enum { ROOM = 16 };

static struct ghcomp_thread threads[2];
static struct ghcomp_member *members[MOST];
static struct ghcomp_team team;
static struct {
    struct ghcomp_deque deque;
    _Atomic(struct ghcomp_task *) slots[ROOM];
} whole = {.deque.mask = ROOM - 1};
static struct ghcomp_deque *const deque = &whole.deque;
static struct ghcomp_task task;

/* The maker has taken the last task itself, and has made one that stays. */
static void maker_empties_and_makes(void)
{
    ghcomp_store_relaxed(&deque->emptied, ghcomp_load_relaxed(&deque->emptied) + 1);
    CHECK(ghcomp_deque_push(deque, &task, ROOM));
}

/* A team of that size, with so many workers of the process awake. */
static void begin(uint32_t size, uint32_t awake)
{
    memset(threads, 0, sizeof threads);
    memset(&team, 0, sizeof team);
    memset(&whole, 0, sizeof whole);
    whole.deque.mask = ROOM - 1;
    for (uint32_t i = 0; i < MOST; i++)
        members[i] = &threads[i == 0].self; /* the thief has all places but the maker's */
    for (int i = 0; i < 2; i++) {
        threads[i].self.thread = &threads[i];
        threads[i].self.team = &team;
    }
    ghcomp_store_relaxed(&members[0]->deque, deque);
    team.size = size;
    team.members = members;
    ghcomp_cpu_load.cpus = CPUS;
    ghcomp_store_relaxed(&ghcomp_cpu_load.awake, awake);
    ghcomp_store_relaxed(&ghcomp_cpu_load.beside, 1u);
}

static struct ghcomp_task *look(void)
{
    members[1]->look_at = 0;
    return ghcomp_task_take_any(members[1]);
}

/* Ticks after the first look until the thief takes the task that its maker leaves alone. */
static uint64_t ripe_after(uint32_t size, uint32_t awake)
{
    begin(size, awake);
    maker_empties_and_makes();
    uint64_t first = ticks;
    while (look() == NULL) {
        CHECK(ticks - first < 2 * RIPE_TICKS_MOST);
        ticks += GHCOMP_TICKS_PER_US / 10;
    }
    return ticks - first;
}

static void more_threads_for_a_cpu_wait_for_longer(void)
{
    CHECK_EQUAL(RIPE_TICKS, ripe_after(CPUS, CPUS - 1));
    CHECK_EQUAL(2 * RIPE_TICKS, ripe_after(2 * CPUS, 2 * CPUS - 1));
    CHECK_EQUAL(4 * RIPE_TICKS, ripe_after(4 * CPUS, 4 * CPUS - 1));
    CHECK_EQUAL(RIPE_TICKS_MOST, ripe_after(MOST, MOST - 1));
}

/* Of other teams, too; and those of a large team that sleep now may be awake when the maker has no CPU. */
static void all_threads_count(void)
{
    CHECK_EQUAL(2 * RIPE_TICKS, ripe_after(CPUS, 2 * CPUS - 1));
    CHECK_EQUAL(4 * RIPE_TICKS, ripe_after(4 * CPUS, 2 * CPUS));
    CHECK_EQUAL(RIPE_TICKS, ripe_after(2 * CPUS, CPUS - 1));
}

static void a_maker_at_work_keeps_its_tasks(void)
{
    begin(2 * CPUS, 2 * CPUS - 1);
    for (int i = 0; i < 10; i++) {
        maker_empties_and_makes();
        CHECK(look() == NULL);
        CHECK(members[1]->unripe);
        ticks += 2 * RIPE_TICKS - 1;
        CHECK(look() == NULL);
        CHECK(ghcomp_deque_pop(deque, 0) == &task);
        ticks += RIPE_TICKS_MOST;
    }
}

/* So thieves of large tasks wait for nothing. */
static void what_was_never_emptied_is_ripe(void)
{
    begin(2 * CPUS, 2 * CPUS - 1);
    CHECK(ghcomp_deque_push(deque, &task, ROOM));
    CHECK(look() == &task);
}

/* Whether a thief rests after a task that has taken so many ticks from its steal on, which had taken `steal`. */
static bool rests(uint64_t steal, uint64_t took)
{
    begin(CPUS, CPUS - 1);
    uint64_t before = ticks;
    ticks += steal;
    members[1]->stole = moved(before);
    ticks += took;
    uint64_t after = ticks;
    step = 10;
    rest(members[1]);
    step = 0;
    CHECK_EQUAL(0, members[1]->stole);
    CHECK(ticks - after < REST_TICKS + 100);
    return ticks - after >= REST_TICKS;
}

/* The task's own data take twice as long to come as the steal did. */
static void a_thief_rests_after_a_task_that_was_not_worth_the_move(void)
{
    for (uint64_t steal = 0; steal < 2 * GHCOMP_TICKS_PER_US; steal += 97) {
        CHECK(rests(steal, 0));
        CHECK(rests(steal, 2 * steal));
        CHECK(rests(steal, 2 * steal + SMALL_TICKS - 20));
        CHECK(!rests(steal, 2 * steal + SMALL_TICKS));
        CHECK(!rests(steal, 100 * GHCOMP_TICKS_PER_US));
    }
}

int main(void)
{
    a_thief_rests_after_a_task_that_was_not_worth_the_move();
    more_threads_for_a_cpu_wait_for_longer();
    all_threads_count();
    a_maker_at_work_keeps_its_tasks();
    what_was_never_emptied_is_ripe();
    return 0;
}
