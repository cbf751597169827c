/* dgemm of OpenBLAS, built with OpenMP: c = alpha a b for matrices of SIZE rows, alpha 1 and 2 in turn. The numbers are
 * small integers, so that the product is exact, and the same in every order of additions. One of calls.h's libraries.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

/* Fortran's interface, and OpenBLAS's own question; 2 means OpenMP. */
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
int openblas_get_parallel(void);

enum { MAX_ROWS = 4096, OPENMP = 2 };

static int rows;
static double *a, *b, *product;

/* Zeros, at the start of a cache line: where malloc begins depends on what libraries have allocated before, and small
   products take a tenth longer in some places. */
static double *matrix(void)
{
    enum { LINE = 64 };
    size_t bytes = (sizeof(double) * (size_t)rows * (size_t)rows + LINE - 1) / LINE * LINE;
    double *m = aligned_alloc(LINE, bytes);
    if (m == NULL) {
        fprintf(stderr, "calls-dgemm: no memory for a matrix of %d rows\n", rows);
        exit(1);
    }
    return memset(m, 0, bytes);
}

static bool prepare(const char *size)
{
    rows = atoi(size);
    if (rows < 1 || rows > MAX_ROWS)
        return false;
    if (openblas_get_parallel() != OPENMP) {
        fprintf(stderr, "calls-dgemm: this OpenBLAS is not built with OpenMP; install libopenblas0-openmp\n");
        exit(1);
    }
    a = matrix(), b = matrix(), product = matrix();
    for (long i = 0; i < (long)rows * rows; i++)
        a[i] = (double)(i * 37 % 11) - 5, b[i] = (double)(i * 53 % 13) - 6;
    for (long j = 0; j < rows; j++)
        for (long k = 0; k < rows; k++)
            for (long i = 0; i < rows; i++)
                product[j * rows + i] += a[k * rows + i] * b[j * rows + k];
    return true;
}

static void *own_product(void)
{
    return matrix();
}

static double factor(long number)
{
    return number % 2 ? 2 : 1;
}

static void multiply(void *own, long number)
{
    const double alpha = factor(number), zero = 0;
    dgemm_("N", "N", &rows, &rows, &rows, &alpha, a, &rows, b, &rows, &zero, own, &rows);
}

static bool right(const void *own, long number)
{
    const double *c = own, alpha = factor(number);
    long wrong = 0;
    for (long i = 0; i < (long)rows * rows; i++)
        wrong += c[i] != alpha * product[i];
    return wrong == 0;
}

const struct library library = {"calls-dgemm", "256", prepare, own_product, multiply, right};
