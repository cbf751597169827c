/* The C side of LinearArrays.hs. Each function stays within the n elements that it is given to write. */
void ramp(double *x, long n, double from);
void differences(const double *in, double *out, long n);

void ramp(double *x, long n, double from)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        x[i] = from + (double)i;
}

/* Reads one element more than it writes. */
void differences(const double *in, double *out, long n)
{
#pragma omp parallel for schedule(static)
    for (long i = 0; i < n; i++)
        out[i] = in[i + 1] - in[i];
}
