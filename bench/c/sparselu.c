/* LU factorisation of a sparse matrix of blocks, without pivoting: a task for each step on a block, ordered only by
 * what it reads and writes (depend). Steps on blocks that are and stay empty have no task.
 *
 * The dependences fix the order of all steps on a block, so the result must equal that of one thread, to the bit; the
 * latter is checked against the matrix that it was computed from.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { BLOCKS = 16, SIDE = 16, ROWS = BLOCKS * SIDE };

typedef double block[SIDE][SIDE];

static block matrix[BLOCKS][BLOCKS], factors[BLOCKS][BLOCKS], alone[BLOCKS][BLOCKS];
static int full[BLOCKS][BLOCKS];

/* A band, a part of its neighbours, and the fill-in of the factorisation; diagonally dominant, so that no pivots are
   needed. */
static void make_matrix(void)
{
    unsigned state = 1;
    for (int i = 0; i < BLOCKS; i++)
        for (int j = 0; j < BLOCKS; j++)
            full[i][j] = abs(i - j) <= 1 || (i * 5 + j * 3) % 7 == 0;
    for (int i = 0; i < ROWS; i++) {
        double total = 0;
        for (int j = 0; j < ROWS; j++) {
            state = state * 1664525u + 1013904223u;
            double value = full[i / SIDE][j / SIDE] ? (double)(state >> 8) / (1 << 24) - 0.5 : 0;
            matrix[i / SIDE][j / SIDE][i % SIDE][j % SIDE] = value;
            total += fabs(value);
        }
        matrix[i / SIDE][i / SIDE][i % SIDE][i % SIDE] = total + 1;
    }
    for (int k = 0; k < BLOCKS; k++)
        for (int i = k + 1; i < BLOCKS; i++)
            for (int j = k + 1; j < BLOCKS; j++)
                full[i][j] |= full[i][k] && full[k][j];
}

/* d = l u, in place. */
static void factor(block d)
{
    for (int k = 0; k < SIDE; k++)
        for (int i = k + 1; i < SIDE; i++) {
            d[i][k] /= d[k][k];
            for (int j = k + 1; j < SIDE; j++)
                d[i][j] -= d[i][k] * d[k][j];
        }
}

/* b := l^-1 b, of a block right of the diagonal's. */
static void right_of(block d, block b)
{
    for (int k = 0; k < SIDE; k++)
        for (int i = k + 1; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++)
                b[i][j] -= d[i][k] * b[k][j];
}

/* b := b u^-1, of a block below the diagonal's. */
static void below(block d, block b)
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            b[i][k] /= d[k][k];
            for (int j = k + 1; j < SIDE; j++)
                b[i][j] -= b[i][k] * d[k][j];
        }
}

/* b := b - left top. */
static void update(block b, block left, block top)
{
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            for (int j = 0; j < SIDE; j++)
                b[i][j] -= left[i][k] * top[k][j];
}

/* The tasks of a factorisation; without a team around it they are executed at once, one after the other. */
static void factorise(block m[BLOCKS][BLOCKS])
{
    for (int k = 0; k < BLOCKS; k++) {
#pragma omp task depend(inout : m[k][k])
        factor(m[k][k]);
        for (int j = k + 1; j < BLOCKS; j++) {
            if (full[k][j]) {
#pragma omp task depend(in : m[k][k]) depend(inout : m[k][j])
                right_of(m[k][k], m[k][j]);
            }
            if (full[j][k]) {
#pragma omp task depend(in : m[k][k]) depend(inout : m[j][k])
                below(m[k][k], m[j][k]);
            }
        }
        for (int i = k + 1; i < BLOCKS; i++)
            for (int j = k + 1; j < BLOCKS; j++)
                if (full[i][k] && full[k][j]) {
#pragma omp task depend(in : m[i][k], m[k][j]) depend(inout : m[i][j])
                    update(m[i][j], m[i][k], m[k][j]);
                }
    }
}

static double at(block m[BLOCKS][BLOCKS], int i, int j)
{
    return m[i / SIDE][j / SIDE][i % SIDE][j % SIDE];
}

/* The factors of one thread, multiplied, are the matrix. */
static void make_alone(void)
{
    long bad = 0;
    make_matrix();
    memcpy(alone, matrix, sizeof alone);
    factorise(alone);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            double sum = 0;
            for (int k = 0; k <= i && k <= j; k++)
                sum += (k == i ? 1 : at(alone, i, k)) * at(alone, k, j);
            bad += !(fabs(sum - at(matrix, i, j)) < 1e-9);
        }
    expect("number of elements that the factors get wrong", bad, 0);
}

double run_sparse_lu(long *n)
{
    static int made;
    double took = 0;
    long bad = 0;
    if (!made) {
        make_alone();
        made = 1;
    }
    for (long i = 0; i < *n; i++) {
        memcpy(factors, matrix, sizeof factors);
        double start = begin();
#pragma omp parallel
#pragma omp single
        factorise(factors);
        took += end(start);
        bad += memcmp(factors, alone, sizeof factors) != 0;
    }
    expect("number of wrong factorisations", bad, 0);
    return took;
}
