#pragma once

/* The tree's sum, by tasks that each take part: for depth 4, 5, 6 it is 26, 57, 120. */
static void tree(int depth, long *sum)
{
#pragma omp task in_reduction(+ : sum[0])
    {
        sum[0] += depth;
        if (depth > 0) {
            tree(depth - 1, sum);
            tree(depth - 1, sum);
        }
    }
}
