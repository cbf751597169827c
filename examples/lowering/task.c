void work(long, int *);

void tasks(long n, int *result)
{
#pragma omp task depend(out : result[0]) priority(2)
    work(n, result);
#pragma omp taskwait
}
