/* OpenBLAS and FFTW, with results that are known. Each returns how many workers ghc-openmp made for it, or -1 when a
   result is wrong. */
#include <fftw3.h>
#include <ghcomp.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

int system_blas(int n);
int system_fftw(int n);

/* BLAS from Fortran: its C header is in a package that programs do not need to run. */
void dgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc);

/* A matrix of ones, squared: every element is n. */
int system_blas(int n)
{
    size_t size = (size_t)n * (size_t)n;
    double one = 1, zero = 0, *a = malloc(2 * size * sizeof *a), *c = a + size;
    for (size_t i = 0; i < size; i++) {
        a[i] = 1;
        c[i] = 0;
    }
    int before = ghcomp_workers_created();
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &zero, c, &n);
    int made = ghcomp_workers_created() - before;
    for (size_t i = 0; i < size; i++)
        if (c[i] != n)
            made = -1;
    free(a);
    return made;
}

/* The transform of a one and zeros is all ones. */
int system_fftw(int n)
{
    fftw_complex *x = fftw_malloc((size_t)n * sizeof *x);
    int before = ghcomp_workers_created();
    fftw_init_threads();
    fftw_plan_with_nthreads(omp_get_max_threads());
    fftw_plan plan = fftw_plan_dft_1d(n, x, x, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < n; i++)
        x[i][0] = i == 0, x[i][1] = 0;
    fftw_execute(plan);
    int made = ghcomp_workers_created() - before;
    for (int i = 0; i < n; i++)
        if (fabs(x[i][0] - 1) > 1e-9 || fabs(x[i][1]) > 1e-9)
            made = -1;
    fftw_destroy_plan(plan);
    fftw_free(x);
    return made;
}
