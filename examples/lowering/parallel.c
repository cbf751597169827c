void work(int);

void region(int n)
{
#pragma omp parallel num_threads(4) if (n > 10)
    work(n);
}
