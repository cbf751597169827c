/* Many tasks in little memory: shapes for which a runtime without bounds needs gigabytes.
 *
 *     tasks SHAPE COUNT THREADS LIMIT_MB
 *
 * Each shape executes COUNT tasks or a few more, checks that it did, and then that the peak of the resident memory,
 * which it prints, is below the limit.
 *
 *     tree      a tree with taskwait in each task
 *     uneven    trees with taskwait of which most end at once and a few go thousands of levels deep
 *     loose     a tree whose tasks end before their children; one taskgroup waits for all
 *     ready     one producer of tasks that are ready at once, faster than they are executed
 *     inout     one producer of a chain of dependences
 *     handover  each task creates the next and ends
 *     loop      a taskloop of single iterations, again and again
 *     masters   THREADS initial threads, each with regions of 1 to 4 threads full of tasks
 *     fork      regions with tasks before fork(), and after it in the child and in the parent
 *     early     like masters, but the process ends while other threads still run tasks
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../status.h"

static long count;
static int threads;

/* The number of tasks executed: each thread counts in a slot of its own, on a cache line of its own. */
enum { SLOTS = 1024 };
static struct {
    long n;
} __attribute__((aligned(128))) executed[SLOTS];

static void executes(void)
{
    executed[omp_get_thread_num()].n++;
}

static void expect(const char *what, long got, long want)
{
    if (got != want) {
        fprintf(stderr, "tasks: %s: %ld, not %ld\n", what, got, want);
        exit(1);
    }
}

static void expect_executed(long want)
{
    long sum = 0;
    for (int i = 0; i < SLOTS; i++)
        sum += executed[i].n;
    expect("number of executed tasks", sum, want);
}

/* A binary tree of `size` tasks. */
static void tree(long size)
{
    executes();
    size--;
    if (size > 1) {
#pragma omp task
        tree(size - size / 2);
    }
    if (size > 0) {
#pragma omp task
        tree(size > 1 ? size / 2 : 1);
    }
#pragma omp taskwait
}

static void loose(long size)
{
    executes();
    size--;
    if (size > 1) {
#pragma omp task
        loose(size - size / 2);
    }
    if (size > 0) {
#pragma omp task
        loose(size > 1 ? size / 2 : 1);
    }
}

/* An uneven tree of `size` tasks: one child has nearly all of the rest, the others are leaves, so that the tree is as
   deep as a seventh of its size. */
static void uneven(long size)
{
    enum { CHILDREN = 8 };
    executes();
    long rest = size - 1;
    for (int i = 0; i < CHILDREN && rest > 0; i++) {
        long part = i == CHILDREN / 2 && rest > CHILDREN ? rest - (CHILDREN - 1 - i) : 1;
#pragma omp task
        uneven(part);
        rest -= part;
    }
#pragma omp taskwait
}

static void handover(long left)
{
    executes();
    if (left > 1) {
#pragma omp task
        handover(left - 1);
    }
}

static void shape(const char *name)
{
    long chain = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        if (strcmp(name, "tree") == 0) {
            tree(count);
        } else if (strcmp(name, "loose") == 0) {
#pragma omp taskgroup
            loose(count);
        } else if (strcmp(name, "ready") == 0) {
            for (long i = 0; i < count; i++) {
#pragma omp task
                executes();
            }
        } else if (strcmp(name, "inout") == 0) {
            for (long i = 0; i < count; i++) {
#pragma omp task depend(inout : chain) shared(chain)
                {
                    executes();
                    if (chain++ != i) {
                        fprintf(stderr, "tasks: link %ld of the chain came out of turn\n", i);
                        exit(1);
                    }
                }
            }
        } else if (strcmp(name, "uneven") == 0) {
            enum { SIZE = 20000 };
            for (long i = 0; i < count; i += SIZE) {
#pragma omp task
                uneven(SIZE);
            }
        } else if (strcmp(name, "handover") == 0) {
            handover(count);
        } else if (strcmp(name, "loop") == 0) {
            for (long i = 0; i < count; i += 10000) {
#pragma omp taskloop grainsize(1)
                for (int j = 0; j < 10000; j++)
                    executes();
            }
        } else {
            fprintf(stderr, "tasks: no shape named %s\n", name);
            exit(2);
        }
    }
    expect_executed(count);
}

/* ---- several masters ---- */

static long done_regions;

static long region(int size, int tasks)
{
    long sum = 0;
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
        long own = 0, group = 0;
        for (int i = 0; i < tasks; i++) {
#pragma omp task shared(own)
            {
#pragma omp task shared(own)
                __atomic_fetch_add(&own, 1, __ATOMIC_RELAXED);
#pragma omp taskwait
            }
#pragma omp task depend(inout : group) shared(group)
            group++;
        }
#pragma omp taskwait
        sum += own + group;
#pragma omp single
        {
#pragma omp taskloop reduction(+ : sum) num_tasks(10)
            for (int i = 0; i < 100; i++)
                sum += 1;
        }
    }
    return sum;
}

static void *master(void *number)
{
    long each = count / 400;
    for (long i = 0; i < each; i++) {
        int size = 1 + (int)(((long)number + i) % 4);
        expect("sum of a region", region(size, 40), size * 80 + 100);
        __atomic_fetch_add(&done_regions, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void masters(int join)
{
    pthread_t ids[SLOTS];
    for (long i = 0; i < threads; i++) {
        if (pthread_create(&ids[i], NULL, master, (void *)i) != 0)
            exit(1);
    }
    if (!join) {
        while (__atomic_load_n(&done_regions, __ATOMIC_RELAXED) < 50)
            usleep(1000);
        exit(0);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    expect("number of regions", done_regions, threads * (count / 400));
}

static void forks(void)
{
    for (long i = 0; i < count; i++) {
        int status;
        expect("sum before fork()", region(threads, 50), threads * 100 + 100);
        pid_t child = fork();
        if (child < 0) {
            perror("tasks: fork");
            exit(1);
        }
        if (child == 0) {
            expect("sum in the child", region(threads, 50), threads * 100 + 100);
            expect("sum in the child, with more threads", region(threads + 2, 50), threads * 100 + 300);
            _exit(0);
        }
        expect("sum in the parent", region(threads, 50), threads * 100 + 100);
        expect("the child", waitpid(child, &status, 0), child);
        expect("the child's status", status, 0);
    }
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: tasks SHAPE COUNT THREADS LIMIT_MB\n");
        return 2;
    }
    count = atol(argv[2]);
    threads = atoi(argv[3]);
    long limit = atol(argv[4]) * 1024;
    omp_set_dynamic(0);
    if (strcmp(argv[1], "masters") == 0)
        masters(1);
    else if (strcmp(argv[1], "early") == 0)
        masters(0);
    else if (strcmp(argv[1], "fork") == 0)
        forks();
    else
        shape(argv[1]);
    long peak = status_number("VmHWM"); /* not from getrusage, which includes the time before exec */
    printf("%ld kB\n", peak);
    if (peak <= 0 || (limit > 0 && peak > limit)) {
        fprintf(stderr, "tasks: %s: the peak of resident memory is %ld kB, allowed are %ld\n", argv[1], peak, limit);
        return 1;
    }
    return 0;
}
