#!/bin/sh
# OpenBLAS built with OpenMP, called from C and from Fortran: dgemm, dgesv, and calls from inside a region.
. "$(dirname "$0")/common.sh"
blas=$(find /usr/lib/*/openblas-openmp/libopenblas.so.0 2>/dev/null | head -1)
needs "${blas:-/nonexistent}" libopenblas0-openmp

cat >"$work/blas.c" <<'END'
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void dgesv_(const int *, const int *, double *, const int *, int *, double *, const int *, int *);
static void fill(double *m, int n, int seed)
{
    for (int i = 0; i < n * n; i++)
        m[i] = ((i * 37 + seed) % 101) / 101.0 - 0.5 + (i % (n + 1) == 0 ? n : 0);
}
static double work(int n, int seed)
{
    double *a = malloc(sizeof *a * n * n), *b = malloc(sizeof *b * n * n), *c = calloc((size_t)n * n, sizeof *c);
    int *pivots = malloc(sizeof *pivots * n), info;
    const double one = 1, zero = 0;
    fill(a, n, seed);
    fill(b, n, seed + 1);
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n);
    dgesv_(&n, &n, a, &n, pivots, c, &n, &info); /* c = inverse(a) * a * b = b */
    double worst = info;
    for (int i = 0; i < n * n; i++)
        worst = fmax(worst, fabs(c[i] - b[i]));
    free(a), free(b), free(c), free(pivots);
    return worst;
}
int main(void)
{
    for (int n = 8; n <= 512; n *= 4)
        printf("%d %s\n", n, work(n, n) < 1e-9 ? "solved" : "wrong");
    double worst = 0;
#pragma omp parallel for reduction(max : worst) schedule(dynamic)
    for (int i = 0; i < 16; i++)
        worst = fmax(worst, work(100 + i, i));
    printf("inside a region %s\n", worst < 1e-9 ? "solved" : "wrong");
    return 0;
}
END
cat >"$work/blas.f90" <<'END'
program blas
  implicit none
  integer, parameter :: n = 400
  double precision :: a(n, n), b(n, n), c(n, n)
  integer :: i, j
  external dgemm
  do j = 1, n
    do i = 1, n
      a(i, j) = mod(i * j, 7)
      b(i, j) = mod(i + j, 5)
    end do
  end do
  call dgemm('N', 'N', n, n, n, 1d0, a, n, b, n, 0d0, c, n)
  if (all(c == matmul(a, b))) then
    print *, 'equal', int(c(1, 1)), int(c(n, n)), int(sum(c))
  else
    print *, 'different'
  end if
end program
END
gcc -O2 -fopenmp "$work/blas.c" -o "$work/c" "$blas" -lm
gfortran -O2 -fopenmp "$work/blas.f90" -o "$work/fortran" "$blas"
export LD_LIBRARY_PATH="${blas%/*}"
loads_ours "$work/c"
compare c "$work/c"
grep -q wrong "$work/c.ours" && exit 1
compare fortran "$work/fortran"
grep -q equal "$work/fortran.ours"
