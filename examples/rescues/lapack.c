/* Singular values of matrices by LAPACK's dgesdd: hundreds of short regions in each call, whatever the number of
   threads. The size of the matrices is the first argument, the number of calls the second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void dgesdd_(const char *job, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info);

int main(int count, char **words)
{
    int n = count > 1 ? atoi(words[1]) : 200, calls = count > 2 ? atoi(words[2]) : 1, info = 0, ask = -1;
    size_t cells = (size_t)n * n;
    double *a = malloc(cells * sizeof *a), *u = malloc(cells * sizeof *u), *vt = malloc(cells * sizeof *vt);
    double *s = malloc(n * sizeof *s), wanted, norm = 0, largest = 0;
    int *iwork = malloc(8 * n * sizeof *iwork);
    dgesdd_("S", &n, &n, a, &n, s, u, &n, vt, &n, &wanted, &ask, iwork, &info);
    int lwork = (int)wanted;
    double *work = malloc(lwork * sizeof *work);
    for (int call = 0; call < calls && info == 0; call++) {
        for (size_t i = 0; i < cells; i++)
            a[i] = (i * 37 % 101) / 101.0 + (i % (n + 1) == 0 ? call + 1 : 0);
        dgesdd_("S", &n, &n, a, &n, s, u, &n, vt, &n, work, &lwork, iwork, &info);
        largest += s[0];
        for (int i = 0; i < n; i++)
            norm += s[i] * s[i];
    }
    printf("%d %.6e %.6e\n", info, largest, norm);
    return info != 0;
}
