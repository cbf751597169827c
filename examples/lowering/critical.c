void work(void);

void exclusive(void)
{
#pragma omp critical
    work();
#pragma omp critical(named)
    work();
}
