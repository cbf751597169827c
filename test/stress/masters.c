/* Many masters that come and go, more threads than CPUs, each step checked.
 *
 * masters SEED MASTERS SECONDS
 *
 * MASTERS masters at a time run regions of 1 to 6 threads until SECONDS have passed; each is an OS thread of its own
 * for a few regions. A region computes a sum, has inner regions, tasks, a target region, is cancelled, or leaves its
 * size open. Now and then two masters wait in their regions for each other, a process is forked that runs regions of
 * its own, or resources are paused. Nothing may hang; teams have the size that was asked for, and at the end there are
 * no more threads than could have been needed.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../status.h"
#include "stress.h"

enum { MOST = 6, INNER = 3, MOST_MASTERS = 256, LIFE = 12 };

static double deadline;
static long regions;
static int meeting[MOST_MASTERS]; /* how many meetings each master of a pair has reached */

static void expect(unsigned seed, const char *what, long got, long want)
{
    if (got == want)
        return;
    fprintf(stderr, "masters: seed %u: %s is %ld, not %ld\n", seed, what, got, want);
    exit(1);
}

static void add_up(unsigned seed, int size, int delay)
{
    long sum = 0;
    int members[MOST] = {0};
#pragma omp parallel num_threads(size) reduction(+ : sum)
    {
        expect(seed, "the team", omp_get_num_threads(), size);
        members[omp_get_thread_num()]++;
        for (int i = 0; i < delay; i++)
            sched_yield();
#pragma omp for
        for (int i = 0; i < 100; i++)
            sum += i;
    }
    expect(seed, "the sum", sum, 4950);
    for (int i = 0; i < size; i++)
        expect(seed, "a member", members[i], 1);
}

static void nest(unsigned seed, int size)
{
    long inside = 0;
#pragma omp parallel num_threads(size) reduction(+ : inside)
    {
#pragma omp parallel num_threads(INNER) reduction(+ : inside)
        {
            expect(seed, "the inner team", omp_get_num_threads(), INNER);
            inside++;
        }
    }
    expect(seed, "the inner members", inside, (long)size * INNER);
}

static void make_tasks(unsigned seed, int size)
{
    long done = 0;
#pragma omp parallel num_threads(size)
#pragma omp single nowait
    for (int i = 0; i < 50; i++) {
#pragma omp task shared(done)
#pragma omp atomic
        done++;
    }
    expect(seed, "the tasks", done, 50);
}

static void go_to_target(unsigned seed, int size)
{
    long members = 0;
#pragma omp target map(tofrom : members)
    {
#pragma omp parallel num_threads(size) reduction(+ : members)
        members++;
    }
    expect(seed, "the target's team", members, size);
}

static void cancel(unsigned seed, int size)
{
    long begun = 0;
#pragma omp parallel num_threads(size)
    {
#pragma omp atomic
        begun++;
        if (omp_get_thread_num() == size - 1) {
#pragma omp cancel parallel
        }
#pragma omp barrier
    }
    expect(seed, "the cancelled team", begun, size);
}

static void adapt(unsigned seed, int size)
{
    omp_set_dynamic(1);
    int before = omp_get_max_threads(), got = 0;
    omp_set_num_threads(size);
#pragma omp parallel
#pragma omp master
    got = omp_get_num_threads();
    omp_set_num_threads(before);
    omp_set_dynamic(0);
    if (got < 1 || got > size)
        expect(seed, "the open size", got, size);
}

static void fork_off(unsigned seed)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        add_up(seed, 3, 0);
        nest(seed, 2);
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    expect(seed, "the child's status", status, 0);
}

/* Both masters of a pair run the same number of regions, so they meet equally often. */
static void meet(unsigned seed, int me, int size)
{
#pragma omp parallel num_threads(size)
    {
        expect(seed, "the meeting's team", omp_get_num_threads(), size);
#pragma omp master
        {
            int mine = __atomic_add_fetch(&meeting[me], 1, __ATOMIC_ACQ_REL);
            while (__atomic_load_n(&meeting[me ^ 1], __ATOMIC_ACQUIRE) < mine)
                sched_yield();
        }
    }
}

struct life {
    unsigned seed;
    int me;
    int forks;
};

static void *live(void *data)
{
    struct life *life = data;
    unsigned state = life->seed;
    for (int i = 0; i < LIFE; i++) {
        unsigned seed = state;
        int size = 2 + (int)(draw(&state) % (MOST - 1));
        switch (draw(&state) % 12) {
        case 0: nest(seed, size); break;
        case 1: make_tasks(seed, size); break;
        case 2: go_to_target(seed, size); break;
        case 3: cancel(seed, size); break;
        case 4: adapt(seed, size); break;
        case 5: add_up(seed, 1, 1); break;
        case 6: add_up(seed, size, 200); break;
        case 7:
            if (draw(&state) % 4 == 0)
                omp_pause_resource_all(omp_pause_soft);
            break;
        case 8:
            if (life->forks && draw(&state) % 8 == 0)
                fork_off(seed);
            break;
        default: add_up(seed, size, 0); break;
        }
    }
    meet(state, life->me, 4);
    __atomic_add_fetch(&regions, LIFE, __ATOMIC_RELAXED);
    return NULL;
}

static unsigned first_seed;
static int forks;
static pthread_barrier_t pairs[MOST_MASTERS / 2];

static void *master(void *data)
{
    struct life life = {first_seed + (unsigned)(long)data * 7919u, (int)(long)data, forks};
    static int over[MOST_MASTERS / 2]; /* decided by the pair's first master, between two waits */
    for (;;) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, live, &life) != 0) {
            perror("pthread_create");
            exit(1);
        }
        pthread_join(thread, NULL);
        draw(&life.seed);
        pthread_barrier_wait(&pairs[life.me / 2]);
        if (life.me % 2 == 0)
            over[life.me / 2] = now() > deadline;
        pthread_barrier_wait(&pairs[life.me / 2]);
        if (over[life.me / 2])
            return NULL;
    }
}

int main(int argc, char **argv)
{
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: masters SEED MASTERS SECONDS [noforks]\n");
        return 2;
    }
    first_seed = (unsigned)atoi(argv[1]);
    int masters = (atoi(argv[2]) + 1) / 2 * 2;
    deadline = now() + atof(argv[3]);
    forks = argc == 4;
    pthread_t threads[MOST_MASTERS];
    if (masters < 2 || masters > MOST_MASTERS)
        return 2;
    for (int i = 0; i < masters / 2; i++)
        pthread_barrier_init(&pairs[i], NULL, 2);
    for (long i = 0; i < masters; i++)
        pthread_create(&threads[i], NULL, master, (void *)i);
    for (int i = 0; i < masters; i++)
        pthread_join(threads[i], NULL);
    /* All masters at once, each with its largest nest. */
    long most = 1 + (long)masters * (MOST * INNER - 1), left;
    /* The kernel counts threads for a moment after their end. */
    for (int look = 0; (left = status_number("Threads")) > most && look < 6000; look++)
        usleep(10000);
    if (left > most)
        expect(first_seed, "the number of threads left", left, most);
    printf("%ld regions, %ld threads left\n", regions, left);
    return 0;
}
