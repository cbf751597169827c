/* The C side of Matmul.hs: c = a b, square matrices, row by row. */
void matmul(const double *a, const double *b, double *c, long n);

void matmul(const double *a, const double *b, double *c, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
