/* A random nest of everything that makes tasks, whose result does not depend on the order: the program is compiled a
 * second time without -fopenmp, and both must print the same.
 *
 *     tasknest SEED TREES THREADS
 *
 * A tree is one region with a random node, and a node is a construct whose tasks are nodes: tasks and taskwait,
 * taskgroups, taskloops with reductions, chains of dependences, mutexinoutset, task reductions, regions with loops,
 * undeferred and final tasks, events. Some groups are cancelled: what they do is not counted, and no task waits in them
 * for one that may be discarded.
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "stress.h"

typedef unsigned long number;

static number mix(number a, number b)
{
    return (a ^ (b >> 7)) * 0x9e3779b97f4a7c15ul + b;
}

static void add(number *to, number value)
{
#pragma omp atomic
    *to += value;
}

static number node(unsigned seed, int depth);

static number waited(unsigned seed, int depth, int n)
{
    number parts[8] = {0}, result = seed;
    for (int i = 0; i < n; i++) {
#pragma omp task shared(parts) if (i != 2) final(i == 3 && depth < 3) untied
        parts[i] = node(seed + (unsigned)i, depth);
    }
#pragma omp taskwait
    for (int i = 0; i < n; i++)
        result = mix(result, parts[i]);
    return result;
}

static number grouped(unsigned seed, int depth, int n)
{
    number sum = 0;
#pragma omp taskgroup
    for (int i = 0; i < n; i++) {
#pragma omp task shared(sum)
        {
#pragma omp task shared(sum)
            add(&sum, node(seed + (unsigned)i, depth));
            add(&sum, seed);
        }
    }
    return sum;
}

static number loop(unsigned seed, int depth, int n)
{
    number sum = seed, last = 0;
#pragma omp taskloop reduction(+ : sum) lastprivate(last) grainsize(2)
    for (int i = 0; i < n; i++) {
        last = node(seed + (unsigned)i, depth);
        sum += last;
    }
    return mix(sum, last);
}

/* Each link's node is a group of its own kind; links of one chain never overlap. */
static number chains(unsigned seed, int depth, int n)
{
    number x = seed, y = seed, z = 0;
    for (int i = 0; i < n; i++) {
#pragma omp task depend(inout : x) shared(x)
        x = mix(x, node(seed + (unsigned)i, depth));
#pragma omp task depend(in : x) depend(inout : y) shared(x, y)
        y = mix(y, x);
#pragma omp task depend(in : x) depend(mutexinoutset : z) shared(x, z) priority(i)
        z += x;
    }
#pragma omp task depend(inout : x) depend(in : y, z) if (seed % 2) shared(x, y, z)
    x = mix(x, mix(y, z));
#pragma omp taskwait
    return x;
}

static number reduced(unsigned seed, int depth, int n)
{
    number sum = 3, bits = 0;
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(^ : bits)
    for (int i = 0; i < n; i++) {
#pragma omp task in_reduction(+ : sum) shared(bits)
        {
            /* A node may run other tasks, of this reduction too, on this thread: it adds before or after them. */
            number value = node(seed + (unsigned)i, depth);
            sum += value;
#pragma omp task in_reduction(^ : bits) firstprivate(value)
            bits ^= mix(value, 5);
        }
    }
    return mix(sum, bits);
}

static number team(unsigned seed, int depth, int n)
{
    number sum = 0, tasks = 0;
#pragma omp parallel num_threads(1 + seed % 4) reduction(task, + : tasks)
    {
#pragma omp for reduction(+ : sum) schedule(dynamic)
        for (int i = 0; i < n; i++) {
            sum += node(seed + (unsigned)i, depth);
#pragma omp task in_reduction(+ : tasks)
            tasks += (number)i + 1;
        }
#pragma omp single
        {
#pragma omp task in_reduction(+ : tasks)
            tasks += node(seed + 100, depth);
        }
    }
    return mix(sum, tasks);
}

static number cancelled(unsigned seed, int depth, int n)
{
    number before = 0, other = 0;
#pragma omp taskgroup
    {
#pragma omp task shared(before) if (0)
        before = node(seed, depth);
        for (int i = 0; i < n; i++) {
#pragma omp task shared(other)
            {
#ifdef _OPENMP
#pragma omp cancel taskgroup if (i == 1)
#endif
                add(&other, waited(seed, 0, n) + grouped(seed, 0, n) + loop(seed, 0, n) + chains(seed, 0, n));
            }
        }
    }
    return before;
}

static number events(unsigned seed, int depth, int n)
{
    number sum = 0;
    for (int i = 0; i < n; i++) {
#ifdef _OPENMP
        omp_event_handle_t event;
        /* In a final task the construct itself waits for the event. */
        int at_once = omp_in_final();
#pragma omp task detach(event) shared(sum)
        {
            add(&sum, node(seed + (unsigned)i, depth));
            if (at_once)
                omp_fulfill_event(event);
        }
#pragma omp task firstprivate(event) shared(sum)
        {
            add(&sum, seed);
            if (!at_once)
                omp_fulfill_event(event);
        }
#else
        add(&sum, node(seed + (unsigned)i, depth));
        add(&sum, seed);
#endif
    }
#pragma omp taskwait
    return sum;
}

static number node(unsigned seed, int depth)
{
    unsigned state = seed * 2654435761u + (unsigned)depth;
    unsigned kind = draw(&state) % 9, below = draw(&state);
    int n = 1 + (int)(draw(&state) % 5);
    if (depth == 0)
        return mix(seed, below);
    switch (kind) {
    case 0:
    case 1:
        return waited(below, depth - 1, n);
    case 2:
        return grouped(below, depth - 1, n);
    case 3:
        return loop(below, depth - 1, 2 * n);
    case 4:
        return chains(below, depth - 1, n);
    case 5:
        return reduced(below, depth - 1, n);
    case 6:
        return team(below, depth - 1, n);
    case 7:
        return cancelled(below, depth - 1, n);
    default:
        return events(below, depth - 1, n);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: tasknest SEED TREES THREADS\n");
        return 2;
    }
    unsigned seed = (unsigned)atoi(argv[1]);
    int trees = atoi(argv[2]), threads = atoi(argv[3]);
#ifdef _OPENMP
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
#endif
    for (int i = 0; i < trees; i++) {
        number result = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single nowait
        result = node(seed + 7919u * (unsigned)i, 5);
        printf("%d %lx\n", i, result);
    }
    return threads > 0 ? 0 : 2;
}
