void work(void);

void once(void)
{
#pragma omp single
    work();
}
