void work(long);

void loop(long n)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (long i = 0; i < n; i++)
        work(i);
}
