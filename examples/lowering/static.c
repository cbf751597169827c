void work(long);

void loop(long n)
{
#pragma omp for schedule(static)
    for (long i = 0; i < n; i++)
        work(i);
}
