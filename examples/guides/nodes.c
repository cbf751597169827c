#include <stdio.h>

enum { NODES = 65535 };

/* The sum of a node's number and of those below it; children are made as tasks. */
static long sum(long node)
{
    long left = 0, right = 0;
    if (2 * node + 1 <= NODES) {
#pragma omp task shared(left) final(node > 64)
        left = sum(2 * node);
#pragma omp task shared(right) final(node > 64)
        right = sum(2 * node + 1);
#pragma omp taskwait
    }
    return node + left + right;
}

int main(void)
{
    long all = 0;
#pragma omp parallel
#pragma omp single
    all = sum(1);
    printf("sum of %d nodes: %ld\n", NODES, all);
    return 0;
}
