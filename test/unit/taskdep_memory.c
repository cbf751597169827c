/* The memory of dependences, core/task/taskdep*.c without the rest of the task engine (taskdep.h): bounded by the
 * unfinished tasks, no malloc in a steady state, every block back at the end.
 */
#include "core/task/taskdep.h"

#include "taskdep.h"

static uint64_t blocks(void)
{
    return owner_thread.memory.dependences == NULL ? 0 : owner_thread.memory.dependences->blocks.count;
}

/* At most `unfinished` tasks are unfinished; the oldest is completed by the owner or by another thread. */
static void stream(int count, int unfinished, int kind, bool one_address, struct ghcomp_member *self)
{
    static char space[1 << 20];
    for (int i = 0; i < count; i++) {
        if (i >= unfinished)
            complete(&jobs[i % unfinished], self);
        submit_one(&jobs[i % unfinished], one_address ? space : &space[i & ((1 << 20) - 1)], kind);
    }
    for (int i = count; i < count + unfinished; i++)
        complete(&jobs[i % unfinished], self);
}

static void test_streams(void)
{
    enum { COUNT = 1000000 };
    const int few = unit_rounds(COUNT / 50);
    struct ghcomp_member *who[] = {&owner, &other};
    for (int i = 0; i < 2; i++)
        for (int kind = IN; kind < KINDS; kind++)
            for (int one_address = 0; one_address < 2; one_address++)
                for (int unfinished = 1; unfinished <= 50; unfinished += 49) {
                    ghcomp_depend_forget(&parent);
                    ghcomp_depend_heap_free(&owner_thread);
                    stream(1000, unfinished, kind, one_address, who[i]);
                    uint64_t had = allocations;
                    largest = 0;
                    stream(few, unfinished, kind, one_address, who[i]);
                    CHECK(blocks() <= 1000);
                    CHECK(largest <= 64 * 1024);
                    /* The smallest tables are used again. */
                    CHECK(allocations - had <= (unfinished == 1 ? 0 : (uint64_t)few / 50));
                    ghcomp_depend_forget(&parent);
                    check_heap();
                }
    if (unit_finds_races())
        return;
    /* Full length for the three streams that are typical of programs. */
    stream(COUNT, 1, IN, true, &owner);
    stream(COUNT, 2, INOUT, true, &owner);
    stream(COUNT, 1, INOUT, false, &other);
    CHECK(blocks() <= 1000);
    ghcomp_depend_forget(&parent);
    check_heap();
}

/* A chain, a fan and many addresses; nothing is finished before everything is made. */
static void test_many_unfinished(void)
{
    enum { MANY = MOST_JOBS };
    static char space[MANY];
    for (int round = 0; round < 3; round++) {
        struct ghcomp_member *self = round % 2 ? &owner : NULL;
        for (int i = 0; i < MANY; i++)
            submit_one(&jobs[i], space, INOUT);
        CHECK(blocks() <= MANY + 100);
        for (int i = 0; i < MANY; i++) {
            CHECK(i + 1 == MANY || ghcomp_load_relaxed(&jobs[i + 1].state) == WAITING);
            complete(&jobs[i], self);
        }
        ghcomp_depend_forget(&parent);
        check_heap();
    }
    /* Two sets, joined in the middle: as many edges as tasks. */
    int first[] = {IN, INOUTSET, MUTEX, INOUTSET}, then[] = {INOUTSET, IN, IN, OUT};
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < MANY / 2; i++)
            submit_one(&jobs[i], space, first[round]);
        for (int i = MANY / 2; i < MANY; i++)
            submit_one(&jobs[i], space, then[round]);
        CHECK(blocks() <= 3 * MANY);
        for (int i = 0; i < MANY; i++)
            complete(&jobs[i], round % 2 ? &owner : &other);
        ghcomp_depend_forget(&parent);
        check_heap();
    }
    /* Many addresses; when their tasks are complete, the table becomes small again. */
    largest = 0;
    for (int i = 0; i < MANY; i++)
        submit_one(&jobs[i], &space[i], IN);
    CHECK(largest > MANY * 32 && largest < MANY * 512);
    for (int i = 0; i < MANY; i++)
        complete(&jobs[i], &owner);
    largest = 0;
    stream(100000, 1, OUT, false, &owner);
    CHECK(largest < 2048);
    ghcomp_depend_forget(&parent);
    check_heap();
}

int main(void)
{
    jobs = calloc(MOST_JOBS, sizeof *jobs);
    test_many_unfinished();
    test_streams();
    ghcomp_depend_heap_free(&owner_thread);
    CHECK(owner_thread.memory.dependences == NULL);
    free(jobs);
    return 0;
}
