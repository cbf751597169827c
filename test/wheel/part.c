/* A library with parallel regions, as an extension module has them: test/wheel/wheel.py loads it by ctypes. */
int sum(int n)
{
    int total = 0;
#pragma omp parallel for reduction(+ : total)
    for (int i = 1; i <= n; i++)
        total += i;
    return total;
}

int members(void)
{
    int count = 0;
#pragma omp parallel num_threads(3) reduction(+ : count)
    count += 1;
    return count;
}
