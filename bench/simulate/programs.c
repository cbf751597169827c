/* OpenMP programs, one for each kind of wait, compiled by plain gcc -fopenmp. A step is what `what` says. */
#include <omp.h>

#include "programs.h"

void program_meet(int threads)
{
#pragma omp parallel num_threads(threads)
    sim_member();
}

static void regions(int threads, uint64_t work)
{
    for (;;) {
#pragma omp parallel num_threads(threads)
        sim_work(work);
        sim_step();
    }
}

static void barriers(int threads, uint64_t work)
{
#pragma omp parallel num_threads(threads)
    for (;;) {
        sim_work(work);
#pragma omp barrier
#pragma omp master
        sim_step();
    }
}

static void dynamic(int threads, uint64_t work)
{
#pragma omp parallel num_threads(threads)
    for (;;) {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 8 * threads; i++)
            sim_work(work);
#pragma omp master
        sim_step();
    }
}

static void ordered(int threads, uint64_t work)
{
#pragma omp parallel num_threads(threads)
    for (;;) {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 1000; i++) {
            sim_work(work);
#pragma omp ordered
            sim_step();
        }
    }
}

static void doacross(int threads, uint64_t work)
{
#pragma omp parallel num_threads(threads)
    for (;;) {
#pragma omp for ordered(1) schedule(static, 1)
        for (int i = 0; i < 1000; i++) {
            sim_work(work);
#pragma omp ordered depend(sink : i - 1)
            sim_step();
#pragma omp ordered depend(source)
        }
    }
}

static void lock(int threads, uint64_t work)
{
    omp_lock_t one;
    omp_init_lock(&one);
#pragma omp parallel num_threads(threads)
    for (;;) {
        omp_set_lock(&one);
        sim_work(work);
        sim_step();
        omp_unset_lock(&one);
        sim_work(work);
    }
}

static void batches(int threads, uint64_t work)
{
    for (;;) {
        for (int i = 0; i < 16 * threads; i++)
#pragma omp task
            sim_work(work);
#pragma omp taskwait
        sim_step();
    }
}

static void tasks(int threads, uint64_t work)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
    batches(threads, work);
}

/* At first some milliseconds of tasks that nobody but their maker can run in time. */
static void late(int threads, uint64_t work)
{
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        for (int i = 0; i < 10000; i++) {
#pragma omp task
            sim_work(300);
#pragma omp taskwait
        }
        batches(threads, work);
    }
}

static void copyprivate(int threads, uint64_t work)
{
#pragma omp parallel num_threads(threads)
    for (;;) {
        uint64_t value;
#pragma omp single copyprivate(value)
        {
            value = work;
            sim_step();
        }
        sim_work(value);
    }
}

/* The members wait for their next region's mail meanwhile. */
static void serial(int threads, uint64_t work)
{
    for (;;) {
#pragma omp parallel num_threads(threads)
        sim_work(10000);
        sim_work(work);
        sim_step();
    }
}

#define PROGRAM(name, what) {#name, what, name}
const struct program programs[] = {
    PROGRAM(regions, "a region"),
    PROGRAM(barriers, "a barrier"),
    PROGRAM(dynamic, "a loop of 8 iterations for each thread, `dynamic`"),
    PROGRAM(ordered, "an iteration of `for ordered schedule(static, 1)`"),
    PROGRAM(doacross, "an iteration that waits for the one before"),
    PROGRAM(lock, "an entry of a lock"),
    PROGRAM(tasks, "16 tasks for each thread and a taskwait"),
    PROGRAM(late, "the same, after 3 ms of tasks of which there is one at a time"),
    PROGRAM(copyprivate, "a `single copyprivate`"),
    PROGRAM(serial, "a region of 10 us and a serial phase"),
    {0},
};
