/* The memory of tasks with much data, core/task/task_heap.c: every size and alignment, blocks that other threads give
   back, and the bound on what a thread keeps. Data is written by the maker and by the runner, without atomics: so
   ThreadSanitizer sees whether a block that comes back is ordered after its last use. */
#include "core/task/task_heap.h"

#include <pthread.h>
#include <sched.h>

#include "core/task/task_life.h"
#include "core/team/team.h"
#include "unit.h"

enum { KEPT_BYTES = 1280 * 1024, MANY = 4000 };

/* --- what a task's data is ---------------------------------------------------------------------------------------- */

struct header {
    size_t bytes;
    unsigned char seed;
};

static _Atomic uint32_t ran;

static unsigned char at(unsigned char seed, size_t i)
{
    return (unsigned char)(seed + 31 * i);
}

/* The byte after i that is written and checked: each one near both ends of the data, and one of 13 in between. */
static size_t after(size_t i, size_t bytes)
{
    return i + (i < 512 || i + 512 >= bytes ? 1 : 13);
}

static void fill(void *data, size_t bytes, unsigned char seed)
{
    unsigned char *byte = data;
    struct header header = {bytes, seed};
    memcpy(data, &header, sizeof header);
    for (size_t i = sizeof header; i < bytes; i = after(i, bytes))
        byte[i] = at(seed, i);
}

/* Spoils it, too: the next user of the memory must come after that. */
static void check_and_spoil(void *data)
{
    unsigned char *byte = data;
    struct header header;
    memcpy(&header, data, sizeof header);
    for (size_t i = sizeof header; i < header.bytes; i = after(i, header.bytes)) {
        CHECK_EQUAL(at(header.seed, i), byte[i]);
        byte[i] = 0xee;
    }
    ghcomp_add_relaxed(&ran, 1u);
}

static struct ghcomp_task *prepare(size_t bytes, size_t align, unsigned char seed)
{
    struct ghcomp_task *task = ghcomp_task_new(ghcomp_self(), check_and_spoil, bytes, align, 0);
    CHECK((uintptr_t)task->data % align == 0);
    fill(task->data, bytes, seed);
    return task;
}

static bool has_memory_of_its_own(const struct ghcomp_task *task)
{
    return (task->traits & GHCOMP_TASK_BIG) != 0;
}

static uint64_t blocks(const struct ghcomp_thread *thread, unsigned size)
{
    return thread->memory.other_tasks == NULL ? 0 : thread->memory.other_tasks[size].blocks.count;
}

static uint64_t all_blocks(const struct ghcomp_thread *thread)
{
    uint64_t sum = 0;
    for (unsigned size = 0; size < GHCOMP_TASK_OTHERS; size++)
        sum += blocks(thread, size);
    return sum;
}

static struct ghcomp_task *held[MANY];

/* --- one thread --------------------------------------------------------------------------------------------------- */

static void drop_all(int count)
{
    struct ghcomp_member *self = ghcomp_self();
    for (int i = 0; i < count; i++) {
        check_and_spoil(held[i]->data);
        ghcomp_task_drop(self, held[i]);
    }
}

/* Neighbours in memory are full to the last byte, and keep what is theirs. */
static void every_size_and_alignment(void)
{
    for (size_t bytes = sizeof(struct header); bytes < 20000; bytes += bytes < 1200 ? 1 : 61)
        for (size_t align = 1; align <= 4096; align *= 8) {
            for (int i = 0; i < 4; i++)
                held[i] = prepare(bytes, align, (unsigned char)(bytes + (size_t)i));
            drop_all(4);
        }
    struct ghcomp_task *task = prepare(64, 64, 0);
    CHECK(!has_memory_of_its_own(task));
    ghcomp_task_drop(ghcomp_self(), task);
    task = prepare(4096 + 64, 64, 0);
    CHECK(!has_memory_of_its_own(task));
    ghcomp_task_drop(ghcomp_self(), task);
    task = prepare(64 * 1024, 16, 0);
    CHECK(has_memory_of_its_own(task));
    ghcomp_task_drop(ghcomp_self(), task);
    task = prepare(64, 64 * 1024, 0);
    CHECK(has_memory_of_its_own(task));
    ghcomp_task_drop(ghcomp_self(), task);
}

/* A burst of unfinished tasks of one size: so many lie in blocks, the rest do not, and blocks stay. */
static void bounded(size_t bytes)
{
    struct ghcomp_thread *thread = ghcomp_self()->thread;
    uint64_t before = 0;
    for (int round = 0; round < 3; round++) {
        int in_blocks = 0;
        for (int i = 0; i < MANY; i++) {
            held[i] = prepare(bytes, 8, (unsigned char)i);
            in_blocks += !has_memory_of_its_own(held[i]);
        }
        CHECK((size_t)in_blocks * bytes <= KEPT_BYTES);
        CHECK(in_blocks < MANY && in_blocks >= (bytes > 4200 ? 128 : 256)); /* so many lie in a deque */
        drop_all(MANY);
        CHECK(round == 0 || all_blocks(thread) == before);
        before = all_blocks(thread);
    }
    struct ghcomp_task *task = prepare(bytes, 8, 0);
    CHECK(!has_memory_of_its_own(task));
    ghcomp_task_drop(ghcomp_self(), task);
}

