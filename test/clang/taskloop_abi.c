/* Loops of tasks in calls by hand: the taskgroup of the call itself, how many tasks there are and what each has, bounds
   that need 64 bits, and the copies that task_dup is told of. */
#include "task_abi.h"

#include "../conformance/common.h"
#include "../conformance/gate.h"

static int tasks, duplicates, lasts;
static uint64_t iterations, least, most;
static int lock;

/* own[0] and own[1] are the bounds, own[2] the step, own[3] whether the task was told that it is the last. */
static int32_t body(int32_t thread, task_t *task)
{
    (void)thread;
    long step = task->own[2];
    uint64_t count = step > 0 ? ((uint64_t)task->own[1] - (uint64_t)task->own[0]) / (uint64_t)step + 1
                              : ((uint64_t)task->own[0] - (uint64_t)task->own[1]) / (uint64_t)-step + 1;
    CHECK((int *)task->shareds == (int *)(task + 1) && *(int *)task->shareds == 77);
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    tasks++;
    iterations += count;
    least = count < least ? count : least;
    most = count > most ? count : most;
    lasts += task->own[3] != 0;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    return 0;
}

static void duplicate(task_t *to, task_t *from, int32_t last)
{
    CHECK(to != from && to->own[2] == from->own[2]);
    count_up(&duplicates);
    to->own[3] = last;
}

enum { NONE, GRAINSIZE, NUM_TASKS };

static void loop(uint64_t lower, uint64_t upper, long step, int schedule, uint64_t amount, int strict, int with_dup)
{
    int thread = __kmpc_global_thread_num(&here);
    task_t *task = __kmpc_omp_task_alloc(&here, thread, TIED, sizeof *task, sizeof(int), body);
    task->own[0] = (long)lower;
    task->own[1] = (long)upper;
    task->own[2] = step;
    task->own[3] = 0;
    *(int *)task->shareds = 77;
    tasks = duplicates = lasts = 0;
    iterations = most = 0;
    least = UINT64_MAX;
    void *dup = with_dup ? (void *)duplicate : NULL;
    if (strict)
        __kmpc_taskloop_5(&here, thread, task, 1, (uint64_t *)&task->own[0], (uint64_t *)&task->own[1], step, 0,
                          schedule, amount, 1, dup);
    else
        __kmpc_taskloop(&here, thread, task, 1, (uint64_t *)&task->own[0], (uint64_t *)&task->own[1], step, 0, schedule,
                        amount, dup);
    /* libomp copies the pattern, too, for halves of the loop. */
    CHECK((with_dup ? duplicates >= tasks : duplicates == 0) && lasts == with_dup);
}

static void all(int with_dup)
{
    loop(0, 99, 1, GRAINSIZE, 10, 0, with_dup);
    CHECK(tasks == 10 && iterations == 100 && least == 10 && most == 10);
    loop(0, 99, 1, GRAINSIZE, 30, 1, with_dup);
    CHECK(tasks == 4 && iterations == 100 && least == 10 && most == 30);
    loop(0, 99, 1, GRAINSIZE, 1000, 0, with_dup);
    CHECK(tasks == 1 && iterations == 100);
    loop(5, 5, 1, NUM_TASKS, 8, 0, with_dup);
    CHECK(tasks == 1 && iterations == 1);
    loop(0, 999, 3, NUM_TASKS, 7, 0, with_dup);
    CHECK(tasks == 7 && iterations == 334 && least == 47 && most == 48);
    loop(0, 999, 3, NUM_TASKS, 300, 0, with_dup);
    CHECK(tasks == 300 && iterations == 334 && least == 1 && most == 2);
#ifdef DOWNWARDS /* taskloop_down.c */
    loop(99, (uint64_t)-99, -2, NUM_TASKS, 4, 0, with_dup);
    CHECK(tasks == 4 && iterations == 100 && least == 25 && most == 25);
#endif
    loop(1, (uint64_t)INT64_MAX, INT64_MAX / 4, NUM_TASKS, 2, 0, with_dup);
    CHECK(tasks == 2 && iterations == 5);
    loop((uint64_t)INT64_MAX - 10, (uint64_t)INT64_MAX, 1, NONE, 0, 0, with_dup);
    CHECK(tasks >= 1 && iterations == 11);
}

int main(void)
{
    all(0);
    all(1);
    for (int threads = 1; threads <= 4; threads += 3) {
#pragma omp parallel num_threads(threads)
#pragma omp single
        {
            all(0);
            all(1);
        }
    }
    return 0;
}
