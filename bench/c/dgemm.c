/* c = a b for square matrices of doubles: a static loop shares out the tiles of c, and one thread computes each tile
 * from strips of a and b that fit into its first-level cache.
 */
#include "bench.h"

enum { TILE = 64, MOST = 512 };

static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];

/* Small integers, so that all sums are exact in any order. */
static void fill(int size)
{
    for (int i = 0; i < size * size; i++) {
        a[i] = (i * 7 + i / size) % 11 - 5;
        b[i] = (i * 5 + i / size * 3) % 13 - 6;
        c[i] = -1;
    }
}

static void tile(int size, int row, int column)
{
    double sum[TILE][TILE] = {{0}};
    for (int middle = 0; middle < size; middle += TILE)
        for (int i = 0; i < TILE; i++)
            for (int k = 0; k < TILE; k++) {
                double left = a[(row + i) * size + middle + k];
                const double *right = b + (middle + k) * size + column;
                for (int j = 0; j < TILE; j++)
                    sum[i][j] += left * right[j];
            }
    for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++)
            c[(row + i) * size + column + j] = sum[i][j];
}

/* c v = a (b v) for a v without symmetry; exact, as everything is an integer below 2^53. */
static void check(int size)
{
    static double bv[MOST];
    long bad = 0;
    for (int i = 0; i < size; i++) {
        bv[i] = 0;
        for (int j = 0; j < size; j++)
            bv[i] += b[i * size + j] * (j + 1);
    }
    for (int i = 0; i < size; i++) {
        double abv = 0, cv = 0;
        for (int j = 0; j < size; j++) {
            abv += a[i * size + j] * bv[j];
            cv += c[i * size + j] * (j + 1);
        }
        bad += abv != cv;
    }
    expect("number of wrong rows of the product", bad, 0);
}

static double products(int size, long times)
{
    fill(size);
    double start = begin();
    for (long n = 0; n < times; n++) {
#pragma omp parallel for collapse(2) schedule(static)
        for (int row = 0; row < size; row += TILE)
            for (int column = 0; column < size; column += TILE)
                tile(size, row, column);
    }
    double took = end(start);
    check(size);
    return took;
}

double run_dgemm_256(long *n)
{
    return products(256, *n);
}

double run_dgemm_512(long *n)
{
    return products(512, *n);
}