/* Where more tasks may wait, more lie in blocks. Leaves more blocks than `bounded` allows. */
static void of_a_larger_team(void)
{
    enum { WAITING = 513, BYTES = 4000 };
    struct ghcomp_task_room *room = &ghcomp_self()->team->task_room;
    uint32_t any = room->any, in_blocks = 0;
    room->any = WAITING;
    for (int i = 0; i < MANY; i++) {
        held[i] = prepare(BYTES, 8, (unsigned char)i);
        in_blocks += !has_memory_of_its_own(held[i]);
    }
    CHECK(in_blocks >= WAITING && in_blocks < MANY);
    drop_all(MANY);
    room->any = any;
}

/* --- other threads give blocks back ------------------------------------------------------------------------------- */

enum { TEAM = 3, ROUNDS = 60, TASKS = 200 };

/* The maker leaves its tasks to the others for a while in some rounds, and runs most of them itself in the others. */
static void makes_many(void *data)
{
    (void)data;
    struct ghcomp_member *self = ghcomp_self();
    if (self->tid != 0)
        return;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t before = ghcomp_load_relaxed(&ran);
        for (int i = 0; i < TASKS; i++)
            ghcomp_task_submit(self, prepare((size_t)300 << i % 5, 8, (unsigned char)i));
        for (int i = 0; round % 2 == 0 && i < 100 && ghcomp_load_relaxed(&ran) < before + TASKS; i++)
            sched_yield();
        ghcomp_task_wait(self);
        CHECK_EQUAL(before + TASKS, ghcomp_load_relaxed(&ran));
    }
}

static void returned_by_others(void)
{
    struct ghcomp_thread *thread = ghcomp_self()->thread;
    ghcomp_store_relaxed(&ran, 0u);
    ghcomp_team_parallel(makes_many, NULL, TEAM, 0);
    uint64_t before = all_blocks(thread);
    int regions = unit_rounds(10);
    for (int i = 0; i < regions; i++)
        ghcomp_team_parallel(makes_many, NULL, TEAM, 0);
    CHECK_EQUAL((1 + regions) * ROUNDS * TASKS, ghcomp_load_relaxed(&ran));
    /* All unfinished tasks have blocks, which serve for all rounds. */
    CHECK(all_blocks(thread) <= before + 5 * GHCOMP_BLOCKS_AT_ONCE);
}

/* One thread makes the tasks and another one that is in no region gives them back, the whole bound at a time. */
static _Atomic uint32_t made, given; /* store_release, load_acquire */
enum { TURNS = 40 };

static void *gives_back(void *argument)
{
    (void)argument;
    for (uint32_t turn = 1; turn <= TURNS; turn++) {
        while (ghcomp_load_acquire(&made) < turn)
            sched_yield();
        int count = turn % 2 ? MANY / 4 : 10;
        for (int i = 0; i < count; i++) {
            check_and_spoil(held[i]->data);
            ghcomp_task_release(NULL, NULL, held[i]);
        }
        ghcomp_store_release(&given, turn);
    }
    return NULL;
}

static void returned_by_one(void)
{
    struct ghcomp_thread *thread = ghcomp_self()->thread;
    uint64_t before = 0;
    pthread_t other;
    CHECK_EQUAL(0, pthread_create(&other, NULL, gives_back, NULL));
    for (uint32_t turn = 1; turn <= TURNS; turn++) {
        for (int i = 0; i < (turn % 2 ? MANY / 4 : 10); i++)
            held[i] = prepare(3000, 8, (unsigned char)i);
        CHECK(!has_memory_of_its_own(held[0]));
        ghcomp_store_release(&made, turn);
        while (ghcomp_load_acquire(&given) < turn)
            sched_yield();
        CHECK(turn == 1 || all_blocks(thread) == before);
        before = all_blocks(thread);
    }
    CHECK_EQUAL(0, pthread_join(other, NULL));
}

/* --- a thread that ends ------------------------------------------------------------------------------------------- */

static void *makes_and_ends(void *argument)
{
    struct ghcomp_task **task = argument;
    *task = prepare(5000, 8, 3);
    CHECK(!has_memory_of_its_own(*task));
    ghcomp_task_detachable(*task);
    ghcomp_task_submit(ghcomp_self(), *task);
    bounded(2000);
    return NULL;
}

/* Its blocks, the array of their lists among them, stay until the task is complete. */
static void outlives_its_maker(void)
{
    struct ghcomp_task *task;
    pthread_t thread;
    CHECK_EQUAL(0, pthread_create(&thread, NULL, makes_and_ends, &task));
    CHECK_EQUAL(0, pthread_join(thread, NULL));
    ghcomp_task_fulfill(task);
}

int main(void)
{
    ghcomp_env_init();
    static const size_t sizes[] = {sizeof(struct header) + 200, 700, 1024, 2048, 4096, 4200, 8192};
    if (!unit_finds_races()) {
        every_size_and_alignment();
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            bounded(sizes[i]);
        of_a_larger_team();
    }
    returned_by_others();
    returned_by_one();
    for (int i = 0; i < 3; i++)
        outlives_its_maker();
    return 0;
}
