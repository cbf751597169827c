/* A compiled part of a Python package: how many threads a region has. */
int threads(void)
{
    int count = 0;
#pragma omp parallel reduction(+ : count)
    count += 1;
    return count;
}
