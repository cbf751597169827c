/* Task kernels of the constructs benchmark: tasks, dependences, taskloops, and two small programs made of tasks. Rows
 * and divisors are described in bench/construct_rows.py; constructs.c calls them.
 */
#define _GNU_SOURCE
#include <string.h>

#include "bench.h"

/* One thread creates all tasks, while the others execute them or wait at the region's end. */
double run_tasks(long *n)
{
    double took = 0;
    long count = *n;
    clear_hits();
#pragma omp parallel
    {
        double start = team_start();
#pragma omp single
        for (long i = 0; i < count; i++) {
#pragma omp task
            HIT();
        }
        team_stop(start, &took);
    }
    expect_total("number of tasks", count);
    return took;
}

enum { FIB = 20, FIB_VALUE = 6765, FIB_TASKS = 21890 };

static long fib(int n)
{
    long a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

/* An operation is one task: fib(20) creates 21,890 of them. */
double run_task_fib(long *n)
{
    double took = 0;
    long times = (*n + FIB_TASKS - 1) / FIB_TASKS, disorder = 0;
    *n = times * FIB_TASKS;
#pragma omp parallel
    {
        double start = team_start();
        for (long i = 0; i < times; i++) {
#pragma omp single
            disorder += fib(FIB) != FIB_VALUE;
        }
        team_stop(start, &took);
    }
    expect("number of wrong Fibonacci numbers", disorder, 0);
    return took;
}

enum { CHAINS = 4 };

/* One thread creates all tasks, for each of four chains in turn. */
double run_task_depend(long *n)
{
    double took = 0;
    long count = *n, disorder[CHAINS] = {0};
    struct slot chain[CHAINS] = {{0}};
#pragma omp parallel
    {
        double start = team_start();
#pragma omp single
        for (long i = 0; i < count; i++) {
            int c = (int)(i % CHAINS);
#pragma omp task depend(inout : chain[c]) shared(chain, disorder)
            {
                disorder[c] += chain[c].n != i / CHAINS;
                chain[c].n++;
            }
        }
        team_stop(start, &took);
    }
    for (int c = 0; c < CHAINS; c++) {
        expect("number of tasks out of order", disorder[c], 0);
        expect("number of tasks of a chain", chain[c].n, (count + CHAINS - 1 - c) / CHAINS);
    }
    return took;
}

enum { PACKET_WORDS = 512 };
struct packet {
    unsigned long word[PACKET_WORDS];
};

static unsigned long checksum(const struct packet *packet)
{
    unsigned long sum = 0;
    for (int i = 0; i < PACKET_WORDS; i++)
        sum = 31 * sum + packet->word[i];
    return sum;
}

/* Each task has a packet of 4 KB of its own and computes its checksum. Packets differ in their first word. */
double run_task_data(long *n)
{
    double took = 0;
    long count = *n;
    struct packet packet;
    clear_hits();
    for (int i = 0; i < PACKET_WORDS; i++)
        packet.word[i] = (unsigned long)i;
    unsigned long first = checksum(&packet);
    packet.word[0] = 1;
    unsigned long factor = checksum(&packet) - first;
#pragma omp parallel
    {
        double start = team_start();
#pragma omp single
        for (long i = 0; i < count; i++) {
            packet.word[0] = (unsigned long)i;
#pragma omp task firstprivate(packet)
            if (checksum(&packet) == first + factor * packet.word[0])
                HIT();
        }
        team_stop(start, &took);
    }
    expect_total("number of right checksums", count);
    return took;
}

double run_taskloop(long *n)
{
    double took = 0;
    long count = *n;
    clear_hits();
#pragma omp parallel
    {
        double start = team_start();
#pragma omp single
#pragma omp taskloop grainsize(16)
        for (long i = 0; i < count; i++)
            HIT();
        team_stop(start, &took);
    }
    expect_total("number of iterations", count);
    return took;
}

/* ---- what programs do with tasks ---- */

/* Solutions of the queens problem, a task for each placed queen of the first rows. */
static long queens(int size, int row, unsigned columns, unsigned up, unsigned down)
{
    long parts[16] = {0}, sum = 0;
    if (row == size)
        return 1;
    unsigned open = ((1u << size) - 1) & ~(columns | up | down);
    for (int k = 0; open != 0; k++, open &= open - 1) {
        unsigned bit = open & -open;
        if (row < size - 4) {
#pragma omp task shared(parts)
            parts[k] = queens(size, row + 1, columns | bit, (up | bit) << 1, (down | bit) >> 1);
        } else {
            sum += queens(size, row + 1, columns | bit, (up | bit) << 1, (down | bit) >> 1);
        }
    }
    if (row < size - 4) {
#pragma omp taskwait
        for (int k = 0; k < size; k++)
            sum += parts[k];
    }
    return sum;
}

double run_queens(long *n)
{
    double took = 0;
    long times = *n, bad = 0;
#pragma omp parallel
    {
        double start = team_start();
        for (long i = 0; i < times; i++) {
#pragma omp single
            bad += queens(9, 0, 0, 0, 0) != 352;
        }
        team_stop(start, &took);
    }
    expect("number of wrong counts of solutions", bad, 0);
    return took;
}

enum { SORT_SIZE = 1 << 14, SORT_CUT = 64 };
static unsigned sort_list[SORT_SIZE], sort_other[SORT_SIZE];

static void merge_sort(unsigned *list, unsigned *other, int size)
{
    if (size <= SORT_CUT) {
        for (int i = 1; i < size; i++) {
            unsigned value = list[i];
            int j = i;
            for (; j > 0 && list[j - 1] > value; j--)
                list[j] = list[j - 1];
            list[j] = value;
        }
        return;
    }
    int half = size / 2;
#pragma omp task
    merge_sort(list, other, half);
#pragma omp task
    merge_sort(list + half, other + half, size - half);
#pragma omp taskwait
    for (int i = 0, j = half, k = 0; k < size; k++)
        other[k] = j == size || (i < half && list[i] <= list[j]) ? list[i++] : list[j++];
    memcpy(list, other, (size_t)size * sizeof list[0]);
}

double run_sort(long *n)
{
    double took = 0;
    long times = *n, disorder = 0;
#pragma omp parallel
    {
        double start = team_start();
        for (long i = 0; i < times; i++) {
#pragma omp single
            {
                unsigned state = (unsigned)i + 1;
                for (int j = 0; j < SORT_SIZE; j++)
                    sort_list[j] = state = state * 1664525u + 1013904223u;
                merge_sort(sort_list, sort_other, SORT_SIZE);
                for (int j = 1; j < SORT_SIZE; j++)
                    disorder += sort_list[j - 1] > sort_list[j];
            }
        }
        team_stop(start, &took);
    }
    expect("number of neighbours out of order", disorder, 0);
    return took;
}
