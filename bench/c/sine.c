/* The sum of sin(i) for a million i: a parallel loop with a reduction and nothing else. */
#include <math.h>

#include "bench.h"

enum { TERMS = 1000000 };

double run_sine(long *n)
{
    /* Lagrange's identity for sin 0 + sin 1 + ... + sin(TERMS - 1). */
    double exact = sin((TERMS - 1) / 2.0) * sin(TERMS / 2.0) / sin(0.5);
    long bad = 0;
    double start = begin();
    for (long i = 0; i < *n; i++) {
        double sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(static)
        for (int j = 0; j < TERMS; j++)
            sum += sin(j);
        bad += !(fabs(sum - exact) < 1e-6);
    }
    double took = end(start);
    expect("number of wrong sums", bad, 0);
    return took;
}
