/* Unbalanced tree search, after Olivier et al., "UTS: An Unbalanced Tree Search Benchmark" (LCPC 2006): counts the
 * nodes of a tree that is not known beforehand. A node is a number, its children are hashes of it, and their number is
 * drawn from the hash, too (a binomial tree: none, or CHILDREN of them). Some subtrees have one node, some thousands. A
 * task for each node but the root.
 */
#include <stdint.h>

#include "bench.h"

enum { ROOT_CHILDREN = 256, CHILDREN = 4, ROUNDS = 24, SEED = 19 };
/* Of 2^32. A node has on average 0.988 children, so a subtree has about 80 nodes on average. */
static const uint32_t HAS_CHILDREN = (uint32_t)(0.247 * 4294967296.0);

/* The mixing function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), several times over: a node's work. */
static uint64_t hash(uint64_t x)
{
    for (int i = 0; i < ROUNDS; i++) {
        x += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
    }
    return x;
}

static int children(uint64_t node)
{
    return (uint32_t)node < HAS_CHILDREN ? CHILDREN : 0;
}

static long count_alone(uint64_t node, int many)
{
    long sum = 1;
    for (int i = 0; i < many; i++) {
        uint64_t child = hash(node + (uint64_t)i);
        sum += count_alone(child, children(child));
    }
    return sum;
}

static void count(uint64_t node, int many)
{
    HIT();
    for (int i = 0; i < many; i++) {
#pragma omp task
        {
            uint64_t child = hash(node + (uint64_t)i);
            count(child, children(child));
        }
    }
}

double run_tree(long *n)
{
    static long nodes;
    if (nodes == 0)
        nodes = count_alone(SEED, ROOT_CHILDREN);
    clear_hits();
    double start = begin();
    for (long i = 0; i < *n; i++) {
#pragma omp parallel
#pragma omp single
        count(SEED, ROOT_CHILDREN);
    }
    double took = end(start);
    expect_total("number of nodes", *n * nodes);
    return took;
}
